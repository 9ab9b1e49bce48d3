"""Feature-based federated transfer learning, from clients to report.

The map: the configuration is checked, the rules are included, the targets are named.
What runs is decided by config.yaml and by studies laid over it with --configfile.
"""

from snakemake.utils import min_version

min_version("9.11")


include: "rules/strict.smk"


configfile: "config.yaml"


include: "rules/sized.smk"
include: "rules/folder.smk"


if config.get("results_folder"):

    workdir: study_folder()


report: "rules/captions/workflow.rst"


include: "rules/common.smk"


container: STUDY.config["container"]


include: "rules/exact.smk"
include: "rules/deciding.smk"
include: "rules/plan.smk"
include: "rules/shown.smk"
include: "rules/clients.smk"
include: "rules/source.smk"
include: "rules/network.smk"
include: "rules/features.smk"
include: "rules/public.smk"
include: "rules/frameworks.smk"
include: "rules/train.smk"
include: "rules/analysis.smk"
include: "rules/attacks.smk"
include: "rules/attacks_by_seed.smk"
include: "rules/methods.smk"
include: "rules/make.smk"
include: "rules/papers.smk"


name_arithmetic()


include: "rules/comparing.smk"
include: "rules/processes.smk"


# By now every rule is there, and has named the code that it depends on.
CODE.keep()
force(STALE)


onstart:
    hold_folder()
    move_aside()
    if not workflow.local_exec:
        note_processes()
    start_when_free()


rule all:
    default_target: True
    input:
        # Results rest on the others; named here too, so that one that was removed is made again.
        targets.clients_and_sources(STUDY),
        targets.results(CALL),
    localrule: True
    message:
        "All tables and figures are there"


rule layers:
    input:
        expand("results/{task}/layers.csv", task=STUDY.tasks_of("images")),
    localrule: True
    message:
        "The layers of each network are listed"


rule heads:
    input:
        expand("results/{task}/tables/heads.csv", task=STUDY.tasks_of("images")),
    localrule: True
    message:
        "Heads and epochs are chosen"


rule features:
    input:
        stores.all_manifests(STUDY),
    localrule: True
    message:
        "All features are there"


rule runs:
    input:
        targets.run_files(STUDY),
    localrule: True
    message:
        "All runs are there"
