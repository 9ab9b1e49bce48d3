"""What plan, jobs and tables of ECOS all know of the ways to choose public rows."""

COUNTING = ("ecos", "proximity")
"""Choices of public rows that rest on counts of the clients' rows."""

ASKED = (
    "purchase_rule", "purchase_allocation", "centroids", "purchase", "score_power",
    "count_sampling", "mechanism", "sigma", "bits", "aggregation", "uploaders", "clients",
    "label_source", "purchase_purpose",
)  # fmt: skip
"""Axes that tell a purchase apart."""
