"""What staff do, one function for each kind of action: permitted, with a reason, once, recorded."""
