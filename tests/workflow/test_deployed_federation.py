"""A setting of the toy study as a Flower federation of four clients, where Flower is at hand."""

import json
import subprocess

from fbftl.study.resolved import study_of
from fbftl_deploy.planning import Order, plan
from flower import found_by, free_ports
from project import TOY, Project
from unit.deploy.in_process import run


def test_four_clients_give_the_head_of_the_library_call(root, flower, finished: Project):
    order = Order("digits", "fbftl", 0, clients=4, repeat=True)
    study = study_of(root, [str(root / TOY)])
    served, _, sent = run(plan(study, order, finished.results, finished.folder, 0))
    words = ["fbftl", "--clients", "4", "--repeat", "--port", str(free_ports())]
    done = subprocess.run(
        [flower, "-m", "fbftl_deploy", *words, "--configfile", TOY],
        cwd=finished.folder,
        env=found_by(root),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    path = finished.results / "digits" / "deployed" / "fbftl" / "0.json"
    document = json.loads(path.read_text())
    assert document["models"] == served.models
    assert list(document["payload_bytes"].values()) == sent
    assert document["payload_is_ledger"]
    for parts in document["wire"]["total"].values():
        assert 0 <= parts["rest"] <= 0.01 * parts["seen"]
