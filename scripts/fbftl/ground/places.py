"""One small file of a folder, a zip or a URL, for whoever asks before a job."""

import zipfile
from pathlib import Path

from fbftl.ground.errors import UserError


def is_url(place: str | Path) -> bool:
    """Return whether this names something remote."""
    return "://" in str(place)


def is_zip(place: str | Path) -> bool:
    """Return whether this names a zip."""
    return str(place).endswith(".zip")


def read_file(place: str, name: str) -> bytes:
    """Return the bytes of one file of a place.

    Args:
        place: a folder, a zip, or a URL that obstore understands; credentials and endpoint come
            from the environment.
        name: of the file there.

    Raises:
        FileNotFoundError: if the place or the file is not there.
        UserError: if the place cannot be read at all.
    """
    if is_url(place):
        return _remote(place, name)
    if not is_zip(place):
        try:
            return Path(place, name).read_bytes()
        except (NotADirectoryError, IsADirectoryError) as error:
            raise FileNotFoundError(f"{place}/{name}") from error
    try:
        with zipfile.ZipFile(place) as archive:
            return stored(archive, name)
    except KeyError as error:
        raise FileNotFoundError(f"{place}/{name}") from error
    except (zipfile.BadZipFile, EOFError) as error:
        raise UserError(f"{place} is no whole zip ({error}); get it anew") from error


def stored(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of one file of a zip that holds its files as they are.

    Raises:
        KeyError: if it is not there.
        UserError: if it is compressed, since a small zip could then fill memory.
    """
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise UserError(
            f"{archive.filename} compresses {name}, which published zips do not; get it anew"
        )
    return archive.read(name)


def _remote(url: str, name: str) -> bytes:
    from obstore.exceptions import BaseError
    from obstore.store import from_url

    try:
        return from_url(url).get(name).bytes().to_bytes()
    except FileNotFoundError:
        raise
    except (BaseError, ValueError, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise UserError(f"{url} cannot be read: {reason}; check address and credentials") from error
