"""The kinds of task: what clients hold, what a learner is, what a score is."""
