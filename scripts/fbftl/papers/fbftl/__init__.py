"""What the formulas of paper 000 give for the networks and clients it reports on."""
