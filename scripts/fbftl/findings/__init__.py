"""Run files, tidy tables, tables and figures, comparison with what was published."""
