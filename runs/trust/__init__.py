"""Who may do what, from where, how often; and what is kept of that."""
