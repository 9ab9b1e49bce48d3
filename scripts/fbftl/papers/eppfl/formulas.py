"""What decides sentences of paper eppfl that need no runs: counts, an identity, audit rows."""

from collections.abc import Mapping

from fbftl.cost.compute import training_products
from fbftl.cost.split import printed_uplink_bytes
from fbftl.findings.comparison import Measured
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.papers.eppfl.claims import HALVES, VANILLA2
from fbftl.papers.eppfl.published import setup_of
from fbftl.papers.exact import FormulaCase, Function
from fbftl.papers.formulas import Decides, Decision, PaperRecord, audited, each, identical
from fbftl.papers.registry import Sentence, numbers_in

NEAR = 1e-6
"""Share by which a count of a half may be off, since an odd number of values has none."""


def _half(sentence: Sentence, record: PaperRecord) -> Decision | None:
    """Decide by the bits of all values over those of half of them."""
    times = numbers_in(sentence.margin)[0]
    for runs in record.runs:
        whole, half = (
            runs.measured("value_bits", **setting) for setting in (VANILLA2, VANILLA2 | HALVES)
        )
        ratios = (whole / half).values
        if len(ratios):
            holds = bool((abs(ratios / times - 1) <= NEAR).all())
            mean = Measured.of(list(ratios)).mean
            return Decision("bits of all values over half of them", f"{mean:.6f} times", holds)
    return None


def _labels(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by what the paper's own count of the uplink has of a sample beside its activations."""
    labels = printed_uplink_bytes(samples=1, epochs=1, share=0.0, width=1) // FLOAT_BYTES
    return Decision(
        "labels of a sample that its edge server is sent in clear, by Sec. 2.3's count",
        f"{labels} of 1",
        labels == 0,
    )


def _multiplications(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by what a client multiplies of a sample in an epoch, over FedAvg's."""
    layers = setup_of(record.published["setup"], record.published["script"]).layers
    share = training_products(layers[:1]) / training_products(layers)
    return Decision("a client's multiplications over FedAvg's", f"{share:.4f}", share < 1)


def _composed(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the sum of ε over what is sent of a sample in one pass, c taken as 0."""
    setup = setup_of(record.published["setup"], record.published["script"])
    sent = [setup.cut.kept(share) for share in (1.0, setup.share)]
    named = " and ".join(f"{share:g}" for share in (1.0, setup.share))
    return Decision(
        f"ε of all activations of a sample in one pass, in times ε of one, with shares {named} "
        "sent, beside N_c; c, of which nothing is told, taken as 0",
        f"{'; '.join(f'{count:,}' for count in sent)} beside {setup.cut.positions:,}",
        all(count <= setup.cut.positions for count in sent),
    )


FORMULAS: Mapping[str, Decides] = {
    "eppfl-13": _half,
    "eppfl-19": audited("A3"),
    "eppfl-20": each(_multiplications, audited("A4")),
    "eppfl-21": _labels,
    "eppfl-22": audited("A5"),
    "eppfl-25": identical("test_accuracy", VANILLA2, VANILLA2 | {"method": "fedavg"}),
    "eppfl-26": _composed,
}


def client_multiplications(case: FormulaCase) -> Decision:
    """Decide by what a client multiplies of a sample in an epoch, over the whole network."""
    published = case.record.published
    layers = setup_of(published["setup"], published["script"]).layers
    share = training_products(layers[:1]) / training_products(layers)
    return Decision("a client's multiplications over FedAvg's", f"{share:.4f}", share < 1)


FUNCTIONS: Mapping[str, Function] = {"client_multiplications": client_multiplications}
