"""Which sums of uploads are joined to which, for the rules of `upload_sums.smk`."""

UPLOADS = STUDY.config["upload_sums"]
"""What is summed."""

UPLOAD_TREE = UploadTree.of(UPLOADS)
"""Which sums are joined to which."""


def sum_at(node):
    """Return the file of a node's sum."""
    level, place = node
    return f"results/upload_sums/{level}/{place}.safetensors"


def sums_below(wildcards):
    """Return the files that a node's sum is joined from."""
    node = int(wildcards.level), int(wildcards.node)
    return [sum_at(part) for part in UPLOAD_TREE.parts(node)]
