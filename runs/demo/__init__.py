"""The demo: small scripted agents on the public library, some of them killed."""
