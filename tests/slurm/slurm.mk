# SPDX-License-Identifier: MIT
# A workflow on a real Slurm of this machine, with several made-up nodes: some minutes, as root.
.PHONY: check-slurm ## a workflow on a real Slurm, as root: some minutes
check-slurm: all
	@scripts/setup.sh --slurm
	@O=$(abspath $(O)) TEST_JOBS=1 TEST_TIMEOUT=1200 tests/run tests/slurm/schedule.sh
