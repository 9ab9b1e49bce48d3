"""Tasks whose data are published features: what opening them needs, and what is refused."""


def attacks_samples(experiment):
    """Tell whether a result of an experiment shows attacks, which need images."""
    inputs = [result.inputs for result in entries(OF_EXPERIMENT.get(experiment, []))]
    return any("/attacks/" in str(files) for files in inputs)


def require_no_attacks():
    """Refuse experiments with attacks on tasks that have features alone."""
    for task in ELSEWHERE:
        for experiment in filter(attacks_samples, STUDY.experiments(task)):
            sys.exit(
                f"config: the experiment '{experiment}' attacks images of {task}, whose data are "
                "published features; leave it out, the card of the features says what they tell"
            )


def place_of_features(wildcards):
    """Return where the published features of a task lie."""
    return place_of(
        STUDY.task(wildcards.task)["data"]["store"], STUDY.config["data_folder"]
    )


def digest_of_features(wildcards):
    """Return the digest that they must have."""
    return STUDY.task(wildcards.task)["data"]["digest"]


require_no_attacks()
