"""FTL_c (Sec. II-B): the head alone, trained by client gradients on the cached features.

The extractor is frozen, so every round's features are those of the store; it never runs here.
The clients are sent it once, which Eq. (12) leaves out of the downlink, as `downlink_bits` does.
"""

LEARNER = {
    "images": "fbftl.training.network.head_network",
    "dialogues": "fbftl.training.summariser.summariser",
}
"""What trains on each kind of task."""
