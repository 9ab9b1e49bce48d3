"""Papers: which sentences hold here, where the published record disagrees with itself, a front page."""


rule tabulate_sentences:
    input:
        unpack(experiments_of_paper),
        texts=of_project("published/claims.csv"),
        registry=registry_of_paper,
        printed=published_of_paper,
        audit="results/papers/audit.csv",
    output:
        **table("results/papers/{paper}/tables/sentences", "audit", "Sentences"),
    log:
        "results/papers/{paper}/logs/tables/sentences.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_sentences,
        page_text=page_of("results/papers/{paper}/tables/sentences", "Sentences"),
    message:
        "Tabulate sentences of paper {wildcards.paper}: Sentences"
    script:
        "../scripts/tables/tabulate_sentences.py"


rule tabulate_parts:
    input:
        unpack(experiments_of_paper),
        texts=of_project("published/claims.csv"),
        registry=registry_of_paper,
    output:
        **table("results/papers/{paper}/tables/parts", "audit", "Parts of sentences"),
    log:
        "results/papers/{paper}/logs/tables/parts.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_parts,
        page_text=page_of("results/papers/{paper}/tables/parts", "Parts of sentences"),
    message:
        "Tabulate parts of paper {wildcards.paper}: Parts of sentences"
    script:
        "../scripts/tables/tabulate_parts.py"


rule tabulate_hypotheses:
    input:
        unpack(experiments_of_paper),
        texts=of_project("published/claims.csv"),
    output:
        **table("results/papers/{paper}/tables/hypotheses", "audit", "Hypotheses"),
    log:
        "results/papers/{paper}/logs/tables/hypotheses.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_hypotheses,
        page_text=page_of("results/papers/{paper}/tables/hypotheses", "Hypotheses"),
    message:
        "Tabulate hypotheses of paper {wildcards.paper}: Hypotheses"
    script:
        "../scripts/tables/tabulate_hypotheses.py"


rule tabulate_audit:
    input:
        unpack(dialogues_at_hand),
        fbftl=published("fbftl"),
        fedfeat=published("fedfeat"),
        eppfl=published("eppfl"),
        thesis=published("thesis"),
        survey=published("survey"),
        rivals=published("rivals"),
        texts=of_project("published/audit.csv"),
    output:
        **table("results/papers/audit", "audit", "Audit"),
    log:
        "results/papers/logs/audit.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tables/tabulate_audit.py"),
        page_text=page_of("results/papers/audit", "Audit"),
    message:
        "Tabulate audit of all papers: Audit"
    script:
        "../scripts/tables/tabulate_audit.py"


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
        code=code("stages/make_index.py"),
        results=results_shown,
        page_texts=texts_shown,
        data_sets=data_sets_shown(),
        arithmetic=sentence(EXACT, STUDY.config["device"], this_machine(), COMPUTED),
    message:
        "Write the front page of all papers"
    script:
        "../scripts/stages/make_index.py"
