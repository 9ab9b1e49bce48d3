"""FedMD (paper survey, Fig. 16): clients with networks of their own agree on scores of open data.

Each client learns open data, then its own, with as many steps. In every round it sends its scores
of the open samples; the server sends back their mean, the consensus, which clients digest (mean
squared error, the loss is not printed) before they revisit their own samples. The message is as
large as the open data are long and classes are many, whatever the networks; the paper prints O(1).
"""
