"""The methods: a module each, or a folder with everything that is one method's alone."""
