"""Where a study runs: here, or in a folder of its own that its configuration names."""

from fbftl.ground.files import write_text

LAUNCHED = os.getcwd()
"""Folder in which the call was made; the configuration's paths are relative to it."""

PATHS = ("data_folder", "scratch_folder")
"""Keys of the configuration that name a folder."""

WEIGHTS = ("file", "manifest")
"""Keys of a task's source that name a file."""


def study_folder():
    """Return the folder that the configuration names, if it is new or a study's.

    The configuration's paths are relative to it from now on.
    """
    if workflow.overwrite_workdir is not None:
        sys.exit(
            "config: results_folder names the folder of the study, and so does --directory; leave "
            "one of them out"
        )
    name = config["results_folder"]
    plain = isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name)
    folder = Path(str(name))
    if not plain or (folder.exists() and not Path(folder, MARK).exists()):
        sys.exit(
            f"config: results_folder is '{name}'; give the name of a new folder, of letters, "
            "digits, dots, hyphens and underscores, or of one that a study has made"
        )
    if not Path(folder, MARK).exists():
        write_text(Path(folder, MARK), "*\n")
    tell_from(folder, config, PATHS)
    if "://" not in str(config.get("container")):
        tell_from(folder, config, ("container",))
    tasks = config.get("tasks")
    for task in tasks.values() if isinstance(tasks, dict) else ():
        source = task.get("source") if isinstance(task, dict) else None
        if isinstance(source, dict):
            tell_from(folder, source, WEIGHTS)
            if isinstance(source.get("options"), dict):
                tell_from(folder, source["options"], ("checkpoint_path",))
            if Path(str(source.get("name"))).is_dir():
                tell_from(folder, source, ("name",))
    return name


def tell_from(folder, block, keys):
    """Replace the relative paths under some keys of a block by what they are seen from a folder."""
    for key in keys:
        if isinstance(block.get(key), str) and not os.path.isabs(block[key]):
            block[key] = os.path.relpath(block[key], folder)


MARK = ".gitignore"
"""File that tells a study's folder from others; git leaves out what lies there."""
