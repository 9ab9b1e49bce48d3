"""FedVote (paper survey, Fig. 13): FedAvg, with one vote for a source model to go on from.

Another method has the same name, which votes on binary weights.
"""
