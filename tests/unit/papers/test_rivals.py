"""Claims about one-shot rivals on runs whose outcome is known."""

import pandas as pd
from fbftl.papers.claims import Runs, examine
from fbftl.papers.rivals.claims import CLAIMS

D, N = 10, 2
STATISTICS = D * (D + 1) // 2 + D * N + N


def runs(features: float = 0.9, means: float = 0.89) -> Runs:
    """Return a tidy table of 40 samples at clients of two, or of another K."""
    table = []

    def add(name: str, axes: dict, accuracy: float, numbers: float, size: int = 2) -> None:
        clients = 40 // size
        for seed in range(3):
            table.append(
                {"task": "toy", "setting": name, "method": "fbftl", "seed": seed, "diverged": False}
                | axes
                | {"test_accuracy": accuracy + seed / 1e4, "numbers_per_batch": numbers}
                | {"upload_batches": clients, "offered": 40}
                | {"uplink_payload_bits": 32 * clients * numbers}
            )

    add("fbftl", {}, features, 2 * D)
    for head, accuracy in (("fedncm", means - 0.1), ("fedcof", means)):
        add(f"fbftl+message=means+head={head}", {"message": "means", "head": head}, accuracy, 15)
    lda = {"message": "statistics", "head": "lda"}
    add("fbftl+message=statistics+head=lda", lda, 0.9, STATISTICS)
    for size in (4, 20):
        at = {"samples_per_client": size}
        add(f"fbftl+samples_per_client={size}", at, 0.9, size * D, size)
        name = f"fbftl+samples_per_client={size}+message=statistics+head=lda"
        add(name, at | lda, 0.9, STATISTICS, size)
    return Runs(pd.DataFrame(table))


def verdicts(found: Runs) -> dict[str, str]:
    return {one.claim.sentence: str(one.verdict) for one in examine(CLAIMS, found)}


def test_what_is_so_is_reproduced_and_what_was_not_run_says_so():
    found = verdicts(runs())
    by_word = {word: [v for s, v in found.items() if s.startswith(word)] for word in ("R1", "R4")}
    assert by_word == {"R1": ["reproduced"], "R4": ["reproduced", "reproduced"]}
    assert found["R2: the best head on means is as accurate as FbFTL, to two points"] == (
        "reproduced"
    )
    assert found["R3: on class means FedCOF is more accurate than FedNCM"] == "reproduced"
    efficient = "FbFTL needs fewer uplink bits than every one-shot rival, not only than gradients"
    assert found[efficient] == "differs"
    assert {v for s, v in found.items() if s.startswith("R5")} == {"not run"}


def test_a_message_that_loses_five_points_differs():
    found = verdicts(runs(means=0.85))
    assert found["R2: the best head on means is as accurate as FbFTL, to two points"] == "differs"
