"""The typed model of a configuration: every key with its type, default, bounds and meaning."""
