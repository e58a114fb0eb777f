"""What each page shows, gathered from the services and put into words."""
