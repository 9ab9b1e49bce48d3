"""Feature-based federated transfer learning, from clients to report.

What is made is decided by config.yaml and by studies laid over it with --configfile. The plan finds
out what of it is missing in the store; rules make that, and then tables and figures.
"""

from snakemake.utils import min_version

min_version("9.11")


include: "rules/common.smk"


report: "rules/captions/workflow.rst"


container: config["container"]


wildcard_constraints:
    job="[0-9a-f]{24}",


include: "rules/store.smk"
include: "rules/train.smk"
include: "rules/results.smk"


onstart:
    begin()


rule all:
    default_target: True
    input:
        PLAN.targets,
    localrule: True
    message:
        "All tables and figures are there"


rule features:
    input:
        [path for path in PLAN.targets if path.startswith("results/.made/extract/")],
    localrule: True
    message:
        "All features are there"


rule runs:
    input:
        [path for path in PLAN.targets if path.startswith("results/.made/train/")],
    localrule: True
    message:
        "All runs are there"
