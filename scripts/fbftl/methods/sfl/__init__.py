"""SFL (Sec. II-C): split federated learning from random initial values.

The clients hold the network up to the cut layer and send smashed data; the main server holds the
rest; the fed server averages the clients' parts. With one local step it equals FL numerically.
"""
