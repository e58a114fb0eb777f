"""The Django project around the console: settings, addresses, and how it is started."""
