"""What an upload costs, and what kept studies found of it."""

from pathlib import Path

import pytest
from ask_uploads import kilobytes, main
from fbftl.findings.kept import KEPT
from fbftl.ground.errors import UserError

SIZES = ["--samples-per-client", "4", "--classes", "3", "--width", "50"]

HEAD = "skew,message,head,bits,keep,samples_per_client,classes,width,kilobytes,accuracy,below_raw\n"
ROWS = (
    "iid labels,means,lda,8,1,4,3,50,1,0.7,0.05\niid labels,means,mlp,8,1,4,3,50,1,0.71,0.04\n"
    "Dirichlet 0.1,means,lda,8,1,4,3,50,1,0.9,0\niid labels,means,lda,8,1,4,3,64,1,0.8,0\n"
    "iid labels,projected,lda,2,1,4,3,50,0.0125,0.6,0.15\n"
    "iid labels,means,lda,8,0.5,4,3,50,0.6,0.69,0.06\n"
)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A project that keeps the front of a study."""
    table = tmp_path / KEPT / "hill" / "tables" / "front.csv"
    table.parent.mkdir(parents=True)
    table.write_text(HEAD + ROWS)
    return tmp_path


def test_a_length_is_that_of_numbers_labels_ranges_and_headers() -> None:
    plain, short = (kilobytes("batch", bits, 1, 4, 3, 50) for bits in (32, 8))
    assert plain is not None
    assert short is not None
    assert 0 < 1000 * plain - 4 * 50 * 4 < 100
    assert 0 < 1000 * short - 50 * 4 < 140


def test_what_was_measured_is_of_equal_clients_alone(kept: Path) -> None:
    lines = main(SIZES, kept).splitlines()
    (of_means,) = [line for line in lines if " 8      100%  means" in line]
    assert "71.0% (mlp, -4.0; hill)" in of_means
    assert "        0.6     8       50%  means        69.0% (lda alone, -6.0; hill)" in lines
    assert sum("not measured" in line for line in lines) == len(lines) - 4 - sum(
        line == "" or line.startswith("The server") for line in lines
    )
    other = [word if word != SIZES[1] else "77" for word in SIZES]
    assert "Nothing of this size is kept. Measured are 3 classes" in main(other, kept)


def test_a_length_that_samples_decide_is_the_measured_one(kept: Path) -> None:
    assert kilobytes("projected", 2, 1, 4, 3, 50) is None
    assert "0.0125     2      100%  projected    60.0% (lda alone, -15.0; hill)" in main(
        SIZES, kept
    )


def test_only_what_fits_is_shown_the_cheapest_first(tmp_path: Path) -> None:
    table = [line.split() for line in main([*SIZES, "--link", "0.3"], tmp_path).splitlines()[1:]]
    lengths = [float(line[0]) for line in table if line and line[1].isdigit()]
    assert lengths == sorted(lengths)
    assert max(lengths) <= 0.3
    assert "No upload fits" in main([*SIZES, "--link", "0.001"], tmp_path)
    assert " statistics " not in main([*SIZES, "--head", "mlp"], tmp_path)


def test_elements_that_are_left_out_save_less_than_their_bits() -> None:
    """Of a quarter at 2 bits, positions take nearly 0.83 bits an element, values half a bit."""
    whole, quarter = (kilobytes("batch", 2, keep, 8, 10, 1280) for keep in (1, 0.25))
    assert quarter / whole == pytest.approx((0.83 + 0.5) / 2, abs=0.02)


def test_what_clients_noise_is_as_long_as_the_numbers_of_every_class(kept: Path) -> None:
    """Mixtures have N (d + 2) numbers, second moments their triangle, for any K."""
    lines = main([*SIZES, "--private"], kept).splitlines()
    lengths = {tuple(line.split()[1:4]): float(line.split()[0]) for line in lines[1:16]}
    assert 0 < 1000 * lengths["32", "100%", "mixtures"] - 4 * 3 * 52 < 60
    assert 0 < 1000 * lengths["32", "100%", "statistics"] - 4 * (50 * 51 / 2 + 3 * 51) < 80
    assert not {"batch", "means"} & {message for _, _, message in lengths}
    assert not any("hill" in line for line in lines)


def test_sizes_below_one_are_refused() -> None:
    with pytest.raises(UserError, match="must be at least 1"):
        main([*SIZES[:-1], "0"])
