"""Forms: what people type and choose, checked before a service sees it."""
