"""What was made from what, as an in-toto statement with SLSA's predicate of provenance (v1).

Subjects are the results with the digests that their jobs sealed. A study is the external parameter;
resolved dependencies are the code, the environment and the files of data and weights.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from fbftl.ground.departures import Made
from fbftl.ground.errors import UserError

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
BUILD = "urn:fbftl-workflow:study:v1"
"""What external parameters mean: the configuration of a study, as `config.yaml` explains it."""

PAYLOAD = "application/vnd.in-toto+json"


def statement(
    results: Mapping[str, Made],
    study: Mapping[str, Any],
    files: Mapping[str, str],
    commit: str | None,
    engine: Mapping[str, str],
    arithmetic: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the statement on a finished study.

    Args:
        results: how each result was made, by its path.
        study: the configuration.
        files: SHA-256 of what the results rest on beside the study, by path.
        commit: of the code; None where it is not known.
        engine: versions of what ran the jobs, by name.
        arithmetic: each way in which runs were computed, see `fbftl.ground.exact.described`.
    """
    code = [{"name": "code", "digest": {"gitCommit": commit}}] if commit else []
    return {
        "_type": TYPE,
        "subject": [_file(path, result.sealed) for path, result in sorted(results.items())],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD,
                "externalParameters": {"study": study},
                "internalParameters": {"arithmetic": list(arithmetic)},
                "resolvedDependencies": code + [_file(*item) for item in sorted(files.items())],
            },
            "runDetails": {
                "builder": {"id": "urn:fbftl-workflow:snakemake", "version": dict(engine)},
                "metadata": {
                    "startedOn": moment(min(result.started for result in results.values())),
                    "finishedOn": moment(max(result.ended for result in results.values())),
                },
            },
        },
    }


def _file(path: str, digest: str) -> dict[str, Any]:
    return {"name": path, "digest": {"sha256": digest}}


def moment(seconds: float) -> str:
    """Return a moment since 1970 as RFC 3339 has it, in UTC."""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")


def envelope(payload: bytes, key: bytes) -> dict[str, Any]:
    """Return a statement signed in a DSSE envelope, as sigstore's verifiers read it.

    Args:
        payload: the statement's bytes.
        key: a private key of Ed25519 or of an elliptic curve, PEM without password.

    Raises:
        UserError: if it is none.
    """
    try:
        private = load_pem_private_key(key, password=None)
    except (ValueError, TypeError) as error:
        raise UserError(f"it is no private key in PEM without a password ({error})") from error
    body = authenticated(PAYLOAD, payload)
    match private:
        case Ed25519PrivateKey():
            signature = private.sign(body)
        case EllipticCurvePrivateKey():
            signature = private.sign(body, ECDSA(SHA256()))
        case _:
            raise UserError("it is neither of Ed25519 nor of an elliptic curve")
    return {
        "payloadType": PAYLOAD,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [{"keyid": "", "sig": base64.b64encode(signature).decode()}],
    }


def authenticated(kind: str, payload: bytes) -> bytes:
    """Return what a DSSE signature is of: the kind of payload and the payload, with lengths."""
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(payload), payload)


def written(document: Mapping[str, Any]) -> bytes:
    """Return a statement's bytes; equal statements give equal bytes."""
    return (json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
