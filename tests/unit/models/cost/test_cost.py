"""The counts of paper fbftl, to the last digit, and what the equations promise."""

from dataclasses import replace
from fractions import Fraction

import pytest
from fbftl.ground.errors import UserError
from fbftl.models.cost import compute, payload
from fbftl.models.cost.architectures import FLAN_T5_SMALL, t5, vgg16
from fbftl.models.cost.compute import SCHEMES, scheme_cost
from fbftl.models.cost.layers import (
    Network,
    convolution,
    dense,
    multiplications,
    parameters,
    products,
)
from fbftl.models.cost.payload import Federation
from hypothesis import given
from hypothesis import strategies as st

VGG16 = vgg16()
CIFAR = Federation(clients=6250, samples_per_client=8, clients_per_round=8)


def named(network, *prefixes):
    return [layer for layer in network.layers if layer.name.startswith(prefixes)]


def test_vgg16_parameters():
    assert parameters(named(VGG16, "conv")) == 14_714_688
    assert parameters(named(VGG16, "fc1")) == 102_764_544
    assert parameters(VGG16.extractor) == 117_479_232
    assert parameters(VGG16.head) == 35_665_418
    assert parameters(VGG16.layers) == 153_144_650
    assert VGG16.feature_width == 4096


def test_vgg16_multiplications_per_extracted_image():
    assert multiplications(VGG16.extractor) == 15_462_942_720


def test_flan_t5_small_parameters():
    network = t5(FLAN_T5_SMALL, trained_encoders=8)
    by_name = {layer.name: layer.parameters for layer in network.layers}
    assert parameters(network.layers) == 76_961_152
    assert by_name["embedding"] == by_name["lm_head"] == 16_449_536
    assert by_name["encoder.0"] == 2_360_320 + 192
    assert by_name["encoder.1"] == 2_360_320


def test_published_multiplications_need_every_sample():
    corrected = compute.client_multiplications(VGG16, "fl", CIFAR, 656_250)
    printed = compute.client_multiplications_in_text(VGG16, "fl", CIFAR, 656_250)
    assert corrected == CIFAR.samples_per_client * printed
    assert round(corrected / 10**15) == 163


@given(st.integers(1, 200), st.integers(1, 64))
def test_equations_agree_where_a_client_holds_one_sample(clients, batches):
    federation = Federation(clients, samples_per_client=1, clients_per_round=1)
    for method in ("fl", "ftl_f", "ftl_c", "fbftl"):
        assert compute.client_multiplications(
            VGG16, method, federation, batches
        ) == compute.client_multiplications_in_text(VGG16, method, federation, batches)


@given(st.integers(1, 512), st.integers(1, 512))
def test_dense_layer_costs_its_parameters(inputs, outputs):
    layer = dense("fc", inputs, outputs)
    assert layer.parameters == layer.multiplications == outputs * (inputs + 1)
    assert products([layer]) == inputs * outputs


@given(st.integers(1, 16), st.integers(1, 16), st.sampled_from([1, 3, 5]), st.integers(1, 32))
def test_convolution_costs_its_parameters_at_every_position(
    channels_in, channels_out, kernel, side
):
    layer = convolution("conv", channels_in, channels_out, kernel, side)
    assert layer.parameters == channels_out * (kernel**2 * channels_in + 1)
    assert layer.multiplications == side**2 * layer.parameters


@given(st.integers(1, 14))
def test_the_cut_splits_and_loses_nothing(cut):
    network = Network("vgg16", VGG16.layers, cut)
    assert parameters(network.extractor) + parameters(network.head) == 153_144_650


def test_cut_by_name():
    assert VGG16.cut_before("fc1").feature_width == 512 * 7 * 7
    with pytest.raises(UserError, match="head1"):
        VGG16.cut_before("fc9")


def test_labels_take_whole_bits():
    assert payload.label_bits(50_000, 10) == 200_000
    assert payload.label_bits(3, 2) == 3
    assert payload.label_bits(3, 16) == 12


def test_compression_rates():
    assert payload.compression_rate_in_text(8, 0.1) == pytest.approx(160)
    assert payload.compression_rate(8, 0.1) == pytest.approx(40)
    with_positions = payload.compression_rate_with_positions(4096, 8, 0.1)
    assert 4096 * 32 / (410 * 8 + 4096) < with_positions < 40


def test_keeping_everything_sends_no_positions():
    assert payload.compression_rate_with_positions(4096, 8, 1) == pytest.approx(4)


@pytest.mark.parametrize("method", SCHEMES)
@given(epochs=st.integers(1, 50), samples=st.integers(1, 16))
def test_a_scheme_costs_what_its_equations_add_up_to(method, epochs, samples):
    clients = Federation(clients=100, samples_per_client=samples, clients_per_round=10)
    cost = scheme_cost(VGG16, clients, method, epochs)
    batches = 100 * samples if method == "fbftl" else 100 * epochs
    assert cost.upload_batches == batches
    assert cost.uplink_bits == 32 * batches * cost.numbers_per_batch
    more = replace(
        scheme_cost(VGG16, clients, method, epochs + 1),
        server_multiplications=cost.server_multiplications,
    )
    assert (more == cost) == (method == "fbftl")


def test_fbftl_costs_the_least_as_the_paper_says():
    costs = [scheme_cost(VGG16, CIFAR, method, epochs=84) for method in SCHEMES]
    for field in ("uplink_bits", "downlink_bits", "client_multiplications"):
        values = [getattr(cost, field) for cost in costs]
        assert values[-1] == min(values)
        assert values.index(max(values)) == 0


def test_clients_of_different_sizes_count_by_their_mean():
    """Three clients with 8, 8 and 6 samples send what 22 samples amount to, whole numbers all."""
    uneven = Federation(clients=3, samples_per_client=Fraction(22, 3), clients_per_round=2)
    sfl = scheme_cost(VGG16, uneven, "sfl", epochs=5)
    extractor = parameters(VGG16.extractor)
    assert sfl.uplink_bits == 32 * 5 * (3 * extractor + 22 * 4096)
    assert sfl.downlink_bits == 32 * 5 * (2 * extractor + 22 * 4096)
    assert scheme_cost(VGG16, uneven, "fl", epochs=5).client_multiplications == (
        2 * 5 * 22 * multiplications(VGG16.layers)
    )
    assert scheme_cost(VGG16, uneven, "fbftl", epochs=5).upload_batches == 22
