"""A planned setting of the workflow as a Flower app: what carries the library's messages."""
