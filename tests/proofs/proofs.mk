# SPDX-License-Identifier: MIT
# Every gate over the generated C of the gate tests and 50 random plans, in each
# kind and for each back end; about half an hour.
.PHONY: check-proofs ## every gate over the generated C of 50 random plans: half an hour
check-proofs: all
	@scripts/setup.sh --proofs
	@FULL=1 O=$(abspath $(O)) sh tests/proofs/proofs.sh
