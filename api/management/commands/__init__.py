"""Commands that write what the documents list."""
