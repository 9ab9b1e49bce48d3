"""What the formulas of paper fbftl give for the networks and clients it reports on."""
