"""The language task: dialogues in, summaries out, a T5 cut between two encoder blocks.

`dialogues` and `jsonl` give the data, `tokenizer`, `model`, `checkpoint` and `pretrain` the source
model, `features` what clients upload, `train` and `evaluate` what the server does with it.
"""
