"""The source model: loaded and checked, kept with a manifest."""
