"""What a call makes: files, what they are made from, tables and figures, the front page."""
