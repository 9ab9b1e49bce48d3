"""The paper's own numbers by formula, beside what it prints; nothing here needs training."""


def dialogues_at_hand(wildcards):
    """Return SAMSum's training dialogues, for their true lengths, if the data folder has them."""
    dialogues = Path(STUDY.config["data_folder"] or "", "samsum", "train.jsonl")
    at_hand = STUDY.config["data_folder"] and dialogues.exists()
    return {"dialogues": str(dialogues)} if at_hand else {}


rule tabulate_paper_methods:
    input:
        table3="published/table3.csv",
        setup="published/setup.csv",
    output:
        csv="results/paper/tables/methods.csv",
        md="results/paper/tables/methods.md",
        tex="results/paper/tables/methods.tex",
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
    log:
        "results/paper/logs/tables/language.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_paper_language.py"),
    script:
        "../scripts/tabulate_paper_language.py"


rule plot_packet_loss:
    output:
        multiext("results/paper/figures/packet_loss", ".svg", ".pdf", ".png", ".csv"),
    log:
        "results/paper/logs/figures/packet_loss.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_packet_loss.py"),
    script:
        "../scripts/plot_packet_loss.py"


rule plot_retransmission:
    output:
        multiext("results/paper/figures/retransmission", ".svg", ".pdf", ".png", ".csv"),
    log:
        "results/paper/logs/figures/retransmission.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_retransmission.py"),
    script:
        "../scripts/plot_retransmission.py"
