"""Which of the project's studies every call knows, and which full study this one makes."""

from fbftl.study.full_studies import read_of_size, with_folders
from fbftl.study.systems import read_systems

try:
    SYSTEMS = read_systems(BASE)
    OF_SIZE = read_of_size(BASE, config, SYSTEMS)
except UserError as error:
    sys.exit(str(error))

config.update(with_folders(config, OF_SIZE))
