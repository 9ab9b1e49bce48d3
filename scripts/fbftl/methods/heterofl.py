"""HeteroFL (Diao et al. 2021): clients train leading slices of one network, as wide as they can.

The server averages every weight over the clients whose slice has it.
"""

from functools import partial

from fbftl.exchange.shared_widths import run_widths

run = partial(run_widths, layout="slices")
