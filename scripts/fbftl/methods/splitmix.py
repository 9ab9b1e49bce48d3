"""Split-Mix (paper thesis, Ch. 4): narrow bases that weak clients can train, mixed to any width.

A client trains as many of the M_b bases as its budget allows, side by side; the server averages
each base over those that trained it, and a network of k bases predicts with the mean of the first
k bases' logits.
"""

from functools import partial

from fbftl.exchange.shared_widths import run_widths

run = partial(run_widths, layout="bases")
