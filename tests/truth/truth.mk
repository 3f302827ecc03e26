# SPDX-License-Identifier: MIT
# Programs of known truth, five recordings each, idle and beside two busy loops; about half an hour.
.PHONY: check-truth ## programs of known truth, idle and beside load: half an hour
.PHONY: check-sharing-random ## COUNT generated programs whose sharing is known
check-truth: all
	@export O=$(abspath $(O)); status=0; tests/truth/run-known || status=1; tests/truth/run-known --load || status=1; exit $$status

# Generated programs whose sharing is known by construction: COUNT of them from SEED on,
# or those of REPLAY="SEED..." with their texts and answers, kept below $(O)/replay.
check-sharing-random: all
	@O=$(abspath $(O)) tests/truth/run-random $(if $(REPLAY),--show --keep $(abspath $(O))/replay $(REPLAY),--seed $(or $(SEED),1) --count $(or $(COUNT),500))

# Access rates that are told of programs that count their own accesses: COUNT of them from SEED
# on, each beside as many busy loops as LOAD says ("0,2,8"); FORM=--paced or --staged: of other threads.
.PHONY: check-rates ## access rates of COUNT programs that count themselves
check-rates: all
	@O=$(abspath $(O)) tests/truth/run-rates $(FORM) --seed $(or $(SEED),1) --count $(or $(COUNT),100) --load $(or $(LOAD),0)

# Phases of conflicts of programs whose stages are known: COUNT of them from SEED on, beside LOAD busy loops.
.PHONY: check-phases ## phases of COUNT programs whose stages are known
check-phases: all
	@O=$(abspath $(O)) tests/truth/run-phases --seed $(or $(SEED),1) --count $(or $(COUNT),20) --load $(or $(LOAD),0,2)

# What false sharing of generated programs is said to cost, and what their repaired twins gain; a quiet machine.
.PHONY: bench-price-random ## prices of COUNT generated programs beside their repaired twins
bench-price-random: all
	@export O=$(abspath $(O)); dir=$$(mktemp -d) && tests/truth/run-price prepare $$dir $(or $(COUNT),40) $(or $(SEED),1) && tests/truth/run-price measure $$dir; rm -rf $$dir
