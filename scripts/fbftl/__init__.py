"""Feature-based federated transfer learning: the library behind the workflow's scripts.

Modules import downwards only (docs/architecture.md) and know nothing of Snakemake. This file
stays empty of imports so that an analytic job never pays for torch.
"""
