"""The feature store: a cache of uploads that can be trusted with days of extraction.

`fbftl.features.extract` fills a `target.Target`; `opening.open_store` reads; `verify.verify`
proves and `repair.repair` mends. Each is imported from its own module, so that a change in reading
is no change in what extracts. The format is described in docs/formats.md.
"""
