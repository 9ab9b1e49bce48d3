"""CCVR (Luo et al. 2021, arXiv:2106.05001): FedAvg, then a classifier calibrated by statistics.

After the last round clients send class statistics of their features once, and the server retrains
the classifier on virtual features drawn from them: one further message where FedFeat+ has one a
round. The last point of its curve is after the calibration.

Under `aggregation: masked` the statistics alone go through a secure sum. The weights
of every round are open: the server sees each client's.
"""
