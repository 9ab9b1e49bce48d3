"""Audit: where the published record disagrees with itself, and which of its claims hold here."""


rule tabulate_audit:
    input:
        unpack(dialogues_at_hand),
        setup="published/setup.csv",
        script="published/script.csv",
        table3="published/table3.csv",
        table4="published/table4.csv",
        table5="published/table5.csv",
        fig8="published/fig8.csv",
        fig9="published/fig9.csv",
        fig11="published/fig11_label_privacy.csv",
        fig12="published/fig12.csv",
        notebook_noise="published/notebook_noise.csv",
        paper004="published/paper004_cnn.csv",
    output:
        csv="results/paper/tables/audit.csv",
        md="results/paper/tables/audit.md",
        tex="results/paper/tables/audit.tex",
        html=reported("results/paper/tables/audit.html", "audit", "Audit", "audit"),
    log:
        "results/paper/logs/tables/audit.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_audit.py"),
    script:
        "../scripts/tabulate_audit.py"


rule tabulate_effects:
    input:
        runs="results/{task}/experiments/audit.csv",
    output:
        csv="results/{task}/tables/effects.csv",
        md="results/{task}/tables/effects.md",
        tex="results/{task}/tables/effects.tex",
        html=reported(
            "results/{task}/tables/effects.html",
            "audit",
            "Habits of the script",
            "effects",
        ),
    log:
        "results/{task}/logs/tables/effects.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_effects.py"),
    script:
        "../scripts/tabulate_effects.py"


rule tabulate_claims:
    input:
        unpack(experiments_of),
    output:
        csv="results/{task}/tables/claims.csv",
        md="results/{task}/tables/claims.md",
        tex="results/{task}/tables/claims.tex",
        html=reported("results/{task}/tables/claims.html", "audit", "Claims", "claims"),
    log:
        "results/{task}/logs/tables/claims.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_claims.py"),
    script:
        "../scripts/tabulate_claims.py"


rule write_numbers:
    input:
        unpack(experiments_of),
    output:
        json="results/{task}/numbers.json",
        tex="results/{task}/numbers.tex",
    log:
        "results/{task}/logs/numbers.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("write_numbers.py"),
    script:
        "../scripts/write_numbers.py"
