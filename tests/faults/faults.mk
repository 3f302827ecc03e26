# SPDX-License-Identifier: MIT
# Each verb that reads and writes files, with one system call, request of memory or disk that
# fails: COUNT faults of a call and case, of those that SEED draws; CASES="plan codegen" for some.
.PHONY: check-faults ## verbs whose system calls, memory or disk fail once: half an hour
check-faults: all
	@O=$(abspath $(O)) COUNT=$(or $(COUNT),24) SEED=$(or $(SEED),1) tests/faults/all $(CASES)
