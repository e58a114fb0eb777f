"""The PostgreSQL back end. Importing it costs about 100 ms, so only `opening` does, on demand."""
