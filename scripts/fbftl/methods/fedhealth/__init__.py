"""FedHealth (paper survey, Fig. 15): a cloud's network, federated, then adapted at every client.

The server trains a network on open data; clients go on with it as in FedAvg, whose average stands
for the printed "aligning with user model". In the end every client freezes the network up to its
cut and adapts the layers behind it, on its own samples and to the covariance that its last layer's
inputs had at the server, which is sent once.
"""
