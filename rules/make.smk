"""Every table and figure of the lists in results/ becomes a rule."""


def make(result, folder, of):
    """Define its rule; in a function, because Snakemake reads `script` again when a job runs.

    Args:
        result: what the rule makes.
        folder: where its files go, with the wildcard of the task if it has one.
        of: the task or paper, as a message names it.
    """

    rule:
        name:
            result.name
        input:
            *result.files,
            **result.inputs,
        output:
            **result.outputs(folder),
        log:
            f"{folder}/logs/{result.path}.log",
        conda:
            "../envs/workflow.yaml"
        params:
            **result.all_params(folder),
        message:
            result.message(of)
        script:
            f"../scripts/{result.source}"


for results in [*OF_EXPERIMENT.values(), SWEEP, SOURCES]:
    for result in entries(results):
        make(result, "results/{task}", "{wildcards.task}")

for paper, results in OF_PAPER.items():
    for result in entries(results):
        make(result, f"results/papers/{paper}", f"paper {paper}")
