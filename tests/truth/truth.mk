# SPDX-License-Identifier: MIT
# Generated programs whose sharing is known by construction: COUNT of them from SEED on,
# or those of REPLAY="SEED..." with their texts and answers, kept below $(O)/replay.
.PHONY: check-sharing-random
check-sharing-random: all
	@O=$(abspath $(O)) tests/truth/run-random $(if $(REPLAY),--show --keep $(abspath $(O))/replay $(REPLAY),--seed $(or $(SEED),1) --count $(or $(COUNT),500))
