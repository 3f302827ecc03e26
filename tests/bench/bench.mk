# SPDX-License-Identifier: MIT
# Benchmarks print figures and never fail the build.
bench_topics := $(patsubst tests/bench/%.sh,%,$(filter-out tests/bench/lib.sh,$(wildcard tests/bench/*.sh)))
.PHONY: bench $(addprefix bench-,$(bench_topics))
bench: $(addprefix bench-,$(bench_topics))
$(addprefix bench-,$(bench_topics)): bench-%: all
	@O=$(abspath $(O)) sh tests/bench/$*.sh
