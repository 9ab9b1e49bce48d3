"""The feature store: a cache of uploads that can be trusted with days of extraction.

`fbftl.features.extract` fills a `provenance.Target`; `reader.open_store` reads; `manifest.damage`
finds what is not as it was. Each is imported from its own module, so that a change in reading is no
change in what extracts. The format is described in docs/formats.md.
"""
