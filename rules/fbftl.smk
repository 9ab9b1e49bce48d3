"""Paper fbftl: its own numbers by formula beside what it prints, and its script's habits."""


rule tabulate_paper_methods:
    input:
        table3=of_project("published/fbftl/table3.csv"),
        setup=of_project("published/fbftl/setup.csv"),
    output:
        **table("results/papers/fbftl/tables/methods", "cost", "Table III"),
    log:
        "results/papers/fbftl/logs/tables/methods.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_paper_methods.py"),
        methods=methods.rows(["fl", "sfl", "ftl_f", "ftl_c", "fbftl"]),
    script:
        "../scripts/tabulate_paper_methods.py"


rule tabulate_paper_language:
    input:
        unpack(dialogues_at_hand),
        table4=of_project("published/fbftl/table4.csv"),
        setup=of_project("published/fbftl/setup.csv"),
    output:
        **table("results/papers/fbftl/tables/language", "cost", "Table IV"),
    log:
        "results/papers/fbftl/logs/tables/language.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_paper_language.py"),
        methods=methods.rows(["ftl_f", "ftl_c", "fbftl"]),
    script:
        "../scripts/tabulate_paper_language.py"


rule plot_paper_packet_loss:
    output:
        **figure("results/papers/fbftl/figures/packet_loss", "loss", "Packet loss"),
    log:
        "results/papers/fbftl/logs/figures/packet_loss.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_paper_packet_loss.py"),
        methods=methods.rows(["fl", "ftl_f", "ftl_c", "fbftl"]),
    script:
        "../scripts/plot_paper_packet_loss.py"


rule plot_retransmission:
    output:
        **figure(
            "results/papers/fbftl/figures/retransmission", "loss", "Retransmission"
        ),
    log:
        "results/papers/fbftl/logs/figures/retransmission.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_retransmission.py"),
        methods=methods.rows(["fl", "fbftl"]),
    script:
        "../scripts/plot_retransmission.py"


rule tabulate_effects:
    input:
        runs="results/{task}/experiments/audit.csv",
    output:
        **table("results/{task}/tables/effects", "audit", "Habits of the script"),
    log:
        "results/{task}/logs/tables/effects.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_effects.py"),
    script:
        "../scripts/tabulate_effects.py"
