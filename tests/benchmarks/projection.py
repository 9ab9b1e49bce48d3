"""What the paper's experiment would take at ImageNet's size, from rates measured here.

Run: python tests/benchmarks/projection.py [cores]

1,281,167 training images at 224 pixels at clients with 8 each, VGG-16 cut after fc1, the paper's
head with 1,000 classes, 84 epochs. Bits and multiplications are the project's closed forms, joules
those of the block `radio` of config.yaml; time is counts over rates, of one core times `cores`.
Nothing is run at this size.
"""

import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import torch
import yaml
from ratios import ROOT, SCRIPTS
from training import BATCH, measure

sys.path.insert(0, str(SCRIPTS))

from fbftl.cost.architectures import vgg16
from fbftl.cost.layers import multiplications
from fbftl.cost.payload import Federation, label_bits
from fbftl.cost.scheme import scheme_cost
from fbftl.ground import devices
from fbftl.messages.ledger import Ledger
from fbftl.models.backbones import build_backbone

TRAIN, TEST, CLASSES = 1_281_167, 50_000, 1000
CLIENTS, PER_ROUND, EPOCHS = -(-TRAIN // 8), 8, 84
HEAD = (4096, 4096, 512, CLASSES)
IMAGES = 8


def images_per_second() -> float:
    """Return how many images of 224 pixels VGG-16 passes on one core, with random weights."""
    model = build_backbone("torchvision", "vgg16", {}).eval()
    batch = torch.rand(IMAGES, 3, 224, 224)
    with torch.inference_mode():
        model(batch)
        started = time.perf_counter()
        model(batch)
    return IMAGES / (time.perf_counter() - started)


def ledger_bytes() -> float:
    """Return the bytes that a ledger takes for an upload with its digest."""
    count, draws = 100_000, np.random.default_rng(0)
    ledger = Ledger(method="fbftl", mechanism="none")
    clients, samples = np.arange(count) // 8, draws.permutation(count)
    digests = [draws.bytes(32) for _ in range(count)]
    ledger.add(count, seed=0, client=clients, sample=samples, bits=131_258, sha256=digests)
    with tempfile.TemporaryDirectory() as folder:
        ledger.write(path := Path(folder, "ledger.parquet"))
        return path.stat().st_size / count


def main(cores: int) -> None:
    """Measure the rates and print the projection."""
    devices.prepare("cpu", threads=1)
    radio = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["radio"]
    network = vgg16(head=HEAD)
    federation = Federation(CLIENTS, Fraction(TRAIN, CLIENTS), PER_ROUND)
    passes = images_per_second()
    step = measure([4096, *HEAD], 4, 2)["trainer"]
    print(f"rates of one core: extraction {passes:.2f} images/s, that is "
          f"{passes * multiplications(network.extractor) / 1e9:.1f} G multiplications/s; a step of "
          f"the head {step:.3f} s; ledger {ledger_bytes():.0f} bytes a row")  # fmt: skip
    extraction = (TRAIN + TEST) / passes / cores
    training = EPOCHS * TRAIN / BATCH * step / cores
    print(f"features: {(TRAIN + TEST) * network.feature_width * 4 / 1e9:.1f} GB raw, "
          f"{extraction / 3600:.1f} h on {cores} cores")  # fmt: skip
    print(f"head: {EPOCHS} epochs, {training / 3600:.1f} h a seed on {cores} cores")
    for scheme in ("fbftl", "ftl_c", "ftl_f", "fl"):
        cost = scheme_cost(network, federation, scheme, EPOCHS)
        bits = cost.uplink_bits + (label_bits(TRAIN, CLASSES) if scheme == "fbftl" else 0)
        sent = float(bits) * radio["joules_per_bit"]
        computed = float(cost.client_multiplications) * radio["joules_per_multiplication"]
        seconds = float(bits) / CLIENTS / radio["data_rate"]
        amounts = {
            "GB up": float(bits) / 8e9,
            "s of each client's radio": seconds,
            "kJ sent": sent / 1e3,
            "kJ computed": computed / 1e3,
        }
        print(f"{scheme:6}", ", ".join(f"{value:,.1f} {unit}" for unit, value in amounts.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
