"""The kinds of task as the plan sees them."""
