"""One-shot rivals of FbFTL: FedNCM, FedCOF, Fed3R, AFL, FedCGS, GH-LDA and FedPFT."""
