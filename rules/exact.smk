"""Arithmetic: whether the jobs of this study pin it, see fbftl.ground.exact."""


def pinned_here():
    """Return whether jobs pin their arithmetic, and see to it that they find it pinned.

    Jobs get this process's environment, here, in conda's environments and on nodes of a cluster.
    """
    try:
        pinned = is_pinned(
            STUDY.config["exact"], STUDY.config["device"], this_machine(), COMPUTED
        )
        pin(os.environ, pinned)
    except UserError as error:
        sys.exit(str(error))
    return pinned


def name_arithmetic():
    """Make pinned or not a param of every rule that names its code, so that it decides its jobs."""
    for maker in workflow.rules:
        if "code" in maker.params.keys():
            maker.set_params(exact=EXACT)


COMPUTED = computed_otherwise({task: STUDY.task(task) for task in AT_HAND})
"""What of this study computes otherwise than in plain float32, None if nothing does."""

EXACT = pinned_here()
"""Whether jobs pin their arithmetic."""
