#!/bin/sh
# SPDX-License-Identifier: MIT
# The whole way on examples/pairs, and its negative twin with padded counters.
. tests/lib.sh
. tests/soon.inc
root=$(pwd)
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "the whole way on pairs" "one core only"; finish; }
ex=$root/examples/pairs
it "the probed build works" make -s -C "$ex" O="$T/probed" CFLAGS="-O2 -g -fplugin=$PLUGIN"
# On one core nobody waits for a line: what is recorded is the work alone, whoever would have met.
exits 0 "the result is right under a timing recording" taskset -c 0 perseus record -q -o timing probed/pairs 0.5
says ": right" "says the program"
exits 0 "and under a sharing recording" perseus record -q -o sharing --purpose=sharing probed/pairs 0.5
says ": right" "says the program again"
exits 0 "the padded twin is recorded" perseus record -q -o padded --purpose=sharing probed/pairs-padded 0.5

exits 0 "conflicts: the packed pairs are found" perseus conflicts sharing
says "^share-[0-9]{6} false-sharing .*pairs.*left.*right" "conflicts: object and both fields"
says "count_left +pairs.c:[0-9]+" "conflicts: the first function with its line"
says "count_right +pairs.c:[0-9]+" "conflicts: the second function with its line"
says "^Costs are not priced: run perseus calibrate" "conflicts: why there is no price"
exits 0 "conflicts: the same as JSON" perseus conflicts --json sharing
says '"not_priced": *"run perseus calibrate' "conflicts: the reason stands there without the word of its key"
exits 0 "conflicts: the padded twin has none" perseus conflicts padded
silent "false-sharing .*pairs" "conflicts: not even a small one" "$T/out"
exits 2 "conflicts: a timing run is the wrong purpose" perseus conflicts timing

exits 0 "calibrate" perseus calibrate --quick -o platform.yaml
steady_prices platform.yaml
exits 0 "analyze joins both runs" perseus analyze timing sharing -o model.yaml
says "^wrote" "and says what it wrote"
silent "^caution +timed on" "the times of one core are those of the work" "$T/out"
perseus record -q -o both probed/pairs 0.1 >/dev/null
exits 0 "times of several cores" perseus analyze both sharing -o both.yaml
says "^caution +timed on [0-9]+ cores, so work contains the waiting" "have the waiting in them, which is said"
exits 0 "analyze once more" perseus analyze timing sharing -o model.yaml
says "^ +left_worker 0 and right_worker 0, [0-9.]+ accesses per kilocycle$" "rates have a unit"
steady_rates model.yaml
exits 0 "plan" perseus plan model.yaml -p platform.yaml --objective=time -o plan.yaml
says "^sets +[89] thread starts, 0 call triggers$" "plan counts what it sets: the workers, and main if that is worth it"
starts=$(sed -n 's/^sets *\([0-9]*\) .*/\1/p' "$T/out")
counts="$starts thread starts, 0 call triggers"
silent "^.{81}" "plan keeps to 80 columns" "$T/out"
silent " 0\.000 s" "plan shows short times in a fitting unit" "$T/out"
perseus plan model.yaml -p platform.yaml --objective=time -o again.yaml >/dev/null 2>&1
it "the same input gives the same plan, byte for byte" cmp plan.yaml again.yaml
exits 0 "plan check" perseus plan check plan.yaml -p platform.yaml
says "^fits: $counts; platform" "plan check counts the same"
exits 0 "codegen" perseus codegen plan.yaml -o triggers
says "^sets +$counts$" "codegen counts the same"
it "the triggers compile without a warning" gcc -std=c11 -O2 -Wall -Wextra -Werror -c -o triggers/t.o triggers/perseus_triggers.c
it "so does the platform file" gcc -std=c11 -O2 -Wall -Wextra -Werror -c -o triggers/p.o triggers/perseus_platform_linux.c
hash=$(sed -n 's/^plan //p' triggers/perseus_triggers.plan)
planned="-O2 -g -fplugin=$PLUGIN -fplugin-arg-perseus-plan=$T/triggers/perseus_triggers.plan -fplugin-arg-perseus-plan-hash=$hash"
it "the planned build" make -s -C "$ex" O="$T/planned" CFLAGS="$planned" EXTRA_OBJS="$T/triggers/t.o $T/triggers/p.o" "$T/planned/pairs"
exits 2 "without the generated objects it does not link" make -s -C "$ex" O="$T/unlinked" CFLAGS="$planned" "$T/unlinked/pairs"
says "perseus_" "and the missing function is named" "$T/err"
exits 0 "verify: equal" perseus verify plan.yaml planned/pairs
says "^equal in threads and calls: $starts of $starts thread starts, 0 of 0 call triggers" "in a word, and with the same counts"
exits 1 "verify: the probed build is not it" perseus verify plan.yaml probed/pairs
exits 0 "the planned program computes the same" planned/pairs 0.1
says ": right" "says the program once more"

# Mates share a core, and every thread has one: read from the running program.
planned/pairs 90 >/dev/null &
pid=$!
# pinned PID N: it has N threads more than the first, each on one core
pinned() { [ "$(grep -l "^Cpus_allowed_list:[[:space:]]*[0-9]*\$" /proc/$1/task/*/status | grep -vc "/task/$1/")" = "$2" ]; }
soon pinned $pid 8
cores=$(for t in /proc/$pid/task/*; do [ "${t##*/}" = $pid ] || sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$t/status"; done | tr '\n' ' ')
kill $pid
set -- $cores
it "eight threads are pinned to one core each ($cores)" sh -c 'for c; do case $c in *[,-]*) exit 1 ;; esac; done; [ $# = 8 ]' - "$@"
it "mates to the same one" test "$1$3$5$7" = "$2$4$6$8"
it "and both cores are used" test "$(printf '%s\n' "$@" | sort -u | wc -l)" -ge 2
finish
