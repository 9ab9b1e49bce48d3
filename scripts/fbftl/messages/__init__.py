"""What is sent: encoding, channel, link, and the ledger of every message."""
