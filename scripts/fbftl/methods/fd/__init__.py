"""Federated distillation (paper survey, Fig. 17), and augmentation before it.

Clients train on their own samples; each sends the mean logits of its samples by label, with how
many there are, and gets those of the other clients for a teacher: beside the cross-entropy its loss
then has that of its logits to the teacher's softmax for the sample's label.

Under augmentation clients first send some raw samples, of which the server makes a generator;
with its samples every client fills up its labels to equal numbers.
"""
