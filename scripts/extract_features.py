"""Extract the features of every client's samples once, and cache them."""
