# SPDX-License-Identifier: MIT
# Programs with known answers, at all levels and in both modes; some minutes.
.PHONY: check-sharing ## programs with known answers at all levels: some minutes
check-sharing: all
	@O=$(abspath $(O)) tests/sharing/all
