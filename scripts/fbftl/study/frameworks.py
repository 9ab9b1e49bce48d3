"""What contradicts itself in settings of the survey's frameworks."""

from typing import Any

PROTECTED = {
    "ckks": ("fedhealth",),
    "paillier": ("secure_ftl",),
    "beaver": ("secure_ftl",),
}
"""Methods that offer each protection of what is sent, beside plain."""

ENCRYPTED_DIMENSIONS, ENCRYPTED_SAMPLES = 32, 50
"""Most that Paillier encrypts in bearable time."""

MILLISECONDS = 36
"""That Paillier takes to encrypt a number on one core."""


def faults(setting: Any) -> dict[str, bool]:
    """Return what may be wrong with a setting, each with whether it is."""
    offering = PROTECTED.get(setting.protection, (setting.method,))
    encrypted = 2 * setting.dimensions * (setting.common_samples + setting.dimensions)
    return {
        f"is not possible: protection {setting.protection} is for {' and '.join(offering)}": (
            setting.method not in offering
        ),
        "has no common samples, without which two parties have nothing to align; give "
        "common_samples 1 or more": setting.common_samples == 0,
        f"encrypts {encrypted:,} numbers a round, which takes "
        f"{encrypted * MILLISECONDS / 60_000:,.0f} minutes of one core; give dimensions at most "
        f"{ENCRYPTED_DIMENSIONS} and common_samples at most {ENCRYPTED_SAMPLES}": (
            setting.protection == "paillier"
            and (
                setting.dimensions > ENCRYPTED_DIMENSIONS
                or setting.common_samples > ENCRYPTED_SAMPLES
            )
        ),
        "gives sources or selection_round alone; give both, or neither for no vote": (
            (setting.sources is None) != (setting.selection_round is None)
        ),
        f"votes for {setting.votes} source models, of which the paper does not say which one "
        "replaces the global model; give votes 1": setting.votes > 1,
    }
