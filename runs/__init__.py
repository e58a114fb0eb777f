"""The console: a thin Django app over `continuum.services`."""
