"""Rivals: what a client may upload instead of its features, and what a user gets for it."""

UPLOADED = [
    "message",
    "head",
    "projection",
    "components",
    "covariance",
    "aggregation",
    "bits",
    "mechanism",
    "epsilon",
]
"""Axes that tell an upload apart."""


OF_EXPERIMENT["uploads"] = [
    Result(
        "tabulate_uploads",
        "cost",
        "What to upload",
        CLIENTS | tidy("uploads") | {"network": "results/{task}/network.json"},
        axes("uploads", *UPLOADED)
        | {
            "radio": STUDY.config["radio"],
            "training": partial(task_block, block="training"),
            "one_shot": partial(task_block, block="one_shot"),
        },
        files=CLIENTS_DIGEST,
    ),
    Result("plot_uploads", "cost", "Accuracy against uplink", table_of("uploads")),
]

OF_EXPERIMENT["uploads_clients"] = [
    Result(
        "plot_uploads_clients",
        "cost",
        "Uploads by client size",
        tidy("uploads_clients"),
        {"axis": "samples_per_client", "task_value": own_samples_per_client}
        | axes("uploads_clients", *UPLOADED, "samples_per_client"),
        script="plot_uploads_by",
    ),
    Result(
        "plot_crossover",
        "cost",
        "Features or statistics",
        tidy("uploads_clients") | {"network": "results/{task}/network.json"},
        axes("uploads_clients", *UPLOADED, "samples_per_client"),
    ),
]

OF_EXPERIMENT["uploads_skew"] = [
    Result(
        "plot_uploads_skew",
        "cost",
        "Uploads by label skew",
        tidy("uploads_skew"),
        {"axis": "alpha", "task_value": None}
        | axes("uploads_skew", *UPLOADED, "alpha"),
        script="plot_uploads_by",
    ),
]

OF_EXPERIMENT["uploads_loss"] = [
    Result(
        "plot_uploads_loss",
        "loss",
        "Uploads that are lost",
        tidy("uploads_loss"),
        {"axis": "plr", "task_value": None}
        | axes("uploads_loss", *UPLOADED, "plr", "blr"),
        script="plot_uploads_by",
    ),
]

OF_EXPERIMENT["uploads_ring"] = [
    Result(
        "tabulate_rings",
        "cost",
        "Bits of masked numbers",
        tidy("uploads_ring"),
        axes("uploads_ring", *UPLOADED, "fraction_bits"),
    ),
]

OF_EXPERIMENT["uploads_privacy"] = [
    Result(
        "tabulate_trust",
        "privacy",
        "Whom a guarantee trusts",
        {
            "tidy": "results/{task}/experiments/uploads_privacy.csv",
            "runs": partial(run_files, experiment="uploads_privacy", suffix="json"),
            "attacked": "results/{task}/attacks/trust.csv",
        },
        axes("uploads_privacy", *UPLOADED, "label_epsilon") | shown("uploads_privacy"),
    ),
    Result(
        "plot_trust",
        "privacy",
        "Whom a guarantee trusts",
        table_of("trust"),
        shown("uploads_privacy"),
    ),
    "figures/means",
    Result(
        "tabulate_upload_attacks",
        "privacy",
        "What uploads tell",
        findings("uploads", "means"),
        script="tabulate_attacks",
    ),
    Result(
        "tabulate_upload_membership",
        "privacy",
        "Membership attacks on solved heads",
        {"attempts": "results/{task}/attacks/uploads_by_attack.csv"},
        script="tabulate_membership",
    ),
]

OF_EXPERIMENT["rival_inverted"] = [
    "tables/inverted",
]

OF_PAPER["rivals"] = [
    *OF_SENTENCES,
    Result(
        "tabulate_published_rivals",
        "audit",
        "Published numbers of rivals",
        {"runs": tidy_tables_of_uploads}
        | printed(printed="rivals/accuracy.csv")
        | SETUPS,
        {"axes": axes_of_uploads, "tasks": setups_with_uploads},
        stem="published",
    ),
]
