"""Arithmetic: how extractors compute, and whether jobs pin it; see fbftl.ground.exact."""


def require_computable_here():
    """Refuse extractors that cannot compute as their tasks say, where jobs run on this machine."""
    machine, device = this_machine(), STUDY.config["device"]
    if device == "auto":
        device = "cuda" if machine.gpu else "cpu"
    for task in STUDY.tasks:
        kind = STUDY.task(task)["features"]["compute"]
        where = f"config: tasks.{task}.features.compute"
        try:
            require_computable(kind, where, device, machine)
        except UserError as error:
            sys.exit(str(error))


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


COMPUTED = computed_otherwise({task: STUDY.task(task) for task in STUDY.tasks})
"""What of this study computes otherwise than in plain float32, None if nothing does."""

EXACT = pinned_here()
"""Whether jobs pin their arithmetic."""

if (
    workflow.is_main_process
    and workflow.local_exec
    and not workflow.deployment_settings.deployment_method
):
    require_computable_here()
