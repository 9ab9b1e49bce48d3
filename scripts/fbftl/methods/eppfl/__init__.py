"""EPPFL (paper eppfl): split training with selected, noisy activations, and masked averages."""
