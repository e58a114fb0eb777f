"""What runs beside an agent: registries in the working folder, probes, hooks."""
