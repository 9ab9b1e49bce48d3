"""Extract the features of every client's samples once, and cache them."""

import json
from pathlib import Path
from typing import Any

from fbftl import devices
from fbftl.clients import ClientFile
from fbftl.extract import extract
from fbftl.files import sha256
from fbftl.forward import forward_fn
from fbftl.logs import run_job
from fbftl.preprocess import Preprocessing
from fbftl.source import load_source
from fbftl.store import Provenance
