"""FedAvg on a head (McMahan et al. 2017): local epochs on the cached features, weights averaged.

The extractor is frozen and sent once, as under FTL_c, which is FedSGD on the same head. A head may
start from one that class means solve, and be tuned from there (Legate et al. 2023).
"""
