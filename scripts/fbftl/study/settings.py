"""Settings: one frozen record per training job, its axes and its name.

Settings compare by value, and a setting's name holds only the axes that differ from their default:
a setting that several experiments share is one job, and a new axis renames none. Jobs, tables and
figures never import this module; what they need of it reaches them as params.
"""

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, get_args, get_type_hints

from fbftl.ground.floats import FLOAT_BITS
from fbftl.study.job import name_of


@dataclass(frozen=True, order=True, slots=True)
class Setting:
    """The axes of one server-training job; the defaults are the clean, complete upload.

    Names rest on the defaults: none ever changes.

    method: how the model is trained; `study/methods.py` has a record of each.
    cut: cut layer m_c; none takes the task's own.
    fraction: fraction of the clients' samples that take part.
    samples_per_client: samples per client K; none takes the task's own.
    partition: how the task's samples are dealt anew; none takes the task's own partition.
    alpha: concentration of a Dirichlet partition; none takes the task's own.
    clients: number of clients U; none takes the task's own.
    plr: packet loss rate PLR, given directly.
    blr: block loss rate BLR, from which the packet loss rate follows by Eq. (18).
    burst: mean length of a loss burst in blocks; 1 loses blocks independently.
    retransmissions: retransmissions n_r that a lost block gets at most.
    loss: persistent keeps a lost upload lost; reshuffled masks positions as the public script does.
    bits: bits q per sent element; 32 sends the float itself.
    keep: keep ratio r of the sparsifier.
    feedback: error feedback of the gradient methods under compression, Eq. (20)-(21).
    mechanism: noise on uploads: none, relative, gaussian, dp_fedavg, laplace or counts; dp_gd on a
        server's steps.
    sigma: noise multiplier; none has it calibrated from epsilon.
    epsilon: privacy loss epsilon that the mechanism is calibrated to.
    noise: once is a draw per upload; redrawn is the public script's fresh draw every epoch.
    label_epsilon: epsilon of randomised response on the labels; none sends them as they are.
    network: name of the network that starts at random; none takes source architecture and head.
    local_epochs: passes E that a client makes over its samples in a round before it sends.
    aggregation: open shows the server every message; masked shows it their sum alone.
    start: common has all clients start round 1 from one network, own each from its own.
    drawn: samples that every client draws anew in each round from all clients' samples; none has
        them train on their own.
    most_samples: samples that a client has at most, the others left out; none leaves none out.
    features_from: extractor behind a client's features: its own in its last_epoch or after it, or
        the averaged one.
    server_epochs: passes E_r that the server makes over features; 0 asks for none.
    feature_clip: L2 norm to which each sample's features are clipped; none leaves them unbounded.
    weighting: what clients count by in the average: their samples, or all equal.
    schedule: how the budget is shared out over steps or rounds: uniform, exp, or dynamic, the best
        one for the influence of each step under momentum.
    decay: first over last noise variance of the schedule exp.
    steps: noisy full-batch steps T.
    accountant: exact, or zcdp as paper thesis has it.
    momentum: bias-corrected momentum beta of noisy steps.
    message: what a client uploads: features, means, statistics, projected or mixtures.
    projection: dimensions k that features are projected to at random before their statistics.
    components: components G of a mixture for each class that a client has samples of; 0 has each
        client choose among the task's for each class, by samples that it holds out.
    covariance: of a mixture's components: diagonal, or spherical, as FedPFT's are.
    head: what the server solves: mlp is the task's perceptron, trained; logistic, ridge, fed3r,
        afl, lda, fedcgs, fedcof, fedcof_unit (its released code's), ncm and fedncm are linear.
    width: share of the network's hidden units: of FedAvg's network, of a base of Split-Mix, of the
        narrowest network of HeteroFL and SHeteroFL.
    budgets: law of the widths that clients can train.
    budget_order: whether the widths follow the order of the domains, the largest or the poorest
        first, or every domain has them all.
    rescaled_init: whether bases begin with the weights of slices of the whole network.
    norms: whether disturbed inputs have normalisations of their own or share those of clean ones.
    sources: source models that clients vote on: all of the task's, or those unrelated to it.
    selection_round: round in which they vote.
    votes: source models m that a client votes for.
    similarity: by which they compare models: unbiased or biased.
    public_data: open data that clients or the server learn first: source is letters, target
        samples of the task's own kind.
    transfer_epochs: passes over them, before the first round.
    distillation: weight of the teachers' part in a client's loss.
    seed_samples: raw samples that a client sends at most, for the server to make a generator of.
    adaptation: epochs in which a client adapts the last layers to itself in the end.
    alignment: weight eta of the distance between its and the source's second moments there.
    protection: of what is sent: plain, paillier or ckks under encryption, beaver in shares.
    common_samples: samples that both of two parties see a part of.
    dimensions: of the representations that two parties align.
    keep_activations: share θ_a of its activations that a client of a split network sends.
    keep_gradients: share θ_g of the gradients there that its edge server sends back.
    kept_gradients: which of them: large, small (by magnitude) or random.
    reading: paper selects in each channel of a sample; code in the batch, as its public code does.
    sensitivity: what Laplace noise is scaled by: clip, or the paper's channel_maximum.
    mask: vector is a number for each weight; scalar is one number for all, as Eq. (8) reads.
    client_part: last layer at the clients of a split network; none takes the network's own cut.
    adversary: loss of a discriminator of groups: none, plain, or squared.
    majority_users: users of each group but group 0, which has one; none takes the task's clients.
    participation: probability that a round is of a user of group 0, one user a round; none picks
        users by chance.
    opt_out: share of the rounds in which a user declines the game with the discriminator.
    local_steps: steps K that a user takes in a round before it sends.
    discriminator_rate: the discriminator's learning rate over the others'.
    discriminator_steps: steps of the discriminator for each step of the others.
    discriminator_sees: z, the product of class probabilities and z, or cdan: the product with
        samples weighted by their certainty, through which gradients come back.
    unlabelled_loss: what users without labels lower: nothing, or that of shot.
    choice: public rows that are bought of a cloud: by ecos, proximity (the clusters of the highest
        counts, whole), kcenter, random, or ideal, of the clients' own domains.
    allocation: cap shares out the purchase over clusters of bounded size, printed as the thesis.
    centroids: clusters R that clients count their rows by.
    purchase: public rows B that are bought.
    score_power: power s of the counts by which the purchase is shared out.
    sampling: probability γ with which a row is counted.
    uploaders: clients that upload their features as well.
    neighbours: what epsilon of a server's noisy steps is for: one row removed while the divisor
        stays, or one replaced.
    labels: of public rows: bought with them, or given by the client (private kNN).
    purpose: label trains on the labels, compress also on the scores of a teacher.
    digest_rate: the learning rate with which a consensus is digested over that of the samples.
    local_batch: samples per step of a client's local epochs; none takes the task's own.
    server_step: how a server retrains the classifier: clients steps as they do, printed and
        released as paper fedfeat and its public code, chosen by held-out features.
    proximal: weight μ of half the squared distance to the round's first weights in a client's loss.
    """

    method: str = "fbftl"
    cut: str | None = None
    fraction: float = 1.0
    samples_per_client: int | None = None
    partition: str | None = None
    alpha: float | None = None
    clients: int | None = None
    plr: float = 0.0
    blr: float = 0.0
    burst: float = 1.0
    retransmissions: int = 0
    loss: str = "persistent"
    bits: int = FLOAT_BITS
    keep: float = 1.0
    feedback: bool = True
    mechanism: str = "none"
    sigma: float | None = None
    epsilon: float | None = None
    noise: str = "once"
    label_epsilon: float | None = None
    network: str | None = None
    local_epochs: int = 1
    aggregation: str = "open"
    start: str = "common"
    drawn: int | None = None
    most_samples: int | None = None
    features_from: str = "last_epoch"
    server_epochs: int = 1
    feature_clip: float | None = None
    weighting: str = "samples"
    schedule: str = "uniform"
    decay: float = 1.0
    steps: int = 100
    accountant: str = "exact"
    momentum: float = 0.0
    message: str = "features"
    projection: int | None = None
    components: int = 1
    covariance: str = "diagonal"
    head: str = "mlp"
    width: float = 1.0
    budgets: str = "exponential"
    budget_order: str = "by_domain"
    rescaled_init: bool = False
    norms: str = "own"
    sources: str | None = None
    selection_round: int | None = None
    votes: int = 1
    similarity: str = "unbiased"
    public_data: str = "source"
    transfer_epochs: int = 10
    distillation: float = 0.0
    seed_samples: int = 0
    adaptation: int = 0
    alignment: float = 0.0
    protection: str = "plain"
    common_samples: int = 50
    dimensions: int = 8
    keep_activations: float = 1.0
    keep_gradients: float = 1.0
    kept_gradients: str = "large"
    reading: str = "paper"
    sensitivity: str | None = None
    mask: str = "vector"
    client_part: str | None = None
    adversary: str = "none"
    majority_users: int | None = None
    participation: float | None = None
    opt_out: float = 0.0
    local_steps: int = 1
    discriminator_rate: float = 1.0
    discriminator_steps: int = 1
    discriminator_sees: str = "z"
    unlabelled_loss: str = "none"
    choice: str = "ecos"
    allocation: str = "cap"
    centroids: int = 100
    purchase: int = 0
    score_power: float = 1.0
    sampling: float = 1.0
    uploaders: int = 0
    neighbours: str = "removed"
    labels: str = "bought"
    purpose: str = "label"
    digest_rate: float = 1.0
    local_batch: int | None = None
    server_step: str = "clients"
    proximal: float = 0.0

    @property
    def name(self) -> str:
        """The setting's file name."""
        return name_of(self.deviations())

    @property
    def compressed(self) -> bool:
        """Whether messages have fewer bits or fewer elements than plain ones."""
        return self.bits != FLOAT_BITS or self.keep != 1

    def deviations(self) -> dict[str, Any]:
        """Return the method and the axes that differ from their default, in the fixed order."""
        rows = zip(DEFAULTS, _values(self), DEFAULTS.values(), strict=True)
        return {axis: v for axis, v, default in rows if axis == "method" or v != default}


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Setting)}
"""Default of each axis by its name, in the fixed order of the axes; the method is the first."""

_values = attrgetter(*DEFAULTS)
"""All axes of a setting at once: plans of ten thousand settings ask for them many times over."""

TYPES: dict[str, type] = {
    name: next(t for t in (*get_args(hint), hint) if t is not type(None))
    for name, hint in get_type_hints(Setting).items()
}
"""Type of each axis by its name."""
