# SPDX-License-Identifier: MIT
# Benchmarks print figures and never fail the build.
bench_parts := $(patsubst %,tests/bench/%.sh,lib sources programs plan-sim plan-locks plan-islands)
bench_topics := $(patsubst tests/bench/%.sh,%,$(filter-out $(bench_parts),$(wildcard tests/bench/*.sh)))
.PHONY: bench ## what probes, compiler and planner cost, beside their limits; bench-TOPIC for a part
.PHONY: $(addprefix bench-,$(bench_topics))
# bench-compile prints the dormant figures of the build that it measured, too; bench-plan those of locks; bench-interference,
# bench-layouts, bench-predict-tasks and bench-tune-programs take some minutes, bench-cost hours, and are asked for by name.
bench: $(addprefix bench-,$(filter-out cost dormant locks interference layouts predict-tasks tune-programs,$(bench_topics)))
# Programs of Perseus' own code: `make check' builds them, so that none falls behind.
bench.own := daemon islands plan planted rates sim subset
bench.bin := $(addprefix $(O)/tests/bench/,$(bench.own) tune/tune)
bench.link = $(CC) $(CPPFLAGS) $(CFLAGS_ALL) -Wno-missing-prototypes -o $@ $(filter %.c %.a,$^) $(LIBS)
bench.archives := $(call archives,planner analyzer tuner record daemon platform yaml lib)
$(addprefix $(O)/tests/bench/,$(bench.own)): $(O)/tests/bench/%: tests/bench/%.c $(bench.archives)
	@mkdir -p $(@D)
	$(say) BENCH $@
	$(Q)$(bench.link)
$(O)/tests/bench/tune/tune: $(wildcard tests/bench/tune/*.c) $(bench.archives)
	@mkdir -p $(@D)
	$(say) BENCH $@
	$(Q)$(bench.link)
built: $(bench.bin)
$(addprefix bench-,$(bench_topics)): bench-%: all $(bench.bin)
	@O=$(abspath $(O)) sh tests/bench/$*.sh
