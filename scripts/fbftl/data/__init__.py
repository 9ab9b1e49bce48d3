"""What clients hold: data sets, dialogues, clients, who takes part, public samples."""
