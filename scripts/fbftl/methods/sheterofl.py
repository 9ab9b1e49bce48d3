"""SHeteroFL (paper thesis, Sec. 4.5): HeteroFL whose clients train all narrower slices of theirs.

The loss of a client is the sum of the losses of its slice and of those inside it, as of a slimmable
network (Yu et al. 2019).
"""

from functools import partial

from fbftl.exchange.shared_widths import run_widths

run = partial(run_widths, layout="slimmable slices")
