"""What a client may upload in one message: a file for each, found by its name.

A file says by `GIVES` which heads can be solved from it (`study/uploads.py`), by `REVEALS` what
the server sees of a client, and by `message(terms)` how clients make theirs. One's own is a file
more.
"""
