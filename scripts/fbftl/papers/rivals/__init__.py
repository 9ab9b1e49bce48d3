"""One-shot rivals of FbFTL: FedNCM, FedCOF, Fed3R, AFL, FedCGS, GH-OFL and FedPFT."""
