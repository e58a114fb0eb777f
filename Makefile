# The two commands of the README are `make demo` and `make test`.
# PYTHON= chooses the interpreter, BIND=host:port the console's address,
# ARGS= is passed on: make test ARGS="tests/cli -k start", make bench ARGS=--quick

PYTHON ?= python3
BIND ?=
ARGS ?=
export PYTHON BIND

.PHONY: help install demo test check bench lock

help:
	@echo "make demo     console with live demo data (BIND=host:port)"
	@echo "make test     every test; installs Chromium and PostgreSQL where it may"
	@echo "make check    format, lint, types, import contracts"
	@echo "make bench    speed beside the reference client (ARGS=--quick)"
	@echo "make install  .venv from the locked packages"
	@echo "make lock     write requirements/*.txt anew (ARGS=--upgrade)"

install:
	@scripts/install $(or $(ARGS),base)

demo:
	@scripts/demo $(ARGS)

test:
	@scripts/test $(ARGS)

check:
	@scripts/check $(ARGS)

bench:
	@scripts/bench $(ARGS)

lock:
	@scripts/lock $(ARGS)
