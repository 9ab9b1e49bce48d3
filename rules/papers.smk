"""Papers: which sentences hold here, where the published record disagrees with itself, a front page."""

OF_PAPERS = "results/papers/{paper}"
"""Folder of a paper's results."""


rule tabulate_sentences:
    input:
        unpack(of_call(read_by_claims)),
        texts=of_project("published/claims.csv"),
        registry=of_project("published/{paper}/sentences.csv"),
        printed=printed_by_paper,
        audit="results/papers/audit.csv",
    output:
        **written("tables/sentences", OF_PAPERS),
    log:
        "results/papers/{paper}/logs/tables/sentences.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_sentences,
        page_text=page("tables/sentences", OF_PAPERS),
    message:
        "Tabulate sentences of paper {wildcards.paper}: Sentences"
    script:
        "../scripts/tables/tabulate_sentences.py"


rule tabulate_parts:
    input:
        unpack(of_call(read_by_claims)),
        texts=of_project("published/claims.csv"),
        registry=of_project("published/{paper}/sentences.csv"),
    output:
        **written("tables/parts", OF_PAPERS),
    log:
        "results/papers/{paper}/logs/tables/parts.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_parts,
        page_text=page("tables/parts", OF_PAPERS),
    message:
        "Tabulate parts of paper {wildcards.paper}: Parts of sentences"
    script:
        "../scripts/tables/tabulate_parts.py"


rule tabulate_hypotheses:
    input:
        unpack(of_call(read_by_claims)),
        texts=of_project("published/claims.csv"),
    output:
        **written("tables/hypotheses", OF_PAPERS),
    log:
        "results/papers/{paper}/logs/tables/hypotheses.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code_of_hypotheses,
        page_text=page("tables/hypotheses", OF_PAPERS),
    message:
        "Tabulate hypotheses of paper {wildcards.paper}: Hypotheses"
    script:
        "../scripts/tables/tabulate_hypotheses.py"


rule tabulate_audit:
    input:
        unpack(of_call(dialogues_at_hand)),
        fbftl=printed_by("fbftl"),
        fedfeat=printed_by("fedfeat"),
        eppfl=printed_by("eppfl"),
        thesis=printed_by("thesis"),
        survey=printed_by("survey"),
        rivals=printed_by("rivals"),
        texts=of_project("published/audit.csv"),
    output:
        **written("audit", "results/papers"),
    log:
        "results/papers/logs/audit.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tables/tabulate_audit.py"),
        page_text=page("audit", "results/papers"),
    message:
        "Tabulate audit of all papers: Audit"
    script:
        "../scripts/tables/tabulate_audit.py"


rule make_index:
    input:
        of_call(front_page.files),
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
        results=of_call(front_page.by_paper),
        page_texts=of_call(front_page.texts),
        data_sets=CALL.data_sets(),
        arithmetic=sentence(EXACT, STUDY.config["device"], this_machine(), COMPUTED),
    message:
        "Write the front page of all papers"
    script:
        "../scripts/stages/make_index.py"
