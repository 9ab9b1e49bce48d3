"""FADE (thesis ch. 3): federated adversarial debiasing, the users' groups known to themselves.

Users train an encoder and a task head, and a discriminator that reads their group from what the
encoder gives; the encoder unlearns what it reads. `adversary: none` is FedAvg by local steps, on
the same users, for comparison. With unlabelled users it is unsupervised domain adaptation.
"""
