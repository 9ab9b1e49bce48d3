"""Papers: which claims hold here, where the published record disagrees with itself, a front page."""


rule tabulate_claims:
    input:
        unpack(experiments_of_paper),
    output:
        **table("results/papers/{paper}/tables/claims", "audit", "Claims"),
    log:
        "results/papers/{paper}/logs/tables/claims.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_claims,
    script:
        "../scripts/tabulate_claims.py"


rule tabulate_audit:
    input:
        unpack(dialogues_at_hand),
        fbftl=published("fbftl"),
        fedfeat=published("fedfeat"),
        eppfl=published("eppfl"),
        thesis=published("thesis"),
        survey=published("survey"),
        rivals=published("rivals"),
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


rule make_index:
    input:
        all_shown,
        papers=of_project("published/papers.csv"),
        audit="results/papers/audit.csv",
    output:
        page="results/index.html",
    log:
        "results/logs/index.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("make_index.py"),
        results=results_shown,
    script:
        "../scripts/make_index.py"
