"""The claims of paper survey, those of all its systems."""

from fbftl.papers.claims import Claim
from fbftl.papers.survey import claims_frameworks
from fbftl.papers.survey.claims_dpsgd import DPSGD

CLAIMS: tuple[Claim, ...] = (*DPSGD, *claims_frameworks.CLAIMS)
