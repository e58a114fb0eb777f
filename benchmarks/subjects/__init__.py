"""What is measured: one module a subject, each with `measure(settings) -> Table`."""
