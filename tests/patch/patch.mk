# SPDX-License-Identifier: MIT
# Every patch applied, built in its language standard, and tried at every base; some minutes.
.PHONY: check-patches ## each kind of patch applied, built and tried wherever memory begins
check-patches: all
	@O=$(abspath $(O)) tests/patch/all
