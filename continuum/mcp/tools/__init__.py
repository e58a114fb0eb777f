"""The tools: one module per group, each tool a few lines over the services."""
