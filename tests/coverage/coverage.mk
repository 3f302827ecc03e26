# SPDX-License-Identifier: MIT
# Which lines and branches the tests come by, in a build of its own; the runtime and the plugin run in
# other programs and are not counted.  TESTS="tests/cli/plan.sh ..." instead of all; LEAST percent of lines.
.PHONY: coverage ## lines and branches that the tests come by, folder by folder: an hour
coverage: setup
	@$(MAKE) --no-print-directory $(cores) O=$(abspath $(O))/coverage CFLAGS="-O0 -g --coverage -fprofile-update=atomic" built
	@find $(O)/coverage -name '*.gcda' -delete
	@O=$(abspath $(O))/coverage TEST_TIMEOUT=1800 tests/run $(if $(TESTS),$(TESTS),$(patsubst $(O)/%,$(O)/coverage/%,$(unit.bin)) $(filter-out $(scenario.page),$(scenario))) || true
	@tests/coverage/table.py $(O)/coverage $(or $(LEAST),90)
