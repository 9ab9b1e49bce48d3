"""The claims of paper survey, those of all its systems."""

from fbftl.papers.claims import Claim
from fbftl.papers.survey import claims_frameworks

CLAIMS: tuple[Claim, ...] = (*claims_frameworks.CLAIMS,)
