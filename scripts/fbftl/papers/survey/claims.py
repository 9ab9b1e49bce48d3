"""What sentences of paper survey compare, those of all its systems, and what is ours."""

from fbftl.papers.survey import claims_dpsgd, claims_frameworks

SENTENCES = claims_dpsgd.SENTENCES | claims_frameworks.SENTENCES

HYPOTHESES = claims_frameworks.HYPOTHESES
