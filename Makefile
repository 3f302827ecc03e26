# SPDX-License-Identifier: MIT
#
# Perseus.  `make demo` and `make check` do everything; see README.md.
#
#   O=DIR    build directory (default build)      V=1    show the commands
#   SAN=address,undefined | thread                DESTDIR= PREFIX=/usr/local
#
# The folders are the architecture: LAYER.<folder> names the folders that it
# may include beside itself (lib/* is lib and all in it), and `make lint`
# compares the sources with it.  A folder in a folder is one of its own if it
# has a line here.

O       ?= build
PREFIX  ?= /usr/local
VERSION := 0.1.0

LAYER.runtime    := include arch runtime/base runtime/calls runtime/memory
LAYER.runtime/arch/x86_64 := include arch runtime/base
LAYER.runtime/base := include arch
LAYER.runtime/calls := include arch runtime/base
LAYER.runtime/memory := include arch runtime/base runtime/calls
LAYER.runtime/wrap := include arch runtime/base runtime/calls runtime/memory runtime
LAYER.runtime/denormal := include
LAYER.runtime/denormal/arch/x86_64 := include runtime/denormal
LAYER.runtime/denormal/origin := include runtime/denormal
LAYER.runtime/denormal/trap := include runtime/denormal
LAYER.runtime/denormal/trap/arch/x86_64 := include runtime/denormal runtime/denormal/trap
LAYER.runtime/flush/arch/x86_64 := include
LAYER.runtime/trial := include arch
LAYER.runtime/trial/arch/x86_64 := include runtime/trial
LAYER.gcc-plugin := include lib gcc-plugin/*
LAYER.gcc-plugin/base := include lib
LAYER.gcc-plugin/data := include gcc-plugin/base
LAYER.gcc-plugin/choice := include lib gcc-plugin/base
LAYER.gcc-plugin/arch := include gcc-plugin/base
LAYER.gcc-plugin/arch/x86_64 := include gcc-plugin/base gcc-plugin/choice gcc-plugin/arch
LAYER.gcc-plugin/sites := include lib gcc-plugin/base gcc-plugin/data gcc-plugin/choice gcc-plugin/arch
LAYER.gcc-plugin/ranges := include gcc-plugin/base gcc-plugin/data gcc-plugin/choice gcc-plugin/sites gcc-plugin/arch
LAYER.gcc-plugin/denormal := include gcc-plugin/base gcc-plugin/data gcc-plugin/choice gcc-plugin/sites gcc-plugin/arch
LAYER.gcc-plugin/copies := include gcc-plugin/base gcc-plugin/data gcc-plugin/choice gcc-plugin/sites gcc-plugin/arch gcc-plugin/denormal
LAYER.gcc-plugin/origin := include gcc-plugin/base gcc-plugin/choice gcc-plugin/arch gcc-plugin/denormal
LAYER.gcc-plugin/counters := include gcc-plugin/base gcc-plugin/choice gcc-plugin/arch gcc-plugin/denormal gcc-plugin/origin
LAYER.gcc-plugin/gate := include gcc-plugin/base gcc-plugin/choice gcc-plugin/arch gcc-plugin/denormal gcc-plugin/origin
LAYER.gcc-plugin/layouts := include gcc-plugin/base gcc-plugin/data gcc-plugin/choice
LAYER.gcc-plugin/guard := lib gcc-plugin/base gcc-plugin/data gcc-plugin/layouts
LAYER.gcc-plugin/passes := include gcc-plugin/base gcc-plugin/data gcc-plugin/choice gcc-plugin/sites gcc-plugin/arch gcc-plugin/ranges
LAYER.verify/base := include
LAYER.verify/figures := include verify/base
LAYER.verify/bound := verify/base verify/figures
LAYER.verify/weighed := verify/base verify/figures
LAYER.verify/source := include verify/base
LAYER.verify/arch := include
LAYER.verify/arch/x86_64 := include verify/base verify/arch
LAYER.verify/elf  := include verify/base verify/arch
LAYER.verify/start := include verify/base verify/arch verify/elf
LAYER.verify/layouts := include verify/base verify/arch verify/elf verify/start
LAYER.verify/binary := include verify/base verify/arch verify/elf verify/start
LAYER.verify/objects := include verify/base verify/arch verify/elf verify/start verify/binary
LAYER.verify/objects/arch/x86_64 := include verify/base verify/arch verify/elf verify/start verify/binary verify/objects
LAYER.verify      := include verify/*
LAYER.lib         := include
LAYER.lib/inspect := include lib
LAYER.lib/source  := include lib
LAYER.lib/spawn   := include lib lib/inspect
LAYER.lib/compare := lib
LAYER.lib/read    := include lib
LAYER.lib/html    := lib
LAYER.lib/sarif   := lib
LAYER.yaml        := include lib
LAYER.record/file := include lib yaml
LAYER.record/names := include lib lib/inspect record/file
LAYER.record/blocks := include lib yaml record/file record/names
LAYER.record/denormal := include lib lib/inspect yaml record/file record/names
LAYER.record      := include lib lib/inspect yaml record/file record/names record/blocks record/denormal
LAYER.record/cores := lib
LAYER.record/live := include lib record/file record/names record record/cores
LAYER.record/power := lib lib/read yaml
LAYER.record/probes := include lib/* record/*
LAYER.platform/base := lib
LAYER.platform/events := include lib lib/inspect platform/base
LAYER.platform/denormal := lib yaml platform/base
LAYER.platform/meter := lib
LAYER.platform    := include lib yaml platform/*
LAYER.recorder/train := lib lib/read lib/spawn platform/events platform/meter
LAYER.recorder    := include lib/* yaml record/* platform/*
LAYER.analyzer/time := include lib yaml record/*
LAYER.analyzer/locks := include lib yaml record/* analyzer/time
LAYER.analyzer/objects := include lib lib/inspect yaml record/* analyzer/time
LAYER.analyzer/lines := include lib lib/inspect yaml record/* analyzer/time analyzer/objects
LAYER.analyzer/pairs := include lib yaml record/* analyzer/time analyzer/objects analyzer/lines
LAYER.analyzer/sharing := include lib lib/inspect yaml record/* analyzer/time analyzer/objects analyzer/lines analyzer/pairs
LAYER.analyzer/guard := lib lib/inspect record analyzer/sharing
LAYER.analyzer/patch/sources := lib/* record/* analyzer/sharing
LAYER.analyzer/patch/types := lib/* record/* analyzer/sharing analyzer/patch/sources
LAYER.analyzer/patch/variables := lib/* record/* analyzer/sharing analyzer/patch/sources analyzer/patch/types
LAYER.analyzer/patch/layouts := lib/* record/* yaml analyzer/sharing analyzer/patch/sources analyzer/patch/types analyzer/patch/variables
LAYER.analyzer/patch := lib/* record/* yaml analyzer/sharing analyzer/patch/*
LAYER.analyzer/energy/data := lib lib/read
LAYER.analyzer/energy := lib yaml analyzer/energy/data
LAYER.analyzer    := include lib lib/inspect yaml record/* analyzer/*
LAYER.planner/problem := lib yaml
LAYER.planner/cost := lib planner/problem
LAYER.planner/sim := lib record/* planner/problem planner/cost
LAYER.planner/exact := lib planner/problem planner/cost
LAYER.planner/heuristic := lib planner/problem planner/cost planner/exact
LAYER.planner/result := include lib yaml planner/problem planner/cost planner/sim planner/exact
LAYER.planner/watts := lib yaml planner/problem planner/cost planner/result
LAYER.planner/search := lib planner/problem planner/cost planner/exact planner/heuristic planner/result
LAYER.planner/page := lib lib/html yaml planner/cost planner/problem planner/sim planner/exact planner/result
LAYER.planner/diff := lib lib/inspect yaml
LAYER.planner     := include lib yaml record/* planner/*
LAYER.codegen/view := include lib/* yaml
LAYER.codegen/graft := include lib/* yaml record/file codegen/view
LAYER.codegen/trial := include lib/* yaml record/file codegen codegen/view
LAYER.codegen     := include lib/* yaml record/file codegen/view codegen/graft
LAYER.evidence/pack := include lib/* yaml planner/diff codegen/*
LAYER.evidence/gates := include lib/* yaml codegen/* evidence/pack
LAYER.evidence/pages := include lib/* yaml planner/diff codegen/* evidence/pack evidence/gates
LAYER.evidence    := include lib/* yaml planner/diff codegen/* evidence/*
LAYER.report/time := lib lib/inspect record/*
LAYER.report/counters := lib record/* report/time
LAYER.report/waits := lib record/* report/time
LAYER.report/top := include lib record/* report/time report/waits
LAYER.report/critical := lib record/* report/time report/waits
LAYER.report/trace := lib lib/inspect record/* report/time
LAYER.report/conflicts := lib lib/sarif record/* analyzer/* yaml report/time report
LAYER.report      := include lib lib/inspect yaml record/* report/time report/counters report/waits
LAYER.report/energy := lib yaml record/* analyzer/time analyzer/energy analyzer/energy/data report/time report/counters
LAYER.report/denormal := lib lib/inspect lib/html lib/sarif record/* yaml
LAYER.report/annotate := lib lib/inspect record/* report/time report/denormal
LAYER.report/export := include lib lib/inspect yaml record/* analyzer/* report/time report/waits report/trace report/conflicts report
LAYER.report/diff := include lib lib/html lib/compare lib/read record/* analyzer/* yaml report/time report/conflicts report
LAYER.report/page/tabs := lib lib/inspect lib/html lib/read record/* analyzer/* yaml report/time report/energy report/trace
LAYER.report/page := include lib lib/inspect lib/html record/* analyzer/* yaml report/time report/counters report/waits report/critical report/trace report/conflicts report/denormal report/diff report report/page/tabs
LAYER.monitor/families := lib lib/html lib/read
LAYER.monitor/counts := include lib lib/read record/live platform/events monitor/families
LAYER.monitor/rules := lib lib/html lib/read monitor/counts
LAYER.monitor/act := lib monitor/counts monitor/rules
LAYER.tuner/space := lib yaml
LAYER.tuner/search := lib lib/compare tuner/space
LAYER.tuner/page := lib lib/html tuner/space tuner/search
LAYER.tuner/log := lib lib/read tuner/space tuner/search
LAYER.predictor/model := lib
LAYER.predictor/probe := lib lib/read predictor/model
LAYER.scheduler/work := lib lib/read yaml
LAYER.scheduler/search := lib scheduler/work
LAYER.scheduler/check := lib lib/read yaml
LAYER.scheduler/simulate := lib scheduler/work scheduler/search
LAYER.scheduler/slurm := lib lib/read lib/spawn scheduler/work scheduler/search
LAYER.daemon/machine := include
LAYER.daemon      := include daemon/machine
LAYER.cmd/base    := include lib
LAYER.cmd/calibrate := include lib lib/html lib/spawn yaml record/* platform/* cmd/base
LAYER.cmd/conflicts := include lib record/* analyzer/* yaml report/conflicts cmd/base
LAYER.cmd/analyze := include lib yaml record/file record analyzer/time analyzer cmd/base
LAYER.cmd/codegen := include lib/* yaml codegen/* evidence/* cmd/base
LAYER.cmd/try     := include lib/* yaml codegen/* daemon cmd/base cmd/ctl
LAYER.cmd/plan/print := include lib/* yaml planner/* cmd/base
LAYER.cmd/plan    := include lib/* yaml planner/* cmd/base cmd/plan/print
LAYER.cmd/top     := include lib lib/spawn record/* report/top cmd/base
LAYER.cmd/monitor := include lib/* record/* platform/* monitor/* daemon cmd/base cmd/top cmd/ctl report/top
LAYER.cmd/record  := include lib/* yaml record/* platform/* recorder codegen/* report/denormal report cmd/base cmd/prove cmd/try
LAYER.cmd/report  := include lib yaml record/* analyzer/energy report/trace report/time report/energy report cmd/base
LAYER.cmd/sites   := include lib record/file report cmd/base
LAYER.cmd/prove   := include lib/* platform/* cmd/base
LAYER.cmd/gate    := include lib/* platform/* record/* analyzer/* yaml report/conflicts cmd/base cmd/prove
LAYER.cmd/build   := include lib/* recorder cmd/base cmd/prove
LAYER.cmd/ctl     := include lib/* yaml platform/* daemon/* cmd/base
LAYER.cmd/energy  := include lib yaml analyzer/energy platform/* daemon recorder/train cmd/base cmd/ctl
LAYER.cmd/denormals := include lib/* yaml record/* recorder platform/* report/denormal cmd/base
LAYER.cmd/tune    := include lib/* yaml record/* platform/* recorder codegen/* tuner/* cmd/base cmd/try
LAYER.cmd/predict := include lib/* predictor/* platform/* recorder/train cmd/base
LAYER.cmd/schedule := lib lib/spawn scheduler/* cmd/base
LAYER.cmd/explain :=
LAYER.cmd/doctor  := include lib/* platform/* daemon/* cmd/base cmd/ctl
LAYER.cmd         := include lib/* yaml record/* platform/* recorder analyzer/* planner/* codegen/* evidence/* report/* monitor/* tuner/* predictor/* scheduler/* daemon/* cmd/*

# In no order; the folder @1 and those in it.
rooms    := $(patsubst LAYER.%,%,$(filter LAYER.%,$(.VARIABLES)))
rooms_of  = $(filter $(1) $(1)/%,$(rooms))

# Offline folders that become archives, lowest first; link order is reversed.
FOLDERS  := lib yaml record platform recorder analyzer planner codegen evidence report monitor tuner predictor scheduler daemon

CC       := gcc
CXX      := g++
HOSTCXX  := g++

# Probes, and what they run through, are machine code: see docs/porting.md.
machine  := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
ported   := $(wildcard runtime/arch/$(machine))

WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wwrite-strings \
	    -Wpointer-arith -Wformat=2 -Wimplicit-fallthrough -Werror=implicit-function-declaration -Werror=int-conversion
CPPFLAGS += -I. -Iinclude -Iruntime/arch/$(machine) -D_GNU_SOURCE -DPERSEUS_VERSION='"$(VERSION)"'
CFLAGS   ?= -O2 -g
# Where the build lies, for builds whose bytes shall not hang on it: -ffile-prefix-map=DIR=.
PATH_MAP ?=
CFLAGS_ALL = -std=gnu11 $(WARN) $(PATH_MAP) $(CFLAGS) $(SANFLAGS) -MMD -MP
LIBS     := -lncursesw -ltinfo -lyaml -lgsl -lgslcblas -lhwloc -lpfm -lelf -lZydis -lz -lm -lpthread

ifneq ($(SAN),)
SANFLAGS := -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
endif
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDEXPANSION:

# ---- offline folders -------------------------------------------------------

$(foreach f,$(FOLDERS) cmd,$(eval src.$(f) := $(wildcard $(patsubst %,%/*.c,$(call rooms_of,$(f))) $(f)/builtin/*.c)))
src.daemon := $(filter-out daemon/main.c,$(src.daemon))
obj = $(patsubst %.c,$(O)/obj/%.o,$(src.$(1)))

# Holds copies of these files, which no compiler names as dependencies.
$(O)/obj/evidence/gates/kit.o: $(wildcard docs/verify/*.md tests/codegen/unit/* tests/codegen/object/*) include/perseus/ctl.h

$(O)/obj/lib/html/frame.o: $(wildcard lib/html/assets/*)
$(O)/obj/monitor/families/families.o: monitor/families/families.txt
$(O)/obj/monitor/rules/rules.o: monitor/rules/rules.txt
$(O)/obj/planner/page/search-page.o: $(wildcard planner/page/assets/*) lib/html/assets/search.js
$(O)/obj/cmd/calibrate/snoops.o: examples/snoops/snoops.c
$(O)/obj/tuner/page/tune-page.o: $(wildcard tuner/page/assets/*)
$(O)/obj/report/denormal/price.o: report/denormal/cited.txt
$(O)/obj/report/page/page.o: $(wildcard report/page/assets/*) lib/html/assets/search.js

$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<

define folder_rules
$(O)/$(1).a: $$(call obj,$(1))
	@mkdir -p $$(@D)
	$$(say) AR $$@
	$$(Q)rm -f $$@ && ar qcs $$@ $$^
.PHONY: $(1)
$(1): $(O)/$(1).a
endef
$(foreach f,$(FOLDERS),$(eval $(call folder_rules,$(f))))

reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
archives = $(patsubst %,$(O)/%.a,$(call reverse,$(filter $(1),$(FOLDERS))))

# ---- the command line ------------------------------------------------------

$(O)/bin/perseus: $(call obj,cmd) $(call archives,$(FOLDERS))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LIBS)
.PHONY: perseus ## the command line alone
perseus: $(O)/bin/perseus

# ---- the privileged service: daemon/ and libc only -------------------------
# The command line takes its client alone.  The static one is for machines
# without a C library: the guest that `make check-kmod` boots.

$(O)/sbin/perseusd: $(O)/obj/daemon/main.o $(O)/daemon.a
$(O)/sbin/perseusd.static: $(O)/obj/daemon/main.o $(O)/daemon.a
$(O)/sbin/perseusd.static: daemon.static := -static
$(O)/sbin/perseusd $(O)/sbin/perseusd.static:
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(daemon.static) -Wl,-z,relro,-z,now -o $@ $^
.PHONY: perseusd ## the privileged service alone
perseusd: $(O)/sbin/perseusd

# ---- the independent verifiers: verify/ and libc only ----------------------
# verify/verify-*.c belong to perseus-verify, verify/check-*.c to
# perseus-plan-check, verify/source-*.c to perseus-source-check, as bound/ and
# source/ do; the linker drops what else a program does not use.

verify.common := $(filter-out verify/bound/% verify/weighed/% verify/source/%,$(wildcard verify/*/*.c verify/arch/*/*.c verify/*/arch/*/*.c))
verify.obj = $(patsubst %.c,$(O)/obj/%.o,$(verify.common) $(wildcard verify/$(1)-*.c) $(foreach d,$(2),$(wildcard verify/$(d)/*.c)))
verify.bin := $(addprefix $(O)/bin/,perseus-verify perseus-plan-check perseus-source-check)

$(O)/bin/perseus-verify: $(call verify.obj,verify)
$(O)/bin/perseus-plan-check: $(call verify.obj,check,bound weighed)
$(O)/bin/perseus-source-check: $(call verify.obj,source,source)
$(verify.bin):
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -Wl,--gc-sections -o $@ $^
.PHONY: verify ## the independent verifiers alone
verify: $(verify.bin)

# ---- processes that plan together: loaded only if mpirun started them ------
# Built where MPI is installed (Debian: libopenmpi-dev).

mpi.so := $(if $(shell command -v mpicc),$(O)/lib/perseus-mpi.so)
$(O)/lib/perseus-mpi.so: $(wildcard planner/heuristic/mpi/*.c) planner/heuristic/ranks-module.h planner/heuristic/ranks.h
	@mkdir -p $(@D)
	$(say) MPICC $@
	$(Q)mpicc $(CPPFLAGS) -std=gnu11 $(WARN) -O2 -g -fPIC -shared -o $@ $(filter %.c,$^)
.PHONY: mpi ## what plans over several ranks, where MPI is installed
mpi: $(mpi.so)
	$(if $(mpi.so),,@echo "  no planning over several ranks: mpicc is not installed (Debian: apt-get install libopenmpi-dev)")

# ---- runtime: inside the user's process ------------------------------------

# Not -Oz: its push and pop of a constant have no unwind record.
RT_OPT   := -Os
RT_REGS  := -mgeneral-regs-only
RT_FLAGS = $(RT_OPT) $(RT_SEED) -g $(PATH_MAP) $(RT_REGS) -fPIC -ftls-model=initial-exec -fvisibility=hidden -fno-stack-protector \
	    -fno-builtin -fno-tree-loop-distribute-patterns -fexceptions -fcf-protection=none -std=gnu11 $(WARN)
src.runtime := $(filter-out runtime/nop.c runtime/denormal/% runtime/flush/% runtime/trial/% %/counters-none.c,$(wildcard $(addsuffix /*.c,$(sort $(call rooms_of,runtime)))))
rt_objects = $(patsubst %,$(O)/obj/runtime/%.o,$(1))
rt.all := $(patsubst %.c,$(O)/obj/%.o,$(src.runtime))
# What counts events is a twelfth of the text, and most runs ask for none.
rt.obj := $(filter-out $(call rt_objects,calls/counters calls/counter-set),$(rt.all)) $(call rt_objects,calls/counters-none)
rt.map := $(wildcard runtime/*.map)

# What probes run through is compiled for speed, the rest for size: all of it
# shares the caches with the program.
rt.hot := memory/mem
rt.unaligned := -fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels
$(foreach d,$(O)/obj/runtime $(O)/obj/static/runtime,$(foreach f,$(rt.hot),$(d)/$(f).o)): RT_OPT := -O2 $(rt.unaligned)
# What is seldom run is one unit for the linker, which saves 3 % of the text;
# what every event passes stays as its own file says, and so do names with versions.
rt.apart := $(addprefix calls/,call path append trace) memory/mem wrap/wrap-real
rt.cold := $(filter-out $(call rt_objects,$(rt.apart)),$(rt.all)) $(call rt_objects,calls/counters-none)
rt.smaller := -fno-thread-jumps -fno-caller-saves -fno-tree-dominator-opts -fno-inline-functions-called-once \
	-fno-tree-loop-im -fno-tree-scev-cprop -fno-shrink-wrap -fno-move-loop-invariants -fno-ipa-sra
$(rt.cold): RT_OPT += -flto -ffat-lto-objects $(rt.smaller)
# GCC names their sections by chance if nobody says otherwise, and no two builds were alike.
$(rt.cold): RT_SEED = -frandom-seed=$<
$(O)/obj/runtime/%.o: runtime/%.c
	@mkdir -p $(@D)
	$(say) RTCC $<
	$(Q)$(CC) $(CPPFLAGS) $(RT_FLAGS) -MMD -MP -c -o $@ $<
$(O)/lib/libperseus-rt.so: $(rt.obj)
$(O)/lib/libperseus-rt-events.so: $(rt.all)
$(O)/lib/libperseus-rt.so $(O)/lib/libperseus-rt-events.so: $(rt.map)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(RT_FLAGS) -flto -flto-partition=none $(rt.smaller) -shared -Wl,-soname,libperseus-rt.so -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete $(addprefix -Wl$(comma)--version-script=,$(rt.map)) -o $@ $(filter %.o,$^)
# Nothing comes between a static program and its C library but the linker: it
# is given --wrap for each function that the runtime interposes elsewhere.
# The list is that of the exported names.
rt.static := $(patsubst %.c,$(O)/obj/static/%.o,$(src.runtime))
$(O)/obj/static/%.o: %.c $(O)/obj/static/names scripts/static-object.sh
	@mkdir -p $(@D)
	$(say) RTCC "$< (static)"
	$(Q)$(CC) $(CPPFLAGS) $(RT_FLAGS) -DPRS_STATIC -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@.tmp $<
	$(Q)scripts/static-object.sh $(O)/obj/static/names $@.tmp $@
$(O)/obj/static/names $(O)/lib/libperseus-rt.wrap &: $(rt.map) scripts/static-object.sh
	@mkdir -p $(O)/obj/static $(O)/lib
	$(Q)sed -n '/global:/,/local:/p' $< | tr ';' '\n' | sed -n 's/^[[:space:]]*\([A-Za-z_][A-Za-z_0-9]*\)$$/\1/p' | grep -v -e '^__prs_' -e '^GOMP_' -e '^omp_' >$(O)/obj/static/names
	$(Q)sed 's/.*/--wrap=&\n--undefined=__wrap_&/' $(O)/obj/static/names >$(O)/lib/libperseus-rt.wrap
$(O)/lib/libperseus-rt.a: $(rt.static)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $^
$(O)/lib/libperseus-nop.so: $(O)/obj/runtime/nop.o
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) -shared -Wl,-soname,libperseus-nop.so -o $@ $^
comma := ,
# Denormals are counted by the program itself; this library keeps what it counts.
den.obj := $(patsubst %.c,$(O)/obj/%.o,$(wildcard runtime/denormal/*.c runtime/denormal/origin/*.c runtime/denormal/arch/$(machine)/*.c))
$(den.obj): RT_OPT := -O2
# They look at what was stored or copied; the program calls them as any function, so its registers are free.
$(O)/obj/runtime/denormal/origin/replay.o $(O)/obj/runtime/denormal/copy.o: RT_OPT := -O3
$(O)/obj/runtime/denormal/origin/replay.o $(O)/obj/runtime/denormal/copy.o: RT_REGS :=
$(O)/lib/libperseus-denormal.so: $(den.obj)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(RT_FLAGS) -static-libgcc -shared -Wl,-soname,libperseus-denormal.so -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete \
	  -Wl,--exclude-libs,ALL -o $@ $^
# ... and of programs without source the exceptions they raise; Zydis decodes instructions.
trap.obj := $(patsubst %.c,$(O)/obj/%.o,$(wildcard runtime/denormal/trap/*.c runtime/denormal/trap/arch/$(machine)/*.c))
$(trap.obj): RT_OPT := -O2
trap.all := $(call rt_objects,denormal/file denormal/process denormal/thread) $(trap.obj)
link.trap = $(CC) $(RT_FLAGS) -static-libgcc -shared -Wl,-soname,libperseus-trap.so -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete \
	  -Wl,--exclude-libs,ALL -o $@ $^ -lZydis
$(O)/lib/libperseus-trap.so: $(trap.all)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(link.trap)
.PHONY: runtime ## the libraries that are loaded into recorded programs
runtime: $(O)/lib/libperseus-rt.so $(O)/lib/libperseus-rt-events.so $(O)/lib/libperseus-rt.a $(O)/lib/libperseus-rt.wrap $(O)/lib/libperseus-nop.so $(O)/lib/libperseus-denormal.so $(O)/lib/libperseus-trap.so $(O)/lib/libperseus-flush.so $(O)/lib/libperseus-trial.so
# Lets a plan act in a probed program.
trial.obj := $(patsubst %.c,$(O)/obj/%.o,$(wildcard runtime/trial/*.c runtime/trial/arch/$(machine)/*.c))
$(O)/lib/libperseus-trial.so: $(trial.obj)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(RT_FLAGS) -static-libgcc -shared -Wl,-soname,libperseus-trial.so -Wl,-z,now -Wl,-z,nodelete -o $@ $^
# Tries flush-to-zero in a program that knows nothing of it.
$(O)/lib/libperseus-flush.so: $(O)/obj/runtime/flush/arch/$(machine)/flush.o
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(RT_FLAGS) -static-libgcc -shared -Wl,-soname,libperseus-flush.so -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete -o $@ $^

# ---- plugin ----------------------------------------------------------------
# One back end for each GCC from 11 whose plugin headers are installed: $(CC)
# and every gcc-N on PATH.  GCC's own headers do not compile as C, so it is C
# style compiled by g++, the one of the same version if it is there.  The shim
# is plain C and knows no symbol of GCC.

PLUGIN_GCCS := $(shell scripts/plugin-gccs.sh $(CC))
plugin_majors = $(foreach p,$(PLUGIN_GCCS),$(firstword $(subst :, ,$(p))))
plugin_of = $(patsubst $(1):%,%,$(filter $(1):%,$(PLUGIN_GCCS)))
gcc_of = $(firstword $(subst :, ,$(call plugin_of,$(1))))
dir_of = $(word 2,$(subst :, ,$(call plugin_of,$(1))))
cxx_of = $(word 3,$(subst :, ,$(call plugin_of,$(1))))

# C++17 in every version: what GCC 11 to 15 are built as if nobody says
# otherwise.  From 13 on an older standard leaves tree_code_type undefined.
PLUGIN_CXXFLAGS := -O2 -g $(PATH_MAP) -fPIC -fvisibility=hidden -fno-rtti -fno-exceptions -std=gnu++17 -Wall -Wextra \
		   -Wno-unused-parameter -I. -Iinclude -DPERSEUS_VERSION='"$(VERSION)"'
# Loading must be cheap, as it is paid for each file: nothing of ours is looked
# up by name, what is GCC's when it is called, and there is no libstdc++ to
# load (operator new and delete are the compiler's own, which it exports).
# The build id names these bytes.
PLUGIN_LDFLAGS := -shared -Wl,-Bsymbolic -Wl,-z,lazy -Wl,--hash-style=gnu -Wl,-O1 -Wl,--build-id=sha1
src.plugin := $(filter-out gcc-plugin/shim.c,$(wildcard gcc-plugin/*.c gcc-plugin/*/*.c gcc-plugin/arch/$(machine)/*.c))
plugin.libs := $(O)/lib/perseus.so $(foreach n,$(plugin_majors),$(O)/lib/perseus-gcc$(n).so)
# What could be built of it, once it was tried.
plugin.made = $(shell ls /dev/null $(filter-out %/perseus.so,$(plugin.libs)) 2>/dev/null | grep '\.so$$')
made_majors = $(patsubst $(O)/lib/perseus-gcc%.so,%,$(plugin.made))

define back_end_rules
$(O)/obj/gcc-plugin-$(1)/%.o: gcc-plugin/%.c
	@mkdir -p $$(@D)
	$$(say) PLUGIN$(1) $$<
	$$(Q)scripts/back-end.sh compile $$@ $$(call cxx_of,$(1)) -x c++ $$(PLUGIN_CXXFLAGS) -isystem $$(call dir_of,$(1))/include -MMD -MP -c -o $$@ $$<
$(O)/obj/gcc-plugin-$(1)/lib-%.o: lib/%.c
	@mkdir -p $$(@D)
	$$(say) PLUGIN$(1) $$<
	$$(Q)scripts/back-end.sh compile $$@ $$(call gcc_of,$(1)) $$(CPPFLAGS) -std=gnu11 $$(WARN) -O2 -g $$(PATH_MAP) -fPIC -fvisibility=hidden -MMD -MP -c -o $$@ $$<
$(O)/lib/perseus-gcc$(1).so: $$(patsubst gcc-plugin/%.c,$(O)/obj/gcc-plugin-$(1)/%.o,$$(src.plugin)) $(O)/obj/gcc-plugin-$(1)/lib-hash.o
	@mkdir -p $$(@D)
	$$(say) LD $$@
	$$(Q)scripts/back-end.sh link $(1) $$(call gcc_of,$(1)) $$@ $$^ -- $$(call gcc_of,$(1)) $$(PLUGIN_LDFLAGS) -o $$@ $$^
endef
$(foreach n,$(plugin_majors),$(eval $(call back_end_rules,$(n))))

# The shim names the back ends that were made with it.
$(O)/obj/back-ends: FORCE
	@mkdir -p $(@D)
	@echo "$(strip $(plugin_majors)) $(PREFIX)" | cmp -s - $@ || echo "$(strip $(plugin_majors)) $(PREFIX)" >$@
.PHONY: FORCE
FORCE:
# It holds their hash as well: compiler caches hash the file that -fplugin= names, and no other.
$(O)/lib/perseus.so: gcc-plugin/shim.c gcc-plugin/arch/$(machine)/target.h $(O)/obj/back-ends $(filter-out $(O)/lib/perseus.so,$(plugin.libs))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) -std=gnu11 -O2 -g $(PATH_MAP) -Wall -Wextra -Igcc-plugin/arch/$(machine) -fPIC -fvisibility=hidden -shared -Wl,-soname,perseus.so -Wl,--hash-style=gnu \
	  -DPERSEUS_PLUGIN_DIR='"$(PREFIX)/lib/perseus"' -DPERSEUS_BACK_ENDS='"$(strip $(made_majors))"' \
	  -DPERSEUS_BACK_ENDS_HASH='"$(firstword $(shell cat $(plugin.made) /dev/null | sha256sum))"' -o $@ $<
.PHONY: plugin ## a back end for each GCC with plugin headers
plugin: $(plugin.libs)
	@scripts/plugin-gccs.sh --missing $(CC)

# ---- examples, built plain; the demo builds its instrumented twins ---------

examples.dir := $(patsubst examples/%/,%,$(dir $(wildcard examples/*/Makefile)))
.PHONY: examples ## the example programs, plain
examples: $(addprefix example-,$(examples.dir))
example-%:
	$(Q)$(MAKE) --no-print-directory -s -C examples/$* O=$(abspath $(O))/examples/$*

.PHONY: all ## build all that this machine can build
all: $(if $(wildcard cmd/cmd-*.c),perseus) $(if $(wildcard daemon/main.c),perseusd) $(if $(wildcard verify/*.c),verify) $(if $(ported),runtime plugin,unported) mpi
.PHONY: unported
unported:
	@echo "  no probes and no recorder's library: there is no runtime/arch/$(machine) (docs/porting.md); what reads recordings is built"

# ---- unit tests ------------------------------------------------------------
# tests/unit/<folder>/t-*.c may use what <folder> may include, and itself;
# those of a folder in a folder, what its top may.  The verbs themselves are
# tested by scripts, the parts of cmd/ here.

unit.src := $(wildcard tests/unit/*/t-*.c tests/unit/*/*/t-*.c)
unit.bin := $(patsubst %.c,$(O)/%,$(unit.src))
linked_with = $(1) $(foreach r,$(call rooms_of,$(1)),$(foreach l,$(LAYER.$(r)),$(firstword $(subst /, ,$(l)))))
unit_folder = $(word 3,$(subst /, ,$(1)))
cmd.parts := $(filter-out $(patsubst %.c,$(O)/obj/%.o,$(wildcard cmd/*.c)),$(call obj,cmd))
$(O)/tests/unit/%: tests/unit/%.c $$(if $$(filter cmd,$$(firstword $$(subst /, ,$$*))),$$(cmd.parts)) $$(call archives,$$(call linked_with,$$(firstword $$(subst /, ,$$*))))
	@mkdir -p $(@D)
	$(say) TEST $@
	$(Q)$(CC) $(CPPFLAGS) -Iverify $(CFLAGS_ALL) -Wno-missing-prototypes -o $@ $< $(if $(filter verify/%,$*),$(verify.common)) \
	  $(filter %.o %.a,$^) -lcmocka $(LIBS)
define unit_rules
.PHONY: unit-$(1)
unit-$(1): $(filter $(O)/tests/unit/$(1)/%,$(unit.bin))
	@O=$(abspath $(O)) tests/run $$^
endef
$(foreach f,$(sort $(foreach s,$(unit.src),$(call unit_folder,$(s)))),$(eval $(call unit_rules,$(f))))

# ---- check -----------------------------------------------------------------

# Scenario scripts print TAP; tests/lib.sh is sourced, not run.
scenario := $(filter-out tests/lib.sh tests/bench/% tests/foreign/%,$(sort $(wildcard tests/*/*.sh)))
# Under a sanitizer the offline tools are tested; the plugin, and programs
# that run with the preloaded runtime, are not built with it.
ifneq ($(SAN),)
scenario := $(filter tests/runtime/% tests/record/% tests/fuzz/% tests/yaml/% tests/daemon/%,$(scenario))
endif
# What takes its time has targets of its own, check-long and check-pages; under a sanitizer all run at once.
scenario.long := $(if $(SAN),,$(filter $(shell sed '/^\#/d' tests/long),$(scenario)))
scenario.page := $(if $(SAN),,$(filter tests/page/%,$(scenario)))

.PHONY: check ## build and run the tests: some minutes; ends with their count
.PHONY: check-runtime ## what the runtime may use and how large it may be
.PHONY: check-calls ## which folders call which, of the objects
.PHONY: setup ## install the Debian packages that building and testing need
.PHONY: setup-build ## install those that building alone needs
setup:
	@scripts/setup.sh
setup-build:
	@scripts/setup.sh --build
# What is built is built on all cores, unless -j says how many; what is run after it is not told of that.
cores = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
.PHONY: built
built: all $(unit.bin)
check: setup
	@$(MAKE) --no-print-directory $(cores) built
	@$(MAKE) --no-print-directory check-built
check-built: all $(unit.bin) $(if $(ported),check-runtime) check-calls lint
	@O=$(abspath $(O)) SAN=$(SAN) tests/run $(unit.bin) $(filter-out $(scenario.long) $(scenario.page),$(scenario))
.PHONY: check-built

# The scenarios of tests/long: about 12 minutes on two cores.
.PHONY: check-long ## the longer tests: about 12 minutes on two cores
check-long: setup
	@$(MAKE) --no-print-directory $(cores) all
	@O=$(abspath $(O)) tests/run $(scenario.long)

check-runtime: $(O)/lib/libperseus-rt.so
	@scripts/check-runtime.sh $< $(sort $(rt.all) $(rt.obj))

# As check-layers, of what is linked instead of what is included.
check-calls: all $(O)/layers
	@scripts/check-calls.sh $(O)/layers scripts/upward-calls $(O)/obj

# Which tests do not pass RUNS times in a row beside LOADS busy loops: about 20 minutes a run; TESTS="tests/cli/x.sh ..." for some.
.PHONY: check-flaky ## RUNS times each beside LOADS busy loops: what does not always pass
check-flaky: all $(unit.bin)
	@O=$(abspath $(O)) TEST_TIMEOUT=1200 scripts/check-flaky.sh $(or $(RUNS),5) $(or $(LOADS),2) $(or $(TESTS),$(unit.bin) $(scenario))

# Every test of the plugin with every GCC that it was built for.
.PHONY: check-versions ## the tests of the plugin with every GCC
check-versions: all
	@$(foreach n,$(plugin_majors),echo "GCC $(n)" && O=$(abspath $(O)) PERSEUS_TEST_CC=gcc-$(n) TEST_TIMEOUT=1200 \
	  tests/run $(filter-out tests/plugin/versions.sh,$(filter tests/plugin/%,$(scenario))) &&) true

# The baselines of COUNT random programs against naive ones; 200 take half a minute.
.PHONY: check-baselines ## the planner against naive plans of COUNT random programs
check-baselines: all
	@BASELINES_COUNT=$(or $(COUNT),200) O=$(abspath $(O)) TEST_TIMEOUT=3000 tests/run tests/planner/baselines.sh

# Every field of COUNT random plans altered, one at a time, before perseus-plan-check; 200 take some minutes.
.PHONY: check-plan-faults ## each field of COUNT random plans altered before perseus-plan-check
check-plan-faults: all
	@PLAN_FAULTS_COUNT=$(or $(COUNT),200) O=$(abspath $(O)) TEST_TIMEOUT=3000 tests/run tests/verify/plan-faults.sh

# Programs of other people; longer, needs their sources.
.PHONY: check-foreign ## other people's programs with probes, and their own tests
check-foreign: all
	@scripts/setup.sh --foreign
	@O=$(abspath $(O)) TEST_JOBS=1 TEST_TIMEOUT=3000 tests/run tests/foreign/check.sh tests/foreign/styles.sh tests/foreign/binutils.sh \
	  tests/foreign/glib.sh tests/foreign/server.sh tests/foreign/denormal.sh

# Of those, the numerical ones, of which denormals are counted; some minutes.
.PHONY: check-foreign-denormal ## of those the numerical ones, and their denormals
check-foreign-denormal: all
	@O=$(abspath $(O)) TEST_JOBS=1 TEST_TIMEOUT=3000 tests/run tests/foreign/denormal.sh

# Programs, recorders, and perseusd and its clients, killed at random instants; some minutes.
.PHONY: check-kill ## programs, recorders and perseusd killed at random instants
check-kill: all
	@KILL_RUNS=500 KILLS=100 O=$(abspath $(O)) TEST_TIMEOUT=3000 tests/run tests/runtime/kill.sh tests/cli/record-kill.sh \
	  tests/daemon/kill.sh

# Pages in a browser; pictures of them stay in $(O)/pages.
.PHONY: check-pages ## reports in a browser
check-pages: setup
	@$(MAKE) --no-print-directory $(cores) all
	@O=$(abspath $(O)) tests/run $(scenario.page)

# Every construct at every level and in every kind of link; about 25 minutes.
.PHONY: check-languages ## every construct at every level: about 25 minutes
check-languages: all
	@FULL=1 O=$(abspath $(O)) TEST_TIMEOUT=7200 tests/run tests/plugin/languages.sh tests/plugin/complete.sh tests/plugin/backtrace.sh

# ---- lint ------------------------------------------------------------------

# Folders that are larger than the limits may shrink and not grow: scripts/size-limits.
check-size:
	@scripts/measures.sh --check scripts/size-limits $(sort $(rooms))
	@wc -l cmd/cmd-*.c | awk '$$2 != "total" && $$1 > 300 { print $$2 " has " $$1 " lines, at most 300 are allowed: a verb parses, calls and prints"; bad = 1 } END { exit bad }'
check-names:
	@scripts/check-names.sh $(sort $(rooms))
check-docs:
	@scripts/check-docs.sh
.PHONY: lint ## layers, sizes, names, pages, format: a part of check
.PHONY: layers ## print which folder may include which
.PHONY: format ## let clang-format decide about white space
.PHONY: check-tests check-size check-names check-docs check-print check-layers check-arch check-headers check-format
lint: check-tests check-size check-names check-docs check-print check-layers check-arch check-headers check-format
# What tests/run starts itself must be a program, and print TAP.
check-tests:
	@for t in $(wildcard tests/*/*.sh); do case $$t in tests/bench/* | tests/foreign/common.sh) continue ;; esac; \
	  [ -x $$t ] || { echo "$$t is started as a program: chmod +x"; exit 1; }; done
	@for t in $(unit.src); do grep -q CM_OUTPUT_TAP $$t || { echo "$$t: cmocka_set_message_output(CM_OUTPUT_TAP) is missing"; exit 1; }; done
	@for t in $$(sed '/^\#/d' tests/long); do [ -f $$t ] || { echo "tests/long: there is no $$t"; exit 1; }; done
check-layers: $(O)/layers
	@scripts/check-layers.sh $<
	@cmp -s $< docs/layers.txt || { echo "docs/layers.txt is not the table of the Makefile: make layers >docs/layers.txt"; exit 1; }
check-arch:
	@scripts/check-arch.sh gcc-plugin runtime verify
check-print:
	@scripts/check-print.sh $(filter-out cmd/base/print.c,$(src.cmd))
layers: $(O)/layers
	@cat $<
$(O)/layers: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' $(foreach f,$(sort $(rooms)),'$(f): $(LAYER.$(f))') >$@
check-headers:
	@for h in $(filter-out gcc-plugin/%,$(headers)); do \
	  $(CC) $(CPPFLAGS) -std=gnu11 -Wall -Wextra -fsyntax-only -x c $$h || { echo "$$h does not compile alone"; exit 1; }; done
# Every source in every folder of the table, however deep, and of the tests and examples that are C of ours; only lint asks.
headers = $(sort $(shell find $(sort $(foreach r,$(rooms),$(firstword $(subst /, ,$(r))))) include -name '*.h'))
fmt = $(headers) $(shell find $(sort $(foreach r,$(rooms),$(firstword $(subst /, ,$(r))))) tests/unit -name '*.c' -o -path 'tests/unit/*.h') \
	$(wildcard tests/daemon/*.c examples/*/*.[ch])
check-format:
	@case $$(clang-format --version 2>&1) in *"version 14."*) clang-format --dry-run -Werror $(fmt) ;; \
	 *) echo "clang-format 14 is not installed, other versions format otherwise: formatting not checked" ;; esac
format:
	$(Q)clang-format -i $(fmt)

.PHONY: help ## this list
# Of the lines above, in all Makefiles: what is behind ## says what the target is for.
help:
	@awk -f scripts/help.awk $(filter-out %.d,$(MAKEFILE_LIST))

.PHONY: clean ## remove the build tree
clean:
	rm -rf $(O)

-include scripts/install.mk
-include packaging/tarball.mk
-include docs/man/man.mk
-include cmd/cc1/cc1.mk
-include tests/bench/bench.mk
-include tests/transparency/transparency.mk
-include tests/sharing/sharing.mk
-include tests/truth/truth.mk
-include tests/patch/patch.mk
-include tests/mutation/mutation.mk
-include tests/faults/faults.mk
-include tests/fuzz/fuzz.mk
-include tests/soak/soak.mk
-include tests/coverage/coverage.mk
-include tests/proofs/proofs.mk
-include tests/evidence/evidence.mk
-include tests/daemon/daemon.mk
-include tests/kmod/kmod.mk
-include tests/releases/releases.mk
-include tests/packages/packages.mk
-include tests/slurm/slurm.mk
-include examples/demo.mk
# Sources of other people that lie below $(O) have .d files of their own.
-include $(shell find $(O) -path $(O)/foreign-src -prune -o -path $(O)/releases -prune -o -path $(O)/packages -prune -o -path $(O)/test-logs -prune -o -path $(O)/coverage -prune -o -name '*.d' -print 2>/dev/null)
