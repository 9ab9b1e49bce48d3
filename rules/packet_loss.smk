"""Packet loss: lost blocks, bursts and retransmissions, by ledger and by Eq. (18) and (19)."""


rule tabulate_packet_loss:
    input:
        runs=partial(run_files, experiment="packet_loss", suffix="json"),
        ledgers=partial(run_files, experiment="packet_loss", suffix="parquet"),
    output:
        **table("results/{task}/tables/packet_loss", "loss", "Lossy link"),
    log:
        "results/{task}/logs/tables/packet_loss.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("tabulate_packet_loss.py"),
        methods=partial(methods_of, experiment="packet_loss"),
        axes=partial(
            axes_of,
            experiment="packet_loss",
            read=["fraction", "blr", "burst", "retransmissions"],
        ),
    script:
        "../scripts/tabulate_packet_loss.py"


rule plot_packet_loss:
    input:
        table="results/{task}/tables/packet_loss.csv",
    output:
        **figure("results/{task}/figures/packet_loss", "loss", "Lossy link"),
    log:
        "results/{task}/logs/figures/packet_loss.log",
    conda:
        "../envs/workflow.yaml"
    params:
        code=code("plot_packet_loss.py"),
        methods=partial(methods_of, experiment="packet_loss"),
    script:
        "../scripts/plot_packet_loss.py"
