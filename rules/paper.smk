"""The paper's own numbers by formula, beside what it prints; nothing here needs training."""


rule tabulate_paper_methods:
    input:
        table3="published/table3.csv",
        setup="published/setup.csv",
    output:
        csv="results/paper/tables/methods.csv",
        md="results/paper/tables/methods.md",
        tex="results/paper/tables/methods.tex",
        html=reported(
            "results/paper/tables/methods.html", "cost", "Table III", "paper_methods"
        ),
    log:
        "results/paper/logs/tables/methods.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_paper_methods.py"),
    script:
        "../scripts/tabulate_paper_methods.py"


rule tabulate_paper_language:
    input:
        unpack(dialogues_at_hand),
        table4="published/table4.csv",
        setup="published/setup.csv",
    output:
        csv="results/paper/tables/language.csv",
        md="results/paper/tables/language.md",
        tex="results/paper/tables/language.tex",
        html=reported(
            "results/paper/tables/language.html", "cost", "Table IV", "language"
        ),
    log:
        "results/paper/logs/tables/language.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_paper_language.py"),
    script:
        "../scripts/tabulate_paper_language.py"


rule plot_paper_packet_loss:
    output:
        reported(
            "results/paper/figures/packet_loss.svg",
            "loss",
            "Packet loss",
            "packet_loss",
        ),
        multiext("results/paper/figures/packet_loss", ".pdf", ".png", ".csv"),
    log:
        "results/paper/logs/figures/packet_loss.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_paper_packet_loss.py"),
    script:
        "../scripts/plot_paper_packet_loss.py"


rule plot_retransmission:
    output:
        reported(
            "results/paper/figures/retransmission.svg",
            "loss",
            "Retransmission",
            "retransmission",
        ),
        multiext("results/paper/figures/retransmission", ".pdf", ".png", ".csv"),
    log:
        "results/paper/logs/figures/retransmission.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_retransmission.py"),
    script:
        "../scripts/plot_retransmission.py"
