"""Who looks after the site: what staff may do, do, and have done."""
