"""What the library plans, as rules ask for it: functions of wildcards, files as Snakemake takes them."""

from fbftl.plan import (
    attacked,
    blocks,
    choice,
    front_page,
    pages,
    paths,
    runs,
    stores,
    targets,
    trained,
)
from fbftl.plan.call import Call, read_by_claims, read_by_numbers
from fbftl.plan.entries import CHAPTERS, FORMATS, REPORTED
from fbftl.plan.results import OF_PAPER, OF_TASKS, WRITTEN_OUT, made_in_a_loop
from fbftl.plan.results.fbftl.numbers import dialogues_at_hand
from fbftl.plan.results.swept import SOURCES, SWEEP
from fbftl.plan.vocabulary import axes_of, methods_of, setup, value_of

CALL = Call(STUDY, project_study(), SYSTEMS, OF_SIZE, BASE)
"""What this call makes, and what lies finished here."""


def planned(function, *further, **given):
    """Return a function of wildcards that asks one of the plan's.

    Args:
        function: of the study, a task, further wildcards and what is given.
        further: names of wildcards other than the task.
        given: its other arguments.
    """

    def answer(wildcards):
        of_job = {name: getattr(wildcards, name) for name in further}
        return function(STUDY, wildcards.task, **of_job, **given)

    return answer


def of_experiment(function):
    """Return the same of a function that the experiment of a job decides too."""
    return planned(function, "experiment")


def read(function, *further, **given):
    """Return the same of a function that returns input files by name."""
    planned_files = planned(function, *further, **given)

    def answer(wildcards):
        return as_inputs(planned_files(wildcards))

    return answer


def of_call(function):
    """Return a function of wildcards that asks one of the call, and of its task or paper."""

    def answer(wildcards):
        return function(CALL, **dict(wildcards.items()))

    return answer


def as_inputs(files):
    """Return input files by name; times of large ones decide nothing."""
    return {name: as_input(path) for name, path in files.items()}


def as_input(path):
    """Return an input file, or several: the project's own lie here, wherever results are."""
    if not isinstance(path, str):
        return [as_input(each) for each in path]
    if path.startswith("published/"):
        return of_project(path)
    return ancient(path) if paths.is_large(path) else path


def block(*keys):
    """Return the param that a task's block of the configuration has under these keys."""
    return planned(value_of, keys=keys)


def jobs(chosen, **given):
    """Return the param `jobs` of the settings that a function of the plan chooses."""
    return planned(runs.jobs, chosen=partial(chosen, **given))


def printed_by(paper):
    """Return the files of a paper's printed numbers."""
    return as_input(paths.published(BASE, paper))


def printed_by_paper(wildcards):
    """Return these files of the paper of a job."""
    return printed_by(wildcards.paper)


def memory_of_made_rules(wildcards, attempt):
    """Return the megabytes of rules made in a loop, whose names no profile can know."""
    return 8000 * attempt


def jobs_of(wildcards, output):
    """Return the one param of a training job, a list as for several settings together.

    Snakemake compares no param that follows from the output. What a run was made from its record
    tells (comparing.smk), whichever settings it shared its process with.
    """
    return jobs_made(wildcards, output, wildcards.task)


def jobs_made(wildcards, output, task):
    """Return the job of each run file that a training job makes."""
    made = [output.run] if isinstance(output.run, str) else output.run
    return [STUDY.job(task, Path(run).name.removesuffix(".json")) for run in made]


def either_with_experiment():
    """Return the pattern of a task before an experiment that this call makes on it.

    A tidy table that another call made is read as it is.
    """
    pairs = [
        f"{re.escape(task)}(?=/experiments/(?:{either(experiments)})\\.)"
        for task, experiments in STUDY.settings.items()
    ]
    return "|".join(pairs) or "(?!)"
