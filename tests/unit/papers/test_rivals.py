"""Claims about one-shot rivals on runs whose outcome is known."""

import pandas as pd
from fbftl.papers.claims import OURS
from fbftl.papers.quantities import Runs
from unit.papers.claimed import judgements

D, N = 10, 2
STATISTICS = D * (D + 1) // 2 + D * N + N


def runs(features: float = 0.9, means: float = 0.89) -> Runs:
    """Return a tidy table of 40 samples at clients of two, or of another K."""
    table = []

    def add(name: str, axes: dict, accuracy: float, numbers: float, size: int = 2) -> None:
        clients = 40 // size
        for seed in range(3):
            table.append(
                {
                    "task": "toy",
                    "setting": name,
                    "method": name.split("+")[0],
                    "seed": seed,
                    "diverged": False,
                }
                | axes
                | {"test_accuracy": accuracy + seed / 1e4, "numbers_per_batch": numbers}
                | {"upload_batches": clients, "offered": 40}
                | {"uplink_payload_bits": 32 * clients * numbers}
            )

    add("fbftl", {}, features, 2 * D)
    for head, accuracy in (("fedncm", means - 0.1), ("fedcof", means)):
        add(f"one_shot+message=means+head={head}", {"message": "means", "head": head}, accuracy, 15)
    lda = {"message": "statistics", "head": "lda"}
    add("one_shot+message=statistics+head=lda", lda, 0.9, STATISTICS)
    for size in (4, 20):
        at = {"samples_per_client": size}
        add(f"fbftl+samples_per_client={size}", at, 0.9, size * D, size)
        name = f"one_shot+samples_per_client={size}+message=statistics+head=lda"
        add(name, at | lda, 0.9, STATISTICS, size)
    return Runs(pd.DataFrame(table))


def test_what_is_so_holds_and_what_was_not_run_says_nothing():
    found = judgements("rivals", runs())
    assert [found[OURS, name] for name in ("R1", "R4_below", "R4_above")] == ["holds"] * 3
    assert found[OURS, "R2_means"] == "holds"
    assert found[OURS, "every_rival"] == "the contrary holds"
    assert not [name for _, name in found if name.startswith("R5")]


def test_a_sentence_holds_inside_what_it_prints():
    found = judgements("rivals", runs())
    assert found["r-04", "least"] == found["r-04", "most"] == found["r-04", "bits"] == "holds"


def test_a_message_that_loses_five_points_is_not_equal():
    assert judgements("rivals", runs(means=0.85))[OURS, "R2_means"] == "the contrary holds"
