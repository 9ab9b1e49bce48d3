"""The feature store: a cache of uploads that can be trusted with days of extraction.

Write with `fbftl.features.extract.extract`, which fills a `Target`; read with `open_store`;
prove with `verify` and mend with `repair`. The format is described in docs/feature-store.md.
"""

from fbftl.features.store.features import Features
from fbftl.features.store.opening import open_store
from fbftl.features.store.provenance import Provenance
from fbftl.features.store.publish import StoreWriter, store_writer
from fbftl.features.store.ragged import Ragged
from fbftl.features.store.reader import FeatureStore
from fbftl.features.store.repair import RowsAgain, repair
from fbftl.features.store.target import Target, targets_of
from fbftl.features.store.verify import Damage, require_sound, verify

__all__ = [
    "Damage",
    "FeatureStore",
    "Features",
    "Provenance",
    "Ragged",
    "RowsAgain",
    "StoreWriter",
    "Target",
    "open_store",
    "repair",
    "require_sound",
    "store_writer",
    "targets_of",
    "verify",
]
