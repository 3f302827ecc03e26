# SPDX-License-Identifier: MIT
# The evidence pack of a planned program with all of its gates, proofs too; some minutes.
.PHONY: check-evidence ## the evidence pack of a planned program, proofs too
check-evidence: all
	@scripts/setup.sh --proofs
	@FULL=1 O=$(abspath $(O)) TEST_TIMEOUT=1800 tests/run tests/evidence/pack.sh
