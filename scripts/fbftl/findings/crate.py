"""A finished study as a Workflow Run Crate 0.5: the workflow, what went in and what came out.

The crate's root is the project's folder, in which the study ran or has a folder of its own. Every
file in it has its size and SHA-256; one action leads from the configuration to the results.
"""

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from fbftl.ground.files import sha256

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
"""What the crate conforms to; each address ends with its version."""

TERMS = "https://w3id.org/ro/terms/workflow-run/context"
"""Context that knows `sha256`."""

SNAKEMAKE = {"name": "Snakemake", "url": "https://snakemake.github.io"}
LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"


def crate_of(
    workflow: str, inputs: Collection[str], results: Path, description: str, engine: str
) -> dict[str, Any]:
    """Return the metadata of a crate whose root is the working folder.

    Args:
        workflow: path of the file that describes the workflow.
        inputs: files that the study rests on; those outside of the root are told by name and
            SHA-256 alone.
        results: folder of the results.
        description: of the study.
        engine: version of Snakemake.
    """
    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(TERMS)

    def entity(address: str, kind: str, **properties: Any) -> Entity:
        return crate.add(ContextEntity(crate, address, {"@type": kind, **properties}))

    def file(path: str, *kinds: str) -> Entity:
        size = str(Path(path).stat().st_size)
        properties = {"name": path, "contentSize": size, "sha256": sha256(path)}
        types = {"@type": ["File", *kinds]} if kinds else {}
        return crate.add_file(path, path, properties=properties | types)

    def hidden(path: Path) -> bool:
        return any(name[0] == "." for name in path.relative_to(results).parts)

    def read(path: str) -> Entity:
        if Path(path).is_absolute() or ".." in Path(path).parts:
            return entity(f"#{path}", "PropertyValue", name=path, value=f"sha256:{sha256(path)}")
        return file(path)

    below = sorted(path for path in results.rglob("*") if path.is_file() and not hidden(path))
    made = [path.stat().st_mtime for path in below if str(path) not in inputs]
    started, ended = (
        datetime.fromtimestamp(int(moment), UTC).isoformat() for moment in (min(made), max(made))
    )
    crate.name = "Study of feature-based federated transfer learning"
    crate.description = description
    crate.root_dataset["license"] = "https://spdx.org/licenses/MIT"
    crate.root_dataset["datePublished"] = ended
    crate.root_dataset["conformsTo"] = [
        entity(address, "CreativeWork", name=name, version=address.rsplit("/", 1)[1])
        for address, name in PROFILES.items()
    ]
    crate.mainEntity = file(workflow, "SoftwareSourceCode", "ComputationalWorkflow")
    crate.mainEntity["programmingLanguage"] = entity(
        LANGUAGE, "ComputerLanguage", **SNAKEMAKE, version=engine
    )
    run = entity("#run", "CreateAction", name=crate.name, startTime=started, endTime=ended)
    run["actionStatus"] = "http://schema.org/CompletedActionStatus"
    run["instrument"] = crate.mainEntity
    run["object"] = [read(path) for path in inputs]
    run["result"] = [file(path.as_posix()) for path in below]
    crate.root_dataset["mentions"] = [run]
    return crate.metadata.generate()
