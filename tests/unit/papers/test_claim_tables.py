"""The table of claims says on what each verdict rests."""

from dataclasses import replace
from math import nan

from fbftl.papers.claim_rows import NO_TASK, ClaimForm, ClaimRow, ClaimTask, Part, Side, Term
from fbftl.papers.claim_rule import ClaimVerdict
from fbftl.papers.claim_tables import claims_table
from fbftl.papers.evaluated import NOT_KEPT, NOT_RUN, ClaimFinding, PartFinding

ROW = ClaimRow("x-01", "", "", "", "", ClaimForm.MORE, "", "accuracy", "a", "b", "", ("hill",), "")


def part(task: ClaimTask, verdict: ClaimVerdict, note: str = "") -> PartFinding:
    return PartFinding(Part(task, "", "accuracy"), verdict, 1.0, note=note)


def shown(*parts: PartFinding, row: ClaimRow = ROW) -> dict[str, object]:
    """Return the row of a claim that has these parts."""
    verdict = parts[0].verdict
    return claims_table([ClaimFinding("x-01", verdict, [(row, parts)])]).iloc[0].to_dict()


def test_evidence_names_the_tasks_of_each_strength_the_strongest_first():
    hill, dale, plain = (
        ClaimTask(name, {"strength": strength})
        for name, strength in (("hill", "small"), ("dale", "full-size data"), ("plain", "small"))
    )
    confirmed = ClaimVerdict.CONFIRMED
    parts = [part(of, confirmed) for of in (hill, NO_TASK, dale, hill, plain)]
    assert shown(*parts)["evidence"] == "full-size data: dale; small: hill, plain; formula"
    alone = shown(*parts[:1], part(dale, ClaimVerdict.NOT_TESTABLE, NOT_RUN))
    assert (alone["evidence"], alone["parts"]) == ("small: hill", "1 of 2")


def test_a_claim_none_of_whose_parts_has_runs_is_not_run():
    task, listed = ClaimTask("hill", {}), ClaimVerdict.NOT_TESTABLE
    row = shown(part(task, listed, NOT_RUN), part(task, listed, NOT_KEPT))
    assert (row["verdict"], row["evidence"]) == (NOT_RUN, "none")
    assert row["effect"] == f"{NOT_RUN}; {NOT_KEPT}"
    assert shown(part(task, listed, "at chance"))["verdict"] == str(listed)


def side(setting: str, measure: str = "accuracy") -> Side:
    return Side((Term(measure, setting),))


def test_an_effect_names_what_differs_between_sides_that_all_parts_have():
    def effect(*sides: tuple[Side, Side]) -> object:
        parts = [Part(NO_TASK, "", "accuracy", *both) for both in sides]
        return shown(*(PartFinding(of, ClaimVerdict.CONFIRMED, 1.0) for of in parts))["effect"]

    few_bits = (side("fbftl+bits=8"), side("fbftl"))
    assert effect(few_bits).startswith("8 bits minus FbFTL: 1.00 ")
    guessed = (side("fbftl", "leak"), side("fbftl", "leak_by_chance"))
    assert effect(guessed).startswith("leak minus leak by chance: ")
    assert effect(few_bits, (side("fl"), side("fbftl"))).startswith("8 bits minus FbFTL: 1.00 ")
    gradients = [(side("fl"), side("fbftl")), (side("ftl_c"), side("fbftl"))]
    assert effect(*gradients, *gradients).startswith("FL or FTL_c minus FbFTL: 4 confirmed")
    finer = [(side(f"fl+bits={bits}"), side("fbftl")) for bits in (1, 2, 3, 4, 5)]
    assert effect(*finer).startswith("FL minus FbFTL: 5 confirmed")
    coarse = [(side("fbftl"), side(f"fbftl+bits={bits}")) for bits in (1, 2, 3, 4, 5)]
    assert effect(*coarse).startswith("5 confirmed")
    assert effect((side("fl"), Side(number=10.0))).startswith("1.00 ")


def test_sides_may_be_written_and_formulas_tell_their_own():
    row, task = replace(ROW, sides="the gain minus the loss"), ClaimTask("hill", {})
    parts = [part(task, ClaimVerdict.CONFIRMED)] * 4
    assert shown(*parts, row=row)["effect"].startswith("the gain minus the loss: 4 confirmed")
    assert shown(*parts[:1], row=row)["effect"].startswith("the gain minus the loss: 1.00 [")
    notes = [PartFinding(Part(task, "", "f"), parts[0].verdict, nan, note=of) for of in "abcdef"]
    assert shown(*notes)["effect"] == "a; b; c; d; e; f"


def test_parts_that_compare_the_same_sides_are_told_apart_by_their_values():
    coarse, plain = (side("fbftl+bits=8"), side("fbftl")), (side("fl"), side("fbftl"))
    named = {"plr=0.1": coarse, "plr=0.3": coarse, "plr=0.5": plain}
    parts = [Part(NO_TASK, name, "accuracy", *both) for name, both in named.items()]
    found = [PartFinding(of, ClaimVerdict.CONFIRMED, 1.0) for of in parts]
    compared = [effect.split(": 1.00")[0] for effect in str(shown(*found)["effect"]).split("; ")]
    assert compared == [
        "packet loss rate 0.1: 8 bits minus FbFTL",
        "packet loss rate 0.3: 8 bits minus FbFTL",
        "packet loss rate 0.5: FL minus FbFTL",
    ]
