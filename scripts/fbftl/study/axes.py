"""The axes that several methods share, in groups.

An axis that one method alone reads is described beside its record, in `study/methods/<name>.py`.
"""

from collections.abc import Iterator

from fbftl.ground.floats import FLOAT_BITS
from fbftl.ground.ring import FRACTION_BITS
from fbftl.study.axis import Axis, AxisValues, Needs, Numbers
from fbftl.study.widths import LAWS

# --- The method and its source network ------------------------------------------------------------

METHOD = Axis(
    "method", str, "fbftl",
    "how the model is trained; `study/methods/` has a record of each.",
    {"$ref": "#/$defs/method"},
)  # fmt: skip

CUT = Axis(
    "cut", str, None,
    "cut layer m_c; none takes the task's own.",
    {
        "type": ["string", "integer", "null"],
        "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]*$",
        "maxLength": 100,
    },
)  # fmt: skip

NETWORK = Axis(
    "network", str, None,
    "name of the network that starts at random; none takes source architecture and head.",
)  # fmt: skip

# --- Clients --------------------------------------------------------------------------------------

CLIENTS = (
    Axis(
        "fraction", float, 1.0,
        "fraction of the clients' samples that take part.",
        Numbers(above=0, most=1),
    ),
    Axis(
        "samples_per_client", int, None,
        "samples per client K; none takes the task's own.",
        Numbers(least=1),
    ),
    Axis(
        "partition", str, None,
        "how the task's samples are dealt anew; none takes the task's own partition.",
        ("iid", "shards", "balanced_shards", "dirichlet", "dirichlet_equal"),
    ),
    Axis(
        "alpha", float, None,
        "concentration of a Dirichlet partition; none takes the task's own.",
        Numbers(above=0, most=1_000_000),
    ),
    Axis("clients", int, None, "number of clients U; none takes the task's own.", Numbers(least=1)),
)  # fmt: skip

CLIENTS_PER_ROUND = Axis(
    "clients_per_round", int, None,
    "clients of a round U C, of whose samples FbFTL's server makes a step; none takes the task's "
    "own.",
    Numbers(least=1),
)  # fmt: skip

MOST_SAMPLES = Axis(
    "most_samples", int, None,
    "samples that a client has at most, the others left out; none leaves none out.",
    Numbers(least=1),
)  # fmt: skip

# --- Link -----------------------------------------------------------------------------------------

LOSES_PACKETS = Needs("a packet loss rate plr", lambda setting: bool(setting.plr or setting.blr))
LOSES_BLOCKS = Needs("a block loss rate blr", lambda setting: setting.blr > 0)

PLR = Axis(
    "plr", float, 0.0, "packet loss rate PLR, given directly.", Numbers(least=0, below=1)
)  # fmt: skip

LINK = (
    PLR,
    Axis(
        "blr", float, 0.0,
        "block loss rate BLR, from which the packet loss rate follows by Eq. (18).",
        Numbers(least=0, below=1),
    ),
    Axis(
        "burst", float, 1.0,
        "mean length of a loss burst in blocks; 1 loses blocks independently.",
        Numbers(least=1, most=1_000_000),
        (LOSES_BLOCKS,),
    ),
    Axis(
        "retransmissions", int, 0,
        "retransmissions n_r that a lost block gets at most.",
        Numbers(least=0, most=1000),
        (LOSES_BLOCKS,),
    ),
)  # fmt: skip

LOSS = Axis(
    "loss", str, "persistent",
    "persistent keeps a lost upload lost; reshuffled loses whole mini-batches of other samples in "
    "every pass, as the public script does.",
    ("persistent", "reshuffled"),
    (LOSES_PACKETS,),
)  # fmt: skip

# --- Compression ----------------------------------------------------------------------------------


def is_compressed(setting: AxisValues) -> bool:
    """Tell whether messages have fewer bits or fewer elements than plain ones."""
    return setting.bits != FLOAT_BITS or setting.keep != 1


BITS = Axis(
    "bits", int, FLOAT_BITS,
    "bits q per sent element; 32 sends the float itself.",
    (*range(1, 17), FLOAT_BITS),
)  # fmt: skip

KEEP = Axis("keep", float, 1.0, "keep ratio r of the sparsifier.", Numbers(above=0, most=1))

COMPRESSION = (BITS, KEEP)

FEEDBACK = Axis(
    "feedback", bool, True,
    "error feedback of the gradient methods under compression, Eq. (20)-(21).",
    needs=(Needs("bits or keep", is_compressed),),
)  # fmt: skip

# --- Noise ----------------------------------------------------------------------------------------

IN_STEPS = ("dp_gd", "dp_fedavg")
"""Mechanisms that add noise in steps or rounds, over which a schedule shares out the budget."""

CALIBRATED = ("relative", "gaussian", "update_gaussian", "dp_fedavg", "dp_gd", "counts")
"""Mechanisms whose noise has the multiplier sigma, given or calibrated from epsilon."""

MECHANISM_GIVEN = Needs("a mechanism", lambda setting: setting.mechanism != "none")
NOISY_STEPS = Needs(
    "mechanism dp_gd or dp_fedavg", lambda setting: setting.mechanism in IN_STEPS
)  # fmt: skip

NOISE = (
    Axis(
        "mechanism", str, "none",
        "noise on uploads: none, relative, gaussian, feature_gaussian, feature_laplace, "
        "update_gaussian, dp_fedavg, laplace or counts; dp_gd on a server's steps.",
        {"$ref": "#/$defs/mechanism"},
    ),
    Axis(
        "sigma", float, None,
        "noise multiplier; none has it calibrated from epsilon.",
        Numbers(above=0, most=1_000_000),
        (MECHANISM_GIVEN,),
    ),
    Axis(
        "epsilon", float, None,
        "privacy loss epsilon that the mechanism is calibrated to.",
        Numbers(above=0, most=1_000_000),
        (MECHANISM_GIVEN,),
    ),
)  # fmt: skip

OF_FEATURES = (
    Axis(
        "noise_draw", str, "once",
        "once is a draw per upload; redrawn is the public script's fresh draw every epoch.",
        ("once", "redrawn"),
        (MECHANISM_GIVEN,),
    ),
    Axis(
        "label_epsilon", float, None,
        "epsilon of randomised response on the labels; none sends them as they are.",
        Numbers(above=0, most=100),
    ),
)  # fmt: skip
"""Of uploads of every sample's features with its label."""

SCHEDULE = (
    Axis(
        "schedule", str, "uniform",
        "how the budget is shared out over steps or rounds: uniform, exp, or dynamic, the best one "
        "for the influence of each step under momentum.",
        ("uniform", "exp", "dynamic"),
        (NOISY_STEPS,),
    ),
    Axis(
        "decay", float, 1.0,
        "first over last noise variance of the schedule exp; below 1 it rises.",
        Numbers(above=0, most=1_000_000),
        (
            Needs(
                "schedule exp or dynamic",
                lambda setting: setting.mechanism in IN_STEPS and setting.schedule != "uniform",
            ),
        ),
    ),
    Axis(
        "accountant", str, "exact",
        "exact, or zcdp as paper thesis has it.",
        ("exact", "zcdp"),
        (NOISY_STEPS,),
    ),
)  # fmt: skip

# --- Rounds ---------------------------------------------------------------------------------------

LOCAL_EPOCHS = Axis(
    "local_epochs", int, 1,
    "passes E that a client makes over its samples in a round before it sends.",
    Numbers(least=1, most=1000),
)  # fmt: skip

LOCAL_BATCH = Axis(
    "local_batch", int, None,
    "samples per step of a client's local epochs; none takes the task's own.",
    Numbers(least=1),
)  # fmt: skip

AGGREGATION = Axis(
    "aggregation", str, "open",
    "open shows the server every message; masked shows it their sum alone, a model of secure "
    "aggregation with a trusted dealer, which knows every mask.",
    ("open", "masked"),
)  # fmt: skip

MASKED = Needs("aggregation: masked", lambda setting: setting.aggregation == "masked")

POINT = Axis(
    "fraction_bits", int, FRACTION_BITS,
    "bits f behind the point of masked numbers, which are rounded to multiples of 2^-f.",
    Numbers(least=0, most=60),
    (MASKED,),
)  # fmt: skip

SUMS = (AGGREGATION, POINT)
"""What methods read whose messages add up."""

SERVER_EPOCHS = Axis(
    "server_epochs", int, 1,
    "passes E_r that the server makes over features; 0 asks for none.",
    Numbers(least=0, most=1000),
)  # fmt: skip

BY_ROUNDS = (*CLIENTS, *LINK, *COMPRESSION, FEEDBACK, *NOISE, *SCHEDULE)
"""What training by rounds of clients reads."""

# --- Widths of networks ---------------------------------------------------------------------------

WIDTH = Axis(
    "width", float, 1.0,
    "share of the network's hidden units: of FedAvg's network, of a base of Split-Mix, of the "
    "narrowest network of HeteroFL and SHeteroFL.",
    Numbers(least=0.0001, most=1),
)  # fmt: skip

WIDTHS = (
    *BY_ROUNDS,
    NETWORK,
    LOCAL_EPOCHS,
    WIDTH,
    Axis("budgets", str, "exponential", "law of the widths that clients can train.", LAWS),
    Axis(
        "budget_order", str, "by_domain",
        "whether the widths follow the order of the domains, the largest or the poorest first, or "
        "every domain has them all.",
        ("by_domain", "poorest_first", "spread"),
    ),
)  # fmt: skip
"""What methods read whose clients train networks of the widths that they can."""

RESCALED_INIT = Axis(
    "rescaled_init", bool, False,
    "whether bases begin with the weights of slices of the whole network.",
)  # fmt: skip

RESCALED_LAYERS = Axis(
    "rescaled_layers", bool, False,
    "whether what a base's hidden layers give is divided by its width before it is normalised.",
)  # fmt: skip

# --- Transfer between domains and parties ---------------------------------------------------------

OPEN_DATA = (
    Axis(
        "public_data", str, "source",
        "open data that clients or the server learn first: source is letters, target samples of "
        "the task's own kind.",
        ("source", "target"),
    ),
    Axis(
        "transfer_epochs", int, 10,
        "passes over them, before the first round.",
        Numbers(least=1, most=1_000_000),
    ),
)  # fmt: skip

PROTECTION = Axis(
    "protection", str, "plain",
    "of what is sent: plain, paillier or ckks under encryption, beaver in shares.",
    ("plain", "paillier", "ckks", "beaver"),
)  # fmt: skip

SHARED = (
    METHOD, CUT, NETWORK, *CLIENTS, CLIENTS_PER_ROUND, MOST_SAMPLES, *LINK, LOSS, *COMPRESSION,
    FEEDBACK, *NOISE, *OF_FEATURES, *SCHEDULE, LOCAL_EPOCHS, LOCAL_BATCH, AGGREGATION,
    SERVER_EPOCHS, *WIDTHS, RESCALED_INIT, *OPEN_DATA, PROTECTION, POINT, RESCALED_LAYERS,
)  # fmt: skip
"""All of them."""


def shared_faults(setting: AxisValues) -> Iterator[str]:
    """Yield what shared axes of a setting say against each other, each with its remedy."""
    plr, blr, mechanism = setting.plr, setting.blr, setting.mechanism
    if plr > 0 and blr > 0:
        yield "gives both plr and blr, two ways to say what is lost; keep one"
    if 1 < setting.burst < blr / (1 - blr):
        yield (
            f"asks for bursts of {setting.burst} blocks at BLR {blr}, which are too short; give "
            "burst at least blr / (1 - blr)"
        )
    if setting.loss == "reshuffled" and plr == 0:
        yield "is reshuffled, which is for a packet loss rate; use loss: persistent"
    if setting.clients is not None and setting.samples_per_client is not None:
        yield "gives both clients and samples_per_client, which follow from each other; keep one"
    if setting.sigma is not None and setting.epsilon is not None:
        yield "gives both sigma and epsilon; keep one"
    if mechanism in CALIBRATED and setting.sigma is None and setting.epsilon is None:
        yield f"has mechanism {mechanism}, which needs sigma or epsilon; give one"
    if setting.aggregation != "open" and is_compressed(setting):
        yield "masks compressed messages, whose sum cannot be decoded; use bits 32 and keep 1"
    if setting.schedule == "dynamic" and setting.decay <= 1:
        yield f"has schedule dynamic, whose decay is {setting.decay:g}; give decay above 1"
    if setting.schedule == "exp" and setting.decay == 1:
        yield "has schedule exp, whose decay is 1; give decay above 1, or below for rising noise"
    if mechanism == "dp_fedavg" and setting.accountant == "zcdp":
        yield (
            "accounts sampled rounds by zCDP, which sampling does not amplify; use accountant "
            "exact, which composes them by their privacy loss distributions"
        )
