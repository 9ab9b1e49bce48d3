"""Compare files with what a crate or a statement says of them; needs nothing but Python.

    python scripts/tools/verify_provenance.py FILE [PUBLIC_KEY]

FILE is a crate's ro-crate-metadata.json, an in-toto statement or a DSSE envelope around one. Paths
in it are seen from the folder that it lies in. With a public key (PEM; this needs the package
cryptography) the signature of an envelope is checked too; without one it is not, and the call fails
after it has compared the files.
"""

import base64
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote


def main(file: str, public_key: str | None = None) -> str | None:
    """Return what is wrong, a sentence a line; print how many files are as stated if nothing is."""
    unchecked = False
    try:
        document = json.loads(Path(file).read_bytes())
        if "payload" in document:
            payload = base64.b64decode(document["payload"])
            if public_key is not None and not signed(document, payload, Path(public_key)):
                return f"{file} is not signed by the key {public_key}"
            unchecked = public_key is None
            document = json.loads(payload)
        elif public_key is not None:
            return f"{file} is not signed; name a DSSE envelope, or leave the key out"
        digests = dict(stated(document))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return f"{file} is no crate and no statement ({error})"
    if not digests:
        return f"{file} names no file with its SHA-256, so that nothing was verified"
    faults = [
        fault for path, digest in sorted(digests.items()) if (fault := wrong(file, path, digest))
    ]
    if not faults:
        print(f"{len(digests):,} files are as {file} says")
    if unchecked:
        faults.append(f"the signature of {file} was not checked; name the public key as well")
    return "\n".join(faults) or None


def stated(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield path and SHA-256 of every file that a crate or a statement names."""
    if "@graph" in document:
        for entity in document["@graph"]:
            if "sha256" in entity:
                yield words(unquote(entity["@id"]), entity["sha256"])
        return
    definition = document["predicate"]["buildDefinition"]
    for entry in (*document["subject"], *definition["resolvedDependencies"]):
        if "sha256" in entry["digest"]:
            yield words(entry["name"], entry["digest"]["sha256"])


def words(path: Any, digest: Any) -> tuple[str, str]:
    """Return a path and its SHA-256; TypeError if one of them is no text."""
    if not isinstance(path, str) or not isinstance(digest, str):
        raise TypeError(f"a file's name and sha256 are texts, not {path!r:.40} and {digest!r:.40}")
    return path, digest


def wrong(file: str, path: str, digest: str) -> str | None:
    """Return a sentence if a file is not there or is another than is said of it."""
    try:
        with open(Path(file).parent / path, "rb") as content:
            actual = hashlib.file_digest(content, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        return f"{path!r:.200}, which {file} names, cannot be read ({why})"
    return None if actual == digest else f"{path} has sha256 {actual}, but {file} says {digest}"


def signed(envelope: dict[str, Any], payload: bytes, public_key: Path) -> bool:
    """Tell whether a DSSE envelope has a signature by a key, Ed25519 or ECDSA with SHA-256."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    key: Any = load_pem_public_key(public_key.read_bytes())
    how = (ECDSA(SHA256()),) if isinstance(key, EllipticCurvePublicKey) else ()
    kind = envelope["payloadType"].encode()
    body = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
    if not how and not isinstance(key, Ed25519PublicKey):
        raise ValueError(f"{public_key} is neither of Ed25519 nor of an elliptic curve")
    for signature in envelope["signatures"]:
        try:
            key.verify(base64.b64decode(signature["sig"]), body, *how)
        except InvalidSignature:
            continue
        return True
    return False


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python scripts/tools/verify_provenance.py FILE [PUBLIC_KEY]")
    sys.exit(main(*sys.argv[1:]))
