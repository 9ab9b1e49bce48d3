"""An app whose one client uploads as many bytes as it is asked for."""
