"""Papers: which claims hold here, and where the published record disagrees with itself."""


rule tabulate_claims:
    input:
        unpack(experiments_of),
    output:
        **table("results/{task}/tables/claims", "audit", "Claims"),
    log:
        "results/{task}/logs/tables/claims.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_claims.py"),
    script:
        "../scripts/tabulate_claims.py"


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
        **table("results/papers/audit", "audit", "Audit"),
    log:
        "results/papers/logs/audit.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_audit.py"),
    script:
        "../scripts/tabulate_audit.py"
