"""Run a setting in Flower's environment by an app that was changed.

python faulty_federation.py APP SETTING CLIENTS PORT CONFIGFILE
"""

import sys
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.study.resolved import study_of
from fbftl_deploy.planning import Order
from fbftl_deploy.running import Wire, deploy

if __name__ == "__main__":
    app, setting, clients, port, configuration = sys.argv[1:]
    order = Order("digits", setting, 0, clients=int(clients), repeat=True)
    wire = Wire(int(port), app=Path(app))
    try:
        print(deploy(study_of(Path(), [configuration]), order, Path("results"), wire)[0])
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
