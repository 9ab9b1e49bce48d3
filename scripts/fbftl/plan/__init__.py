"""What a call makes: recipes of artefacts, and batches of the runs that are missing."""
