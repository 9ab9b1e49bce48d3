"""Networks, heads, source models, and where they are cut."""
