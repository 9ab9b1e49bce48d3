"""Labels and markers never overlap: names at the ends of lines, ticks, methods side by side."""

import math
from itertools import pairwise

import numpy as np
import pytest
from fbftl.findings.style import (
    EndLabel,
    aside,
    edged,
    label_ends,
    packet_loss_axis,
    spread_out,
    use_style,
)
from fbftl.study.methods import RECORDS
from hypothesis import given
from hypothesis import strategies as st

PLACES = st.lists(st.floats(-1e3, 1e3), max_size=12).map(sorted)


@given(PLACES, st.floats(0.1, 50))
def test_labels_are_a_gap_apart_and_in_order(places, gap):
    moved = spread_out(places, gap)
    assert len(moved) == len(places)
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(moved))


@given(st.lists(st.integers(-50, 50), unique=True).map(sorted))
def test_labels_with_room_stay(places):
    assert spread_out(places, 1) == pytest.approx(places)


def test_a_group_is_centred_on_its_places():
    assert spread_out([0, 0, 0], 2) == [-2, 0, 2]


@pytest.mark.parametrize(
    ("rates", "labels"),
    [
        ([0.0, 0.5, 0.9, 0.99], ["0", "0.5", "0.9", "0.99"]),
        ([0.0, 0.1, 0.9, 0.95, 0.99, 0.999], ["0", "", "0.9", "", "0.99", "0.999"]),
        ([0.0], ["0"]),
    ],
)
def test_packet_loss_grows_to_the_right_and_its_labels_have_room(rates, labels):
    import matplotlib.pyplot as plt

    use_style()
    figure, axes = plt.subplots()
    packet_loss_axis(axes, rates)
    assert [text.get_text() for text in axes.get_xticklabels()] == labels
    left, right = axes.get_xlim()
    assert left > right
    plt.close(figure)


def test_labels_stand_at_their_lines(tmp_path):
    use_style()
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.set_ylim(0, 10)
    label_ends(axes, [EndLabel("high", 7.5, "k"), EndLabel("low", 2.5, "k")])
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert heights == {"low": pytest.approx(0.25), "high": pytest.approx(0.75)}
    plt.close(figure)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_methods_stand_side_by_side_about_their_common_place(count):
    factors = [aside(index, count) for index in range(count)]
    assert math.prod(factors) == pytest.approx(1)
    assert len(set(factors)) == count


def coverage(look, size):
    """Return how much of a square of a marker's size has its colour, 1 where it is all of it."""
    import matplotlib.pyplot as plt
    from matplotlib.colors import to_rgb

    use_style()
    figure = plt.figure(figsize=(1, 1), dpi=200)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.plot([0.5], [0.5], linestyle="none", markersize=size, **look)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3] / 255
    plt.close(figure)
    # A pixel between white and the colour counts by how near the colour it is.
    towards = 1 - np.array(to_rgb(look["color"]))
    shares = (1 - pixels) @ towards / (towards @ towards)
    return shares.clip(0, 1).sum() / (size * 200 / 72) ** 2


SEEN = 0.15
"""Share of its square that a marker covers at least: a star covers 0.18, a bar's cap less."""


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_every_methods_marker_is_seen_on_a_line(record):
    """With its edge as figures draw it, and as large as in the lead figure."""
    assert coverage(edged(record.marker, record.colour), 7) > SEEN


@pytest.mark.parametrize("marker", ["x", "+", "1", "_", "|", "$C$", "$V$"])
def test_markers_of_lines_and_letters_keep_their_colour(marker):
    white = {"marker": marker, "color": "#000000", "markeredgecolor": "white"}
    assert coverage(edged(marker, "#000000"), 7) > 1.4 * coverage(white, 7)


@pytest.mark.parametrize("marker", ["_", ",", " ", "None"])
def test_what_cannot_be_seen_is_refused(marker):
    assert coverage(edged(marker, "#000000"), 7) < SEEN
