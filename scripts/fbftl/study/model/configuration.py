"""The configuration: all keys of config.yaml and of the studies laid over it."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from fbftl.study import methods
from fbftl.study.model.block import (
    ABSENT,
    ConfigBlock,
    DistinctSome,
    Name,
    Natural,
    Number,
    Positive,
    Seeds,
    Some,
    TaskName,
)
from fbftl.study.model.tasks import MethodName, Task
from fbftl.study.settings import AXES

Mechanism = Literal[*methods.mechanisms()]  # type: ignore[valid-type] # records name them
Labels = Annotated[int, Field(ge=2, le=100_000)]
Counts = DistinctSome[Annotated[int, Field(ge=1, le=100_000_000)]]
Energy = Annotated[Number, Field(gt=0)]


class StudyNames(ConfigBlock):
    """What this study makes: every experiment on every task.

    tasks: names in the block `tasks`; each has a folder of its own in results/.
    experiments: names in the block `experiments`, or of the project's experiments.
    """

    tasks: DistinctSome[str]
    experiments: DistinctSome[str]


class Radio(ConfigBlock):
    """Data rate and energies of an uplink, for the table of uploads.

    data_rate: bits per second.
    joules_per_bit: energy of sending a bit, in joules.
    joules_per_multiplication: energy of a multiplication at a client, in joules.
    """

    data_rate: Energy = 5.64e6
    joules_per_bit: Energy = 4.38e-7
    joules_per_multiplication: Energy = 3.7e-12


class LabelPrivacy(ConfigBlock):
    """What shuffled batches of labels tell, by formula and by sampling (Fig. 11).

    classes: number of classes N, equally frequent.
    total_samples: of all clients together.
    samples_per_client: K for which the uncertainty is computed.
    lemma_samples_per_client: K at which Lemma 2 is shown.
    lemma_clients: U at which Lemma 2 is shown.
    repetitions: draws of all clients.
    seed: random seed of the draws.
    """

    classes: Labels = 10
    total_samples: Counts = [5000, 50_000, 100_000]
    samples_per_client: Counts = list(range(1, 17))
    lemma_samples_per_client: Counts = [4, 8]
    lemma_clients: Counts = [100, 300, 1000, 3000, 10_000, 30_000, 100_000]
    repetitions: Annotated[int, Field(ge=1, le=1000)] = 5
    seed: Natural = 0


class GridOfTasks(ConfigBlock):
    """Lists of axis values by axis, whose products are settings.

    tasks: of the experiment's tasks those that the grid is for; without it all of them.
    """

    tasks: Some[str] = ABSENT

    def faults(self) -> Iterator[str]:
        """Yield that it says nothing."""
        if not self.model_fields_set:
            yield "is empty; give at least one axis"


NAMED = {"method": MethodName, "mechanism": Mechanism}
"""Types of the axes whose values the methods' records name."""

_LISTS: dict[str, Any] = {
    name: (
        DistinctSome[NAMED.get(name, axis.annotation)],  # type: ignore[misc] # known when read
        Field(ABSENT, description=axis.doc),
    )
    for name, axis in AXES.items()
}

Grid: Any = create_model("Grid", __base__=GridOfTasks, __doc__=GridOfTasks.__doc__, **_LISTS)


class Experiment(ConfigBlock):
    """The products of grids of axis values, each a setting.

    tasks: that this experiment is for; null takes all of the study's.
    kind: of task that this experiment is for; others are left out.
    axes: values in place of those that any of the grids lists, as for samples per client or
        projections of your own.
    grids: each maps axes to lists of values; the products of the lists are its settings.
    """

    tasks: list[str] | None = None
    kind: Literal["images", "dialogues"] = "images"
    axes: Grid = ABSENT
    grids: Some[Grid]


class Configuration(ConfigBlock):
    """Every key of config.yaml and of the studies laid over it.

    Defaults are filled in before anything runs; a key that is not listed is an error.

    data_folder: folder that the data files of tasks are relative to.
    memory: gigabytes of RAM that one array of a training job may take; features and images that
        take more lie in a file of scratch_folder, and are read as they are needed. Null sets no
        bound.
    scratch_folder: folder for memories of error feedback that are too large for RAM; null refuses
        them.
    device: where torch computes; auto takes a GPU when there is one.
    exact: whether jobs pin their arithmetic, so that results are the same bytes on every x86-64
        processor with AVX2 and FMA; auto pins it where that can be done, true refuses where equal
        bytes cannot be promised.
    seeds: repetitions of every setting, a run each; a list, or a range such as 0-9.
    study: which tasks and experiments this call makes; papers and size full take others instead.
    paper: the paper that this study belongs to; read by `./run papers` alone.
    papers: whose studies this call makes instead of the block `study`: one, a list, or `all`; null
        takes that block.
    size: of the study that this call makes: the block `study` or the papers', or the full study of
        a system.
    system: the system, or one file of its full study, that this call makes.
    store: folder of clients, features, runs and findings, which studies and people may share; null
        is results/store. The environment's FBFTL_STORE goes before it.
    batch_minutes: about how long a job of a cluster trains; runs are dealt to jobs by it.
    container: image of envs/Dockerfile that jobs run in under `--sdm apptainer`: a file, or an
        address such as `docker://registry/fbftl:1`.
    radio: data rate and energies of an uplink.
    label_privacy: what is computed of the privacy of labels, for the paper's Fig. 11.
    tasks: data, clients, network and training, by a name of your choice.
    experiments: grids of settings, by a name of your choice.
    """

    data_folder: str | None = None
    memory: Positive | None = None
    scratch_folder: str | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    exact: Literal["auto"] | bool = "auto"
    seeds: Seeds = [0, 1, 2]
    study: StudyNames
    paper: str | None = None
    papers: str | DistinctSome[str] | None = None
    size: Literal["quick", "full"] = "quick"
    system: str | None = None
    store: str | None = None
    batch_minutes: Annotated[Number, Field(gt=0, le=10_000)] = 30
    container: str | None = None
    radio: Radio = Radio()
    label_privacy: LabelPrivacy = LabelPrivacy()
    tasks: Annotated[dict[TaskName, Task], Field(min_length=1)]
    experiments: Annotated[dict[Name, Experiment], Field(min_length=1)]
