"""FbFTL as the authors' public script does it (audit rows A2 and A4), to measure what that changes.

The frozen extractor runs anew over every batch of every epoch, in train mode, so that its dropout
changes a sample's features each time; cut after a dropout layer to see it. A lost packet is a lost
batch position: another mini-batch stands there in the next epoch. What is this project's own is
the head, the seeds and the validation split, shared with `fbftl` so that the two compare.
"""
