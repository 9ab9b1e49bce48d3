"""Analysis: run files become tidy tables, guarantees, and numbers of a task."""


rule collect:
    input:
        runs=of_experiment(runs.files_of_experiment),
    output:
        table="results/{task}/experiments/{experiment}.csv",
        series="results/{task}/experiments/{experiment}.series.csv",
    log:
        "results/{task}/logs/collect/{experiment}.log",
    wildcard_constraints:
        task=either_with_experiment(),
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/collect_runs.py"),
        axes=of_experiment(axes_of),
    message:
        "Collect the runs of {wildcards.experiment} on {wildcards.task}"
    script:
        "../scripts/stages/collect_runs.py"


rule collect_guarantees:
    input:
        runs=of_experiment(runs.files_of_experiment),
    output:
        table="results/{task}/guarantees/{experiment}.csv",
    log:
        "results/{task}/logs/guarantees/{experiment}.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/collect_guarantees.py"),
        axes=of_experiment(axes_of),
    message:
        "Collect the guarantees of {wildcards.experiment} on {wildcards.task}"
    script:
        "../scripts/stages/collect_guarantees.py"


rule compose_guarantees:
    input:
        runs=planned(runs.files, chosen=runs.together),
    output:
        table="results/{task}/guarantees/together.csv",
    log:
        "results/{task}/logs/guarantees/together.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/compose_guarantees.py"),
        together=planned(Study.together),
        releases=planned(releases_in),
        unprotected=planned(runs.unprotected),
        delta=block("privacy", "delta"),
        client_rows=planned(blocks.samples_of_client),
    message:
        "Compose the guarantees of releases of the same rows of {wildcards.task}"
    script:
        "../scripts/stages/compose_guarantees.py"


rule measure_influence:
    input:
        ancient(planned(stores.root)),
        ancient("results/{task}/public.zarr/zarr.json"),
        manifest="results/{task}/features.json",
        public_manifest="results/{task}/public.json",
    output:
        csv="results/{task}/influence.csv",
    log:
        "results/{task}/logs/influence.log",
    benchmark:
        "results/{task}/benchmarks/influence.tsv"
    conda:
        "../envs/workflow.yaml"
    resources:
        gpu=GPU,
    params:
        code=code("stages/measure_influence.py", "fbftl.tasks.images"),
        job=planned(choice.noisiest_even_descent),
    message:
        "Measure the influence of single steps on {wildcards.task}"
    script:
        "../scripts/stages/measure_influence.py"


rule write_numbers:
    input:
        unpack(of_call(read_by_numbers)),
    output:
        json="results/{task}/numbers.json",
        tex="results/{task}/numbers.tex",
    log:
        "results/{task}/logs/numbers.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("stages/write_numbers.py"),
    message:
        "Write the exact numbers of {wildcards.task}"
    script:
        "../scripts/stages/write_numbers.py"
