"""What sentences of paper thesis compare, those of all its systems, and what is ours."""

from fbftl.papers.thesis import (
    claims_budget,
    claims_ecos,
    claims_fade,
    claims_robust,
    claims_splitmix,
)

SENTENCES = (
    claims_budget.SENTENCES
    | claims_fade.SENTENCES
    | claims_splitmix.SENTENCES
    | claims_robust.SENTENCES
    | claims_ecos.SENTENCES
)

HYPOTHESES = {
    **claims_budget.HYPOTHESES,
    **claims_fade.HYPOTHESES,
    **claims_splitmix.HYPOTHESES,
    **claims_ecos.HYPOTHESES,
}
