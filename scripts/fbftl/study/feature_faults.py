"""What a task may say of its features: further cuts that differ, and a place that several write."""

from collections.abc import Mapping
from typing import Any

from fbftl.ground.errors import UserError

STORES = ("s3", "gs", "az")
"""Object stores that are written to: schemes of URLs."""


def require_features(task: str, features: Mapping[str, Any]) -> None:
    """Refuse the own cut among the further ones, which would be twice, and stores that cannot be.

    A store is written and read by several machines: http is read only, memory is nobody else's.
    """
    where, store = f"config: tasks.{task}.features", features.get("store")
    if features["cut"] in features["further_cuts"]:
        raise UserError(
            f"{where}.further_cuts names the task's own cut '{features['cut']}', which is "
            "extracted anyway; leave it out"
        )
    scheme, _, address = (store or "").partition("://")
    if "@" in address.partition("/")[0]:
        raise UserError(
            f"{where}.store holds credentials before its bucket, which would reach "
            "manifests; leave them out and give them in the environment"
        )
    if store is not None and (scheme not in STORES or not address.strip("/")):
        raise UserError(
            f"{where}.store is '{store}'; give {'://, '.join(STORES)}:// with bucket and name, as "
            "in s3://bucket/name.zarr, or null"
        )
