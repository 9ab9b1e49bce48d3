"""The one exception meant for a user's eyes."""


class UserError(Exception):
    """One sentence for the user: what is wrong, where, and what to do about it.

    Scripts print only this sentence to the console; the traceback goes to the job's log.
    """
