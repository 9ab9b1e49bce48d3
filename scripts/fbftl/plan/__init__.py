"""What a call makes: recipes of artefacts, batches of missing runs, tables, figures and attacks."""
