"""Passes over samples: stores of features at several cuts are extracted in one."""

from collections.abc import Sequence
from dataclasses import replace

from fbftl.findings.steps import Step, mapped
from fbftl.plan.products import Product


def merged(made: Sequence[Product]) -> list[tuple[list[Product], Step]]:
    """Return the steps of the products of a job, extractions of one pass over samples as one."""
    steps: list[tuple[list[Product], Step]] = []
    passes: dict[str, list[Product]] = {}
    for product in made:
        below = f"{product.kind}/{product.key}/".__add__
        outputs = {name: mapped(file, below) for name, file in product.step.outputs.items()}
        product = replace(product, step=replace(product.step, outputs=outputs))
        if product.step.script == "stages/extract_features.py":
            passes.setdefault(str(product.step.inputs["clients"]), []).append(product)
        else:
            steps.append(([product], product.step))
    for several in passes.values():
        steps.append((several, _one_pass(several)))
    # A job makes public samples before their features.
    return steps


def _one_pass(several: Sequence[Product]) -> Step:
    first, *further = several
    values = dict(first.step.values)
    cuts = [product.step.values["features"]["cut"] for product in further]
    values["features"] = values["features"] | {"further_cuts": cuts}
    values.pop("stores")
    manifests = [m for product in several for m in product.step.outputs["manifests"]]
    stores = [
        where if "/" in where else f"{product.kind}/{product.key}/{where}"
        for product in several
        for where in product.step.values["stores"]
    ]
    return replace(first.step, values=values, outputs={"manifests": manifests, "stores": stores})
