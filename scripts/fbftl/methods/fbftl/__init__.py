"""FbFTL (Algorithm 1): clients upload features and labels once; the server trains the head.

Settings of one shape can train together, their heads stacked like those of the seeds: one process
starts where several would, and a GPU that one head leaves idle has work. With each head of images
its accuracy is compared with that of ridge regression on the same features.
"""

LEARNER = {
    "images": "fbftl.training.stacked.train_beside_ridge",
    "dialogues": "fbftl.training.summariser.train_on_received",
}
"""What trains on each kind of task."""
