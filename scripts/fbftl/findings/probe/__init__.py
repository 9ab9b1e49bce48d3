"""A digest for every kind of arithmetic that the study rests on, to compare processors by.

Two machines that print equal lines compute these operations to equal bytes. Each operation is one
that the study calls, at a small size, on inputs that are exact on any machine (`inputs`).
`operations` lists them all; a module holds those of one kind.
"""
