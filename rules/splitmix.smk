"""Split-Mix: what every width can do and costs, by who can train what (paper thesis, ch. 4)."""


rule tabulate_widths:
    input:
        runs=partial(run_files, experiment="widths", suffix="json"),
        ledgers=partial(run_files, experiment="widths", suffix="parquet"),
        clients="results/{task}/clients.h5",
    output:
        **table("results/{task}/tables/widths", "cost", "Widths"),
    log:
        "results/{task}/logs/tables/widths.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_widths.py"),
        network=network_of_widths,
        size=size_of_images,
        domains=domains_of,
        methods=partial(methods_of, experiment="widths"),
        axes=partial(
            axes_of,
            experiment="widths",
            read=["width", "budgets", "budget_order", "rescaled_init"],
        ),
    script:
        "../scripts/tabulate_widths.py"


rule plot_widths:
    input:
        table="results/{task}/tables/widths.csv",
    output:
        **figure("results/{task}/figures/widths", "cost", "Widths"),
    log:
        "results/{task}/logs/figures/widths.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_widths.py"),
        methods=partial(methods_of, experiment="widths"),
    script:
        "../scripts/plot_widths.py"


rule plot_domains:
    input:
        table="results/{task}/tables/widths.csv",
    output:
        **figure("results/{task}/figures/domains", "cost", "Domains"),
    log:
        "results/{task}/logs/figures/domains.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_domains.py"),
        domains=domains_of,
        methods=partial(methods_of, experiment="widths"),
    script:
        "../scripts/plot_domains.py"


rule tabulate_width_heads:
    input:
        runs="results/{task}/experiments/width_heads.csv",
    output:
        **table("results/{task}/tables/width_heads", "cost", "Widths on features"),
    log:
        "results/{task}/logs/tables/width_heads.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_width_heads.py"),
        methods=partial(methods_of, experiment="width_heads"),
        axes=partial(axes_of, experiment="width_heads", read=["budget_order"]),
    script:
        "../scripts/tabulate_width_heads.py"
