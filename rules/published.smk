"""What stands in published/, as inputs: printed numbers, and the registries of sentences."""


def published(paper):
    """Return the files of a paper's printed numbers; its sentences are none."""
    files = sorted(Path(BASE, "published", paper).glob("*.csv"))
    return [
        of_project(path.relative_to(BASE)) for path in files if path.stem != "sentences"
    ]


def published_of_paper(wildcards):
    """Return these files of the paper of a job."""
    return published(wildcards.paper)


def registry_of_paper(wildcards):
    """Return the registry of the sentences of the paper of a job."""
    return of_project(f"published/{wildcards.paper}/sentences.csv")


def dialogues_at_hand(wildcards):
    """Return SAMSum's training dialogues, for their true lengths, if the data folder has them."""
    dialogues = Path(STUDY.config["data_folder"] or "", "samsum", "train.jsonl")
    at_hand = STUDY.config["data_folder"] and dialogues.exists()
    return {"dialogues": str(dialogues)} if at_hand else {}
