"""What every room stands on: errors, files, random streams, logs, digests, devices."""
