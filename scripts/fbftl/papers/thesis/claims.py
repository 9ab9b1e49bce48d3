"""The claims of paper thesis, those of all its systems."""

from fbftl.papers.claims import Claim
from fbftl.papers.thesis.claims_budget import BUDGET
from fbftl.papers.thesis.claims_ecos import ECOS
from fbftl.papers.thesis.claims_fade import FADE
from fbftl.papers.thesis.claims_splitmix import SPLITMIX

CLAIMS: tuple[Claim, ...] = (*BUDGET, *ECOS, *SPLITMIX, *FADE)
