# SPDX-License-Identifier: MIT
# The parser of perseusd's socket for longer than `make check` does.
SECONDS ?= 600
.PHONY: fuzz-daemon ## the parser of perseusd's socket for SECONDS
fuzz-daemon:
	@mkdir -p $(O)
	@O=$(abspath $(O)) FUZZ_SECONDS=$(SECONDS) FUZZ_SEED=$${FUZZ_SEED:-$$$$} TEST_TIMEOUT=$$(($(SECONDS) * 20 + 300)) tests/run tests/daemon/fuzz.sh

# make check-daemon: all that is held of perseusd, and of recordings and output
# files, by docs/threats.md; some four minutes.
.PHONY: check-daemon ## all that docs/threats.md holds of perseusd: four minutes
check-daemon: all $(filter $(O)/tests/unit/daemon/% $(O)/tests/unit/lib/%,$(unit.bin))
	@O=$(abspath $(O)) TEST_TIMEOUT=1200 tests/run $(filter $(O)/tests/unit/daemon/% $(O)/tests/unit/lib/%,$(unit.bin)) \
	  $(sort $(wildcard tests/daemon/*.sh)) tests/cli/ctl-daemon.sh tests/cli/record-rights.sh tests/runtime/trace-rights.sh \
	  tests/threats/threats.sh
