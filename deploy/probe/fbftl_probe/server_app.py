"""The server: it asks for one size after the other, each once the benchmark has counted."""

import json
import time
from pathlib import Path

from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.serverapp import Grid, ServerApp

LOOK_SECONDS = 0.2
PATIENCE_SECONDS = 300.0

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Ask for every size of the plan."""
    folder = Path(str(context.run_config["plan"]))
    while not (nodes := list(grid.get_node_ids())):
        time.sleep(LOOK_SECONDS)
    for number, size in enumerate(json.loads((folder / "sizes.json").read_text())):
        while not (folder / f"go-{number}").exists():
            time.sleep(LOOK_SECONDS)
        request = RecordDict({"request": ConfigRecord({"size": size})})
        message = Message(request, dst_node_id=nodes[0], message_type="query")
        (reply,) = grid.send_and_receive([message], timeout=PATIENCE_SECONDS)
        arrived = len(reply.content["answer"]["payload"])
        (folder / f"arrived-{number}").write_text(str(arrived))
