"""Print which learning rate has the greatest validation accuracy, given runs of one setting.

Held-out samples of the clients alone are looked at: no test accuracy, no other method, no sentence
of a paper. The runs are those of a study whose tasks differ in their rate, as
studies/eppfl-rates.yaml has them; of rates that are equally good the least is taken.

    PYTHONPATH=scripts python scripts/tools/choose_rate.py results/digits-eppfl-rate-*/runs/*.json
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from fbftl.findings.run_file import read_run
from fbftl.findings.seeds import counted
from fbftl.ground.errors import UserError
from fbftl.training.choice import standard_error


@dataclass(frozen=True)
class RateOnValidation:
    """What one learning rate reaches.

    accuracy: (S,) validation accuracy at the selected round, by seed; 0 where a run diverged.
    """

    rate: float
    accuracy: np.ndarray

    @property
    def mean(self) -> float:
        """Mean over seeds."""
        return float(self.accuracy.mean())

    @property
    def line(self) -> str:
        """What is printed of it."""
        error = standard_error(self.accuracy)
        return f"{self.rate:g}: {self.mean:.2%} +- {error:.2%} over {len(self.accuracy)} seeds"


def rates_of(paths: Iterable[str]) -> list[RateOnValidation]:
    """Return the rates of run files, ascending.

    Raises:
        UserError: where the runs are of several settings, of one rate twice, or hold nothing out.
    """
    runs = [read_run(path) for path in paths]
    settings = sorted({run["name"] for run in runs})
    if len(settings) != 1:
        raise UserError(
            f"runs of {len(settings)} settings are given ({', '.join(settings)}); give those of one"
        )
    rates = {}
    for run in runs:
        rate = run["training"]["learning_rate"]
        if rate in rates:
            raise UserError(f"two runs have the learning rate {rate:g}; give each rate once")
        if not run["training"]["validation"]:
            raise UserError(
                f"the run of task {run['task']} holds no samples out; give its task a "
                "training.validation above 0"
            )
        accuracies = [
            counted(repetition, run["measures"])["validation_accuracy"]
            for repetition in run["repetitions"]
        ]
        rates[rate] = RateOnValidation(rate, np.array(accuracies, dtype=float))
    return [rates[rate] for rate in sorted(rates)]


def best(rates: Sequence[RateOnValidation]) -> RateOnValidation:
    """Return the rate of the greatest mean validation accuracy, of equal ones the least."""
    return max(rates, key=lambda rate: (rate.mean, -rate.rate))


def main() -> None:
    """Print what each rate reaches, and the best one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", nargs="+", help="run files of one setting, one for each rate")
    try:
        rates = rates_of(parser.parse_args().runs)
    except UserError as error:
        parser.error(str(error))
    for rate in rates:
        print(rate.line)
    print(f"learning_rate: {best(rates).rate:g}")


if __name__ == "__main__":
    main()
