"""Thesis: schedules of noise, fairness, models of every width, and bought public rows (ch. 2 to 5)."""

PURCHASE = [
    "purchase_rule",
    "purchase_allocation",
    "centroids",
    "purchase",
    "score_power",
    "count_sampling",
    "mechanism",
    "sigma",
    "bits",
    "aggregation",
    "uploaders",
    "clients",
    "label_source",
    "purchase_purpose",
]
"""Axes that tell a purchase apart."""

GAME = [
    "network",
    "mechanism",
    "sigma",
    "epsilon",
    "aggregation",
    "adversary",
    "majority_users",
    "minority_participation",
    "local_steps",
    "discriminator_rate",
    "discriminator_sees",
    "unlabelled_loss",
]
"""Axes of the tables here, whether or not a run deviates in them."""


OF_EXPERIMENT["budget"] = [
    Result(
        "tabulate_budget",
        "privacy",
        "Schedules of noise",
        tidy("budget") | guarantees("budget"),
        axes(
            "budget",
            "mechanism",
            "epsilon",
            "schedule",
            "decay",
            "descent_steps",
            "accountant",
            "descent_momentum",
        ),
    ),
    Result("plot_budget", "privacy", "Schedules of noise", table_of("budget")),
    Result(
        "plot_influence",
        "privacy",
        "Influence of a step",
        {"table": "results/{task}/influence.csv"},
        {"decays": decays_of_budget},
    ),
]

OF_EXPERIMENT["fairness"] = [
    Result(
        "tabulate_fairness",
        "privacy",
        "Fairness",
        tidy("fairness") | guarantees("fairness"),
        axes("fairness", *GAME),
    ),
    Result(
        "plot_fairness",
        "privacy",
        "Fairness",
        tidy("fairness") | series("fairness"),
        axes("fairness", *GAME),
    ),
]

OF_EXPERIMENT["fairness_strong"] = [
    Result(
        "tabulate_fairness_strong",
        "privacy",
        "Fairness, strong discriminator",
        tidy("fairness_strong") | guarantees("fairness_strong"),
        axes("fairness_strong", *GAME),
        script="tabulate_fairness",
    ),
]

OF_EXPERIMENT["group_leakage"] = [
    Result(
        "tabulate_group_leakage",
        "privacy",
        "Groups in updates",
        tidy("group_leakage") | guarantees("group_leakage"),
        axes("group_leakage", *GAME),
        script="tabulate_fairness",
    ),
]

OF_EXPERIMENT["domain_adaptation"] = [
    Result(
        "tabulate_domain_adaptation",
        "cost",
        "Domain adaptation",
        tidy("domain_adaptation") | guarantees("domain_adaptation"),
        axes("domain_adaptation", *GAME),
        script="tabulate_fairness",
    ),
    Result(
        "plot_domain_adaptation",
        "cost",
        "Domain adaptation",
        tidy("domain_adaptation"),
        axes("domain_adaptation", *GAME),
    ),
]

OF_EXPERIMENT["robust"] = [
    Result(
        "plot_robust",
        "cost",
        "Robustness",
        tidy("robust"),
        axes("robust", "disturbed_normalisation"),
    ),
]


def of_widths(experiment):
    """Return params for a table of widths: network, images, domains and methods."""
    network = partial(network_of_widths, experiment=experiment)
    images = {"size": size_of_images, "domains": domains_of}
    return {"network": network} | images | shown(experiment)


OF_EXPERIMENT["widths"] = [
    Result(
        "tabulate_widths",
        "cost",
        "Widths",
        runs_and_ledgers("widths") | CLIENTS,
        of_widths("widths")
        | axes(
            "widths",
            "width",
            "budgets",
            "budget_order",
            "rescaled_init",
            "rescaled_layers",
        ),
        files=CLIENTS_DIGEST,
    ),
    Result("plot_widths", "cost", "Widths", table_of("widths"), shown("widths")),
    Result(
        "plot_domains",
        "cost",
        "Domains",
        table_of("widths"),
        {"domains": domains_of} | shown("widths"),
    ),
]

OF_EXPERIMENT["width_laws"] = [
    Result(
        "tabulate_width_laws",
        "cost",
        "Widths under laws of budgets",
        runs_and_ledgers("width_laws") | CLIENTS,
        of_widths("width_laws")
        | axes(
            "width_laws",
            "width",
            "budgets",
            "budget_order",
            "rescaled_init",
            "clients_per_round",
        ),
        script="tabulate_widths",
        files=CLIENTS_DIGEST,
    ),
    Result(
        "plot_width_laws",
        "cost",
        "Widths under laws of budgets",
        table_of("width_laws"),
        shown("width_laws"),
    ),
]

OF_EXPERIMENT["width_classes"] = [
    Result(
        "tabulate_width_classes",
        "cost",
        "Widths where clients lack classes",
        runs_and_ledgers("width_classes") | CLIENTS,
        of_widths("width_classes")
        | axes(
            "width_classes",
            "width",
            "budgets",
            "budget_order",
            "rescaled_init",
            "rescaled_layers",
        ),
        script="tabulate_widths",
        files=CLIENTS_DIGEST,
    ),
    Result(
        "plot_width_classes",
        "cost",
        "Widths where clients lack classes",
        table_of("width_classes"),
        shown("width_classes"),
        script="plot_widths",
    ),
]

OF_EXPERIMENT["width_heads"] = [
    Result(
        "tabulate_width_heads",
        "cost",
        "Widths on features",
        tidy("width_heads"),
        shown("width_heads") | axes("width_heads", "budget_order"),
    ),
]

OF_EXPERIMENT["ecos"] = [
    Result(
        "tabulate_ecos",
        "privacy",
        "What counts buy",
        tidy("ecos") | guarantees("ecos"),
        axes("ecos", *PURCHASE),
    ),
    Result("plot_ecos", "privacy", "What counts buy", table_of("ecos")),
    Result(
        "plot_purchases",
        "privacy",
        "What each choice bought",
        {"runs": runs_of_choices, "public": ancient("results/{task}/public.h5")},
        {"domains": domains_of, "block": partial(task_block, block="public")},
        files=["results/{task}/public.h5.sha256"],
    ),
    Result(
        "tabulate_count_attacks",
        "privacy",
        "What counts tell",
        findings("counts"),
        script="tabulate_attacks",
    ),
]

OF_EXPERIMENT["ecos_uploads"] = [
    Result(
        "tabulate_ecos_uploads",
        "cost",
        "Counts before uploads",
        tidy("ecos_uploads"),
        axes("ecos_uploads", *PURCHASE),
    ),
    Result(
        "plot_ecos_uploads",
        "cost",
        "Counts before uploads",
        tidy("ecos_uploads"),
        axes("ecos_uploads", *PURCHASE),
    ),
]

OF_PAPER["thesis"] = [
    *OF_SENTENCES,
    Result("tabulate_budget_bounds", "privacy", "Bounds by condition number"),
    Result(
        "plot_budget_bounds",
        "privacy",
        "Bounds by condition number",
        {"table": "results/papers/thesis/tables/budget_bounds.csv"},
    ),
]
