"""FedAvg (McMahan et al. 2017): all layers from random initial values, by clients' local epochs.

A survey's simulation of it (paper survey, Sec. 3.1) has clients draw their samples anew in every
round, and begins as if each had a network of its own.
"""
