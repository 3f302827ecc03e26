# SPDX-License-Identifier: MIT
# Every patch applied, built in its language standard, and tried at every base; some minutes.
.PHONY: check-patches ## each kind of patch applied, built and tried wherever memory begins
check-patches: all
	@O=$(abspath $(O)) tests/patch/all

# The same by plans, as tests/patch/layouts says; what a busy machine does not let happen is skipped.
.PHONY: check-layouts ## layouts of plans built by the flag alone, verified, and tried wherever memory begins
check-layouts: all
	@O=$(abspath $(O)) tests/patch/all --plan
