"""Where a study runs: here, or in a folder of its own that its configuration names."""

LAUNCHED = os.getcwd()
"""Folder in which the call was made; the configuration's paths are relative to it."""

PATHS = ("data_folder", "scratch_folder")
"""Keys of the configuration that name a folder."""


def study_folder():
    """Return the folder that the configuration names, if it is new or a study's.

    The configuration's paths are told from there from now on.
    """
    name = config["results_folder"]
    plain = isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name)
    folder = Path(str(name))
    if not plain or (folder.exists() and not Path(folder, MARK).exists()):
        sys.exit(
            f"config: results_folder is '{name}'; give the name of a new folder, of letters, "
            "digits, dots and hyphens, or of one that a study has made"
        )
    folder.mkdir(exist_ok=True)
    Path(folder, MARK).write_text("*\n", encoding="utf-8")
    for key in PATHS:
        if isinstance(config.get(key), str):
            config[key] = os.path.relpath(config[key], folder)
    return name


MARK = ".gitignore"
"""File that tells a study's folder from others; git leaves out what lies there."""
