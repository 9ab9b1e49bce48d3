"""What every room rests on: errors, files, random streams, logs, digests, devices."""
