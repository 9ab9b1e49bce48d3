"""FTL_f (Sec. II-B): all layers, from the source model, trained by client gradients."""

LEARNER = {
    "images": "fbftl.training.network.transferred_network",
    "dialogues": "fbftl.training.summariser.summariser",
}
"""What trains on each kind of task."""
