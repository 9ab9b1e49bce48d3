"""The feature store: a cache of uploads that can be trusted with days of extraction.

Write with `fbftl.extract.extract`, which fills a `Target`; read with `open_store`; prove with
`verify` and mend with `repair`. The format is described in docs/feature-store.md.
"""

from fbftl.store.features import Features
from fbftl.store.opening import open_store
from fbftl.store.provenance import Provenance
from fbftl.store.publish import StoreWriter, store_writer
from fbftl.store.ragged import Ragged
from fbftl.store.reader import FeatureStore
from fbftl.store.repair import RowsAgain, repair
from fbftl.store.target import Target, targets_of
from fbftl.store.verify import Damage, require_sound, verify

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
