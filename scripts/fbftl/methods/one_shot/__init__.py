"""One-shot methods: a head that the server solves from one message per client."""
