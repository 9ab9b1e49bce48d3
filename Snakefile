"""Feature-based federated transfer learning, from clients to report.

The map: the configuration is checked, the rules are included, the targets are named.
What runs is decided by config.yaml and by studies laid over it with --configfile.
"""

from snakemake.utils import min_version

min_version("9.11")


include: "rules/strict.smk"


configfile: "config.yaml"


include: "rules/folder.smk"


if config.get("results_folder"):

    workdir: study_folder()


report: "rules/captions/workflow.rst"


include: "rules/common.smk"


container: STUDY.config["container"]


include: "rules/deciding.smk"
include: "rules/inputs.smk"
include: "rules/finished.smk"
include: "rules/attacked.smk"
include: "rules/systems.smk"
include: "rules/swept.smk"
include: "rules/targets.smk"
include: "rules/clients.smk"
include: "rules/source.smk"
include: "rules/network.smk"
include: "rules/features.smk"
include: "rules/public.smk"
include: "rules/train.smk"
include: "rules/processes.smk"
include: "rules/language.smk"
include: "rules/analysis.smk"
include: "rules/shards.smk"
include: "rules/methods.smk"
include: "rules/sweep.smk"
include: "rules/scarcity.smk"
include: "rules/privacy.smk"
include: "rules/labels.smk"
include: "rules/attacks.smk"
include: "rules/compression.smk"
include: "rules/packet_loss.smk"
include: "rules/fbftl.smk"
include: "rules/budget.smk"
include: "rules/ecos.smk"
include: "rules/fade.smk"
include: "rules/frameworks.smk"
include: "rules/eppfl.smk"
include: "rules/fedfeat.smk"
include: "rules/splitmix.smk"
include: "rules/robust.smk"
include: "rules/rivals.smk"
include: "rules/dpsgd.smk"
include: "rules/papers.smk"


# By now every rule has named the code that it depends on.
CODE.keep()


include: "rules/comparing.smk"


onstart:
    hold_folder(log)
    move_aside()
    start_when_free()


rule all:
    default_target: True
    input:
        # Results rest on the others; named here too, so that one that was removed is made again.
        all_spines(),
        all_results(),
    localrule: True


rule layers:
    input:
        expand("results/{task}/layers.csv", task=STUDY.tasks_of("images")),
    localrule: True


rule heads:
    input:
        expand("results/{task}/tables/heads.csv", task=STUDY.tasks_of("images")),
    localrule: True


rule features:
    input:
        all_manifests(),
    localrule: True


rule runs:
    input:
        all_runs(),
    localrule: True
