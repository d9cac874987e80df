"""What may be done to accounts: every write goes through here."""
