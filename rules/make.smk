"""Every table and figure of the lists in scripts/fbftl/plan/results becomes a rule."""


def make(result, folder, of, ask):
    """Define its rule; in a function, because Snakemake reads `script` again when a job runs.

    Args:
        result: what the rule makes.
        folder: where its files go, with the wildcard of the task if it has one.
        of: the task or paper, as a message names it.
        ask: makes a function of wildcards of one that the result names.
    """
    inputs = {
        name: ask(file) if callable(file) else as_input(file)
        for name, file in result.inputs.items()
    }
    optional = [] if result.optional is None else [unpack(ask(result.optional))]
    params = {
        name: ask(value) if callable(value) else value
        for name, value in result.params.items()
    }
    if result.kind == "tables":
        params["page_text"] = page_of(result, folder)

    rule:
        name:
            result.name
        input:
            *optional,
            *result.digests,
            **inputs,
        output:
            **outputs(result, folder),
        log:
            f"{folder}/logs/{result.path}.log",
        conda:
            "../envs/workflow.yaml"
        params:
            **params,
            code=code(result.source),
        message:
            result.message(of).replace("{experiment}", "{wildcards.experiment}")
        script:
            f"../scripts/{result.source}"


for result in OF_TASKS:
    make(result, "results/{task}", "{wildcards.task}", planned)

for result in [*SWEEP, *SOURCES]:
    make(result, "results/{task}", "{wildcards.task}", of_experiment)

for paper, results in OF_PAPER.items():
    for result in made_in_a_loop(results):
        make(result, f"results/papers/{paper}", f"paper {paper}", of_call)
