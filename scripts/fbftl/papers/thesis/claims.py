"""The claims of paper thesis, those of all its systems."""

from fbftl.papers.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
