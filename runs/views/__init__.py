"""One module per page: read input, call one service, answer."""
