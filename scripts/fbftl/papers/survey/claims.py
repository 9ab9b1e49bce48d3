"""The claims of paper survey, those of all its systems."""

from fbftl.papers.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
