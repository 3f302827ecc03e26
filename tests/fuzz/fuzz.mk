# SPDX-License-Identifier: MIT
# All loops of mutations for HOURS, from SEED on; SCRIPTS="tests/fuzz/verbs.sh" for some.
.PHONY: check-fuzz-long ## readers of files and messages with mutated ones, for HOURS from SEED on
check-fuzz-long: all
	@O=$(abspath $(O)) tests/fuzz/for-hours $(or $(HOURS),8) $(or $(SEED),$(shell date +%s))
