"""Kinds of plots, each a function of a tidy frame and a specification, drawn by seaborn."""
