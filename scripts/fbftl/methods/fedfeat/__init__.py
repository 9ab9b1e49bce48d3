"""FedFeat+ (paper fedfeat): FedAvg, and a classifier that the server retrains on features.

Clients send noised features and labels of their last local epoch with their weights; the server
averages the weights and trains the classifier on all features that arrive, every round.
"""
