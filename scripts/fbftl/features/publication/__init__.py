"""Published features: a store with a manifest that others can check, and open without images.

`write.publish` makes one, `conform.require_right` looks at every byte of somebody's. The layout is
that of docs/feature-store-format.md.
"""
