"""Tables, figures and tidy files: rules for each task, for papers and for the front page."""


def files_of(results):
    """Return the files of results, those that the report shows with its captions."""
    captions = CALL.captions(results) if workflow.is_main_process else {}
    shown = {path: report(path, **caption) for path, caption in captions.items()}
    return [shown.get(path, path) for path in results.declared]


for results in PLAN.results:

    rule:
        name:
            f"results_{results.word}"
        input:
            results.needs,
        output:
            files_of(results),
            results.marker,
        log:
            f"results/logs/results/{results.word}.log",
        conda:
            "../envs/workflow.yaml"
        params:
            store=str(STORE.root),
            note=results.key,
            task=results.name,
        message:
            f"Write the tables and figures of {results.name}"
        script:
            "../scripts/stages/make_results.py"
