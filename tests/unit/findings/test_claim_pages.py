"""Pages of papers say what is claimed, and how many printed numbers are reproduced."""

import pytest
from fbftl.findings.claim_pages import effect_words, fill_claims
from fbftl.ground.errors import UserError


def test_an_unknown_paper_is_refused() -> None:
    with pytest.raises(UserError, match=r"bees\.md asks for the claims of 'bees'"):
        fill_claims("<!--printed:bees-->\n<!--end-->", {}, "bees.md")


def test_an_effect_is_told_in_words():
    effect = "uplink over FbFTL's: fl 490 times; uplink over FbFTL's: ftl_c 91 times"
    assert effect_words(effect) == "uplink over FbFTL's: FL 490 times; FTL_c 91 times"
    assert effect_words("rule a: 7 points; rule b: 1") == "rule a: 7 points; rule b: 1"
