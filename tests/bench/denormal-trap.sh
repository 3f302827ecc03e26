#!/bin/sh
# SPDX-License-Identifier: MIT
# What a trap costs: the stencil of 120 sweeps with 1,786,590 events, scalar, and the same with AVX-512.  CPU time, and
# beside it that of the kernel's signal alone, which no handler can be cheaper than.
#   TRAP_RUNS=5: the fastest of so many
. tests/bench/lib.sh

lib=$O/lib/libperseus-trap.so
runs=${TRAP_RUNS:-5}
gcc -O2 -o "$T/cpu" tests/bench/denormal-trap.c
gcc -O1 -fno-predictive-commoning -o "$T/scalar" tests/runtime/trap-jacobi.c
gcc -O1 -I. -Iinclude -D_GNU_SOURCE -o "$T/trap-read" tests/runtime/trap-read.c "$O/record.a" "$O/yaml.a" "$O/lib.a" \
  -lyaml -lelf -lz -lm

trapped() { env PERSEUS_RUN_DIR="$T/run" LD_PRELOAD="$lib" "$@"; }
# events PROGRAM: of one run of it
events() {
	rm -rf "$T/run"
	mkdir "$T/run"
	trapped "$1" 120 0 >/dev/null
	"$T/trap-read" "$T"/run/*.pden | sed -n '1s/.*operands=\([0-9]*\) results=\([0-9]*\).*/\1 \2/p' | awk '{print $1 + $2}'
}
# price PROGRAM EVENTS: nanoseconds an event
price() {
	plain=$("$T/cpu" "$runs" "$1" 120 0)
	with=$("$T/cpu" "$runs" env PERSEUS_RUN_DIR="$T/run" LD_PRELOAD="$lib" "$1" 120 0)
	awk -v a="$with" -v b="$plain" -v n="$2" 'BEGIN { if (n) printf "%.0f", (a - b) / n }'
}

n=$(events "$T/scalar")
figure denormal.trap_ns "$(price "$T/scalar" "$n")" 1000 \
  "of it the signal alone $("$T/cpu" signal); peer: signal and single step, 4,030 where the signal was 770; $n events"
if grep -qw avx512f /proc/cpuinfo; then
	gcc -O3 -mavx512f -mprefer-vector-width=512 -o "$T/wide" tests/runtime/trap-jacobi.c
	n=$(events "$T/wide")
	figure denormal.trap_ns.avx512 "$(price "$T/wide" "$n")" "" "up to 16 lanes each; $n events"
fi
with=$("$T/cpu" "$runs" env PERSEUS_RUN_DIR="$T/run" LD_PRELOAD="$lib" "$T/scalar" 800 0.1)
figure denormal.trap.clean "$(awk -v a="$with" -v b="$("$T/cpu" "$runs" "$T/scalar" 800 0.1)" 'BEGIN { printf "%.2f", a / b }')" "" \
  "ratio to the plain program where nothing is denormal"
finish_bench
