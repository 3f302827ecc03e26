#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-trigger: what generated triggers cost, in a program linked with the
# generated code at -O2.  A trigger whose thread is where it should be: system
# calls (a filter of the kernel ends the process at the first one), and nanoseconds
# beside reads of the clock.  One that moves its thread: beside setting the affinity
# and reading it back by hand.  Least of interleaved rounds, CPU time.
. tests/bench/lib.sh
. tests/codegen/plan.inc
load_note
# Trigger 1 finds its thread where the table put it; 2 and 3 are of one site: there and back.
{
	plan_head
	echo threads:
	plan_thread 0 main - - 0 "$A"
	echo sites:
	plan_site 0 00c1a5e4b7d29f36 trigger.c main kept 10
	plan_site 1 93aa0b6614f08e7c trigger.c main moved 11
	echo triggers:
	plan_trigger 1 0 0 true 1 1 "$A"
	plan_trigger 2 0 1 true 1 2 "${B:-$A}"
	plan_trigger 3 0 1 true 2 2 "$A"
} >"$T/plan.yaml"
perseus codegen "$T/plan.yaml" -o "$T/gen" >/dev/null || exit 3
gcc -std=c11 -O2 -I"$T/gen" -o "$T/trigger" tests/bench/trigger.c "$T/gen/perseus_triggers.c" "$T/gen/perseus_platform_linux.c" || exit 3

calls=1
[ "$("$T/trigger" kept)" != "no system call" ] || calls=0
figure trigger.kept.calls "$calls" 0 "system calls of a million triggers whose thread is where it should be"
if [ -z "$B" ]; then echo "note: one core only, nothing to move to"
elif [ "$(sh -c '"$1" moved' - "$T/trigger" 2>/dev/null)" = "no system call" ]; then echo "note: the filter sees nothing, the figure above says nothing"; fi

"$T/trigger" price "$A" "${B:-$A}" >"$T/prices" || exit 3
value() { awk -v n="$1" '$1 == n { print $2 }' "$T/prices"; }
figure trigger.kept.ns "$(value kept)" "$(awk -v c="$(value clock)" 'BEGIN { printf "%.2f", 2 * c }')" \
	"two reads of the clock, in the same run"
[ -z "$B" ] || figure trigger.moved.ns "$(value moved)" "$(awk -v h="$(value hand)" 'BEGIN { printf "%.0f", 1.1 * h }')" \
	"sched_setaffinity and the read-back by hand: $(value hand) ns, and a tenth"
finish_bench
