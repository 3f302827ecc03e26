# SPDX-License-Identifier: MIT
# Benchmarks print figures and never fail the build.
bench_parts := $(patsubst %,tests/bench/%.sh,lib sources programs plan-sim plan-locks plan-islands)
bench_topics := $(patsubst tests/bench/%.sh,%,$(filter-out $(bench_parts),$(wildcard tests/bench/*.sh)))
.PHONY: bench $(addprefix bench-,$(bench_topics))
# bench-compile prints the dormant figures of the build that it measured, too; bench-plan those of locks; bench-interference,
# bench-predict-tasks and bench-tune-programs take some minutes, bench-cost hours, and are asked for by name.
bench: $(addprefix bench-,$(filter-out cost dormant locks interference predict-tasks tune-programs,$(bench_topics)))
$(addprefix bench-,$(bench_topics)): bench-%: all
	@O=$(abspath $(O)) sh tests/bench/$*.sh
