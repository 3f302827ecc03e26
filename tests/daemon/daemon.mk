# SPDX-License-Identifier: MIT
# The parser of perseusd's socket for longer than `make check` does.
SECONDS ?= 600
.PHONY: fuzz-daemon
fuzz-daemon:
	@mkdir -p $(O)
	@O=$(abspath $(O)) FUZZ_SECONDS=$(SECONDS) FUZZ_SEED=$${FUZZ_SEED:-$$$$} TEST_TIMEOUT=$$(($(SECONDS) * 20 + 300)) tests/run tests/daemon/fuzz.sh
