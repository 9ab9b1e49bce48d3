"""Results made from other code, data or settings than now: reported, moved aside, made again."""

NAMES = {
    task: {name for settings in experiments.values() for name in settings}
    for task, experiments in STUDY.settings.items()
}
"""Settings that this call makes of each task."""


def digest_now(path):
    """Return the digest of a file as it is now; each is read once a call."""
    path = str(path)
    if path not in DIGESTS_NOW:
        DIGESTS_NOW[path] = DIGESTS(path)
    return DIGESTS_NOW[path]


def changed_runs(record):
    """Yield each run of a record that this call makes, and what of it is another now, if any."""
    jobs = record.params.get("jobs", [])
    for run in filter(RUN_FILE.fullmatch, record.outputs):
        task, name = RUN_FILE.fullmatch(run).groups()
        if name in NAMES.get(task, ()):
            files = trained.digests_of_setting(STUDY, task, name)
            files += trained.files_of_setting(STUDY, task, name).values()
            now = {
                "code": digest_of_value(code_of_training(task, name)),
                "jobs": digest_of_value(STUDY.job(task, name)),
                "exact": digest_of_value(EXACT),
            }
            # A job holds its setting: whichever of the process's it was, it is this run's.
            job = now["jobs"] if now["jobs"] in jobs else None
            then = replace(record, params=record.params | {"jobs": job})
            stem = run.removesuffix(".json")
            written = [path for path in record.outputs if path.startswith(f"{stem}.")]
            yield written, changed_param(then, now) or changed_inputs(
                record, files, digest_now
            )


def changed_job(record):
    """Yield the outputs of a record whose job this call knows, and what of it is another now."""
    if not workflow.is_rule(record.rule):
        return
    maker = workflow.get_rule(record.rule)
    if not all(map(maker.is_producer, record.outputs)):
        return
    wildcards = Wildcards(fromdict=dict(record.wildcards))
    try:
        files = [str(path) for path in maker.expand_input(wildcards)[0]]
        params = {
            name: digests_of_param(value(wildcards) if callable(value) else value)
            for name, value in maker.params.items()
        }
    except (InputFunctionException, KeyError, StopIteration):
        return  # of an experiment that this call does not make
    changed = changed_param(record, params) or changed_inputs(record, files, digest_now)
    yield list(record.outputs), changed


def newest_records():
    """Return the path of the newest record of each result; older ones are of what it replaced."""
    newest = {}
    for path in sorted(RECORDS, key=os.path.getmtime):
        newest |= dict.fromkeys(RECORDS[path].outputs, path)
    return newest


def comparisons(newest):
    """Return what this call knows of each finished job: its record, its files, what is another now."""
    return [
        (record, written, changed)
        for path, record in RECORDS.items()
        if "plan"
        not in record.wildcards  # a digest of what decides it, part of its path
        for written, changed in (
            changed_runs
            if any(map(RUN_FILE.fullmatch, record.outputs))
            else changed_job
        )(record)
        if any(newest[result] == path for result in written)
    ]


def stale_results(compared):
    """Return what of this call's results has to be made anew, and why, by path.

    That is what was made from something else, and what was removed while its record stayed; what
    was made with other packages too if the study says so.
    """
    departed = {}
    for record, written, changed in compared:
        if STUDY.config["renew_versions"] and record.lock != LOCK_NOW:
            changed = changed or provenance.LOCK
        there = all(map(os.path.exists, written))
        if changed or not there:
            departed |= dict.fromkeys(written, changed)
    return departed


def of_other_versions(compared, stale):
    """Return the results that were made with other packages than are pinned now, and are kept."""
    return [
        path
        for record, written, _ in compared
        for path in written
        if record.lock != LOCK_NOW and path not in stale and os.path.exists(path)
    ]


def force(stale):
    """Have Snakemake make stale results anew where a call's plan holds their jobs.

    Files forced on the command line also become targets. `dag.forcefiles` forces them alone, but
    must be filled while the plan is made; so a function that rules ask for input does it.
    """

    def nothing(wildcards):
        workflow.dag.forcefiles.update(stale)
        return []

    for maker in workflow.rules:
        if makes_any(maker, stale):
            maker.set_input(nothing)


def makes_any(maker, paths):
    """Tell whether a rule makes any of the files."""
    if maker.has_wildcards():
        return any(map(maker.is_producer, paths))
    return not paths.keys().isdisjoint(map(str, maker.output))


def without_record():
    """Return the finished results of this call that no record tells the origin of."""
    recorded = {path for record in RECORDS.values() for path in record.outputs}
    files = [
        path
        for path in targets.clients_and_sources(STUDY)
        if not path.endswith("zarr.json")
    ]
    files += (
        f"results/{task}/runs/{name}.json" for task in NAMES for name in NAMES[task]
    )
    files += targets.tidy_tables(STUDY)
    return [path for path in files if path not in recorded and os.path.exists(path)]


def tell(stale, others, unknown):
    """Say what is stale, of other versions, and what is unknown, in a sentence each."""
    changed = {path: why for path, why in stale.items() if why is not None}
    if changed:
        first = ", ".join(f"{path} ({why})" for path, why in list(changed.items())[:3])
        print(
            f"stale: {len(changed)} results were made from something else than this call makes "
            f"them from: {first}{' and more' if len(changed) > 3 else ''}; a call that runs moves "
            f"them to {ASIDE} and makes them anew",
            file=sys.stderr,
        )
    if others:
        print(
            f"{len(others)} results were made with other versions of packages than "
            f"{provenance.LOCK} pins now: {', '.join(others[:3])}"
            f"{' and more' if len(others) > 3 else ''}; they are kept beside new ones, or made "
            "anew with --config renew_versions=true",
            file=sys.stderr,
        )
    if unknown:
        print(
            f"{len(unknown)} results have no record, so that it is unknown whether they were "
            f"made from this study, code and data: {', '.join(unknown[:3])}"
            f"{' and more' if len(unknown) > 3 else ''}; remove them and they are made anew",
            file=sys.stderr,
        )


def move_aside():
    """Move what is stale and made anew out of the way, in the place of what was there before."""
    planned = {path for job in workflow.dag.needrun_jobs() for path in job.output}
    for path in filter(os.path.exists, planned & STALE.keys()):
        aside = Path(ASIDE, path)
        aside.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, aside)


RUN_FILE = re.compile(rf"results/({source_seeds.NAME})/runs/([^/]+?)(?<!\.meta)\.json")
"""The path of a run file: its task, or a repeat of it, and its setting."""

ASIDE = ".snakemake/aside"
"""Folder where the last stale results lie."""

LOCK_NOW = provenance.lock_digest()
"""What pins the packages now."""

DIGESTS_NOW = {}
STALE = {}
READ_FOR = {}
"""What the job of each result read, large files left out that others stand for, by its path."""

if workflow.is_main_process:
    NEWEST = newest_records()
    READ_FOR = {result: RECORDS[path].inputs for result, path in NEWEST.items()}
    COMPARED = comparisons(NEWEST)
    STALE = stale_results(COMPARED)
    tell(STALE, of_other_versions(COMPARED, STALE), without_record())
