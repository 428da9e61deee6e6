# SPDX-License-Identifier: Apache-2.0
# Real programs under the engine, compared with their native runs. The short set is part of make check.
#   make check-apps                          all of them
#   make check-apps APPS_ARGS='--only git'   some
check-build: deps-short
.PHONY: check-apps check-apps-short deps-short deps-apps
check-apps: all deps-apps
	@python3 tests/apps/run.py $(APPS_ARGS)
check-apps-short: all deps-short
	@python3 tests/apps/run.py --short $(APPS_ARGS)
# A program that cannot be installed is a case skipped with a reason, not an error.
deps-short:
	@scripts/deps --soft short
deps-apps:
	@scripts/deps --soft short apps
