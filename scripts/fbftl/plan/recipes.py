"""Recipes: all that decides an artefact and is known before any job; its key is their digest.

| artefact | decided by |
|---|---|
| clients | data and clients blocks, the user's files, code |
| source | source block, what it is trained on, the user's files, code |
| features | clients, source, features block at one cut, code |
| network | clients, source, what enters and leaves it, the head's widths, code |
| public, open data, source models | clients or open data, their blocks, the user's files, code |
| run | one setting and one seed: its job, the keys of what it reads, its method's code |

No recipe has a task's name, nor code that only writes or draws. What all of them share, versions
and kind of arithmetic, is in each. Those of runs are here, all others in `products.py`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fbftl.ground.artefacts import Recipe, canonical, key_of

LAYOUT = 1
"""Of the documents and arrays that jobs write; another one makes other keys."""


@dataclass(frozen=True)
class Facts:
    """What decides artefacts besides the configuration.

    code: digest of a script below `scripts/` with the modules that it imports, those that it
        imports by name given behind it.
    content: SHA-256 of a file of the user's, or of a folder's list of files.
    arithmetic: versions of the packages that compute, device, whether arithmetic is pinned, and
        the processor where it is not.
    """

    code: Callable[..., str]
    content: Callable[[str], str]
    arithmetic: Mapping[str, Any]

    def recipe(self, kind: str, code: str, **decides: Any) -> Recipe:
        """Return a recipe with what all of them share."""
        shared = {"layout": LAYOUT, "arithmetic": dict(self.arithmetic)}
        return {"kind": kind, "code": code} | shared | decides


@dataclass(frozen=True)
class SettingRecipe:
    """What decides the runs of a setting, whatever their seeds.

    decides: its job without task and seeds, the keys of what is read, by name, and the code
        that `methods/by_name.py`, the method and the kind of task reach.
    """

    decides: Recipe

    @property
    def job(self) -> Mapping[str, Any]:
        """As `Study.job_of` gives it, without task and seeds."""
        return self.decides["job"]

    def run(self, seed: int) -> Recipe:
        """Return the recipe of the run of a seed."""
        return {"seed": seed, "setting": self.decides}

    def keys(self, seeds: Iterable[int]) -> list[str]:
        """Return the keys of the runs of some seeds, the shared part spelled once."""
        decides = canonical(self.decides)
        return [key_of(f'{{"seed":{seed},"setting":{decides}}}') for seed in seeds]
