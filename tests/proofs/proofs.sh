#!/bin/sh
# SPDX-License-Identifier: MIT
# The generated C passes every gate: rules, compilers, proofs, its own unit
# test with all branches; and each gate is shut by a fault.  As it stands, a
# sample of plans with the tools that are here; make check-proofs (FULL=1) takes
# the gate tests and 50 random plans, needs every tool, and prints a table.
. tests/lib.sh
. tests/proofs/gates.inc
command -v cppcheck >/dev/null && shows_misra # once for all that is started here
: "${SEEDS:=$([ -n "$FULL" ] && seq -s ' ' 1 50 || echo 19 20 27)}"
: "${MUTANTS:=$([ -n "$FULL" ] && echo 12 || echo 3)}"
small=tests/proofs/small.yaml
mkdir -p "$T/plans" "$T/runs"

# ---- plans ----
gate_plans() {
	libs="planner analyzer record planner yaml lib"
	# shellcheck disable=SC2046
	gcc -std=gnu11 -O1 -I. -Iinclude -D_GNU_SOURCE -o "$T/gates" tests/proofs/gates.c $(printf "$O/%s.a " $libs) \
		-lyaml -lgsl -lgslcblas -lelf -lm -lpthread && mkdir "$T/models" && "$T/gates" "$T/models" || return 1
	for gate in haltstate float pairs imgapp signal; do
		for kind in start phase call; do
			perseus plan "$T/models/$gate.yaml" -p xeon-e5320 --objective=energy --kind=$kind --threads=1 \
				-o "$T/plans/$gate-$kind.yaml" || return 1
		done
	done
}
random_plans() {
	for seed in $SEEDS; do
		tests/proofs/random-plan.py "$seed" >"$T/plans/random-$seed.yaml" || return 1
	done
}
cp $small "$T/plans/small.yaml"
cp tests/proofs/flush.yaml "$T/plans/flush.yaml"
[ -z "$FULL" ] || cp tests/codegen/golden/plan.yaml "$T/plans/golden.yaml"
[ -z "$FULL" ] || it "the five gate tests are planned, for each kind" gate_plans
if command -v python3 >/dev/null; then it "random plans are made" random_plans
else skip "random plans are made" "no python3 here"; fi

# ---- gates ----
if [ -z "$(missing $needs_wp)" ]; then mkdir "$T/runs/home" && (proof_home "$T/runs/home"); fi
jobs=${PROOF_JOBS:-$([ -n "$FULL" ] && nproc || echo 1)}
plans() {
	find "$T/plans" -name '*.yaml' | sort | while read -r plan; do echo "$plan $(basename "$plan" .yaml) $T/runs"; done
}
if [ -n "$FULL" ]; then
	plans | BACKENDS="linux posix stub" xargs -P "$jobs" -L 1 tests/proofs/one >"$T/results"
	# One that is killed ends xargs: nothing of what was not judged may pass.
	judged=$(awk '$1 == "aarch64" { print $2 }' "$T/results" | sort -u | wc -l)
	wanted=$((3 * $(plans | wc -l)))
	[ "$judged" = $wanted ] && ok "all plans are judged for each back end" || not_ok "all plans are judged for each back end" "$judged of $wanted"
else
	# Proofs take seconds each: here of one plan.
	plans | grep -e small -e flush | xargs -L 1 tests/proofs/one >"$T/results"
	plans | grep -v -e small -e flush | RULES='' PROOFS='' xargs -L 1 tests/proofs/one >>"$T/results"
fi

# passes GATE TEXT: open for every plan
passes() {
	bad=$(grep "^$1 .* SHUT" "$T/results" | head -3)
	skipped=$(sed -n "s/^$1 .* skip //p" "$T/results" | head -1)
	n=$(grep -c "^$1 .* ok$" "$T/results")
	if [ -n "$bad" ]; then not_ok "$2" "$bad"
	elif [ -n "$skipped" ] && [ -z "$FULL" ]; then skip "$2" "no $skipped here"
	elif [ "$n" = 0 ]; then not_ok "$2" "nothing was looked at${skipped:+: no $skipped here}"
	else ok "$2 ($n)"; fi
}
sum() { cat "$T"/runs/figures.* | awk -v n="$1" '$1 == n { s += $2 } END { printf "%d", s }'; }
if grep '^codegen' "$T/results" >"$T/refused"; then not_ok "codegen takes every plan" "$(head -3 "$T/refused")"; else ok "codegen takes every plan"; fi
passes again "a second run writes the same bytes"
[ -z "$FULL" ] || passes triggers "the triggers are the same for every back end"
passes misra "MISRA C:2012: no finding and no deviation in the triggers"
passes deviations "MISRA C:2012: recorded deviations only in the platform files"
passes gcc "gcc and its analyzer have nothing to say"
passes clang "clang has nothing to say"
passes aarch64 "the cross compiler for aarch64 has nothing to say"
passes eva "EVA: no alarm, all preconditions proven, all statements reached"
passes wp "WP with the guards against run-time errors: all goals proven"
passes test "the generated unit test passes"
passes coverage "and takes all branches"

# ---- twins: each gate is shut by what it is for ----
exits 0 "codegen" perseus codegen "$small" -o "$T/good"

good=$T/good
# twin GATE PATTERN TEXT FILE SED: the change of FILE in $good shuts GATE, which says PATTERN
twin() {
	eval "needs=\$needs_$1"
	# shellcheck disable=SC2154,SC2086
	without=$(missing $needs)
	if [ -n "$without" ]; then skip "twin: $3" "no $without here"; return; fi
	rm -rf "$T/bad" "$T/bad.proof"
	cp -r "$good" "$T/bad" && mkdir "$T/bad.proof"
	sed "$5" "$good/$4" >"$T/bad/$4"
	if cmp -s "$good/$4" "$T/bad/$4"; then not_ok "twin: $3" "the change found nothing to change"
	elif shut "$1"; then says "$2" "twin: $3" "$T/bad.proof/$1"
	else not_ok "twin: $3" "gate $1 is open"; fi
}
shut() {
	(
		case $1 in
		eva | wp) proof_home "$T/runs/home" ;;
		coverage) gate_test "$T/bad" || exit 1 ;;
		esac
		! "gate_$1" "$T/bad"
	)
}
point='/^void perseus_trigger_0118/,/^}/'
WP_STEPS=300000
twin misra 'misra-c2012-16\.4' "a switch without default" perseus_triggers.c "$point s/default: .*/case 77u:/"
twin misra 'cppcheck-suppress' "a suppression in the triggers" perseus_triggers.c "$point s,switch,/* cppcheck-suppress misra-c2012-16.4 */ switch,"
twin deviations 'no recorded deviation from Rule 19.2' "a deviation without its number" perseus_platform_linux.c 's/ ; D2 / /'
twin deviations 'no recorded deviation from Rule 19.2' "a deviation under the number of another" perseus_platform_linux.c 's/ ; D2 / ; D3 /'
twin deviations 'misra-c2012-' "a deviation that nothing marks" perseus_platform_linux.c '/cppcheck-suppress misra-c2012-11.5/d'
twin gcc 'Wswitch-default' "a switch without default, by gcc" perseus_triggers.c "$point s/default: .*/case 77u:/"
twin gcc 'Wconversion' "a value cut off" perseus_triggers.c "$point s/switch (/uint8_t cut = perseus_thread_table[0].core; switch (cut + /"
twin clang 'error:' "something that is no C" perseus_triggers.c "$point s/switch/swich/"
twin aarch64 'error:' "assembly of one machine" perseus_triggers.c "$point s/switch (/__asm__ volatile (\"cpuid\" : : : \"eax\", \"ebx\", \"ecx\", \"edx\"); switch (/"
twin eva 'perseus_pin.*precondition.*invalid|precondition of perseus_pin.*invalid|perseus_pin: precondition .*got status invalid' "a core that the machine has not, by EVA" perseus_triggers.c "$point s/CORE_0/(9u)/"
WP_FUNCTION=perseus_trigger_0118
twin wp 'trigger_0118_call_perseus_pin_requires.* : (Stepout|Timeout|Failed|Unknown)' "a core that the machine has not, by WP" perseus_triggers.c "$point s/CORE_0/(9u)/"
WP_FUNCTION=perseus_member
twin wp 'index_bound.* : (Stepout|Timeout|Failed|Unknown)' "an index out of bounds" perseus_support.h '/^static uint32_t perseus_member/,/^}/s/perseus_thread_table\[row - 1u\]/perseus_thread_table[row]/'
twin test 'failed: trigger' "a core that is wrong and there" perseus_triggers.c "$point s/CORE_0/CORE_2/"
twin test 'failed: row of thread' "two threads whose places are swapped" perseus_triggers.c 's/0u, CORE_2}/0u, CORE_X}/; s/1u, CORE_3}/1u, CORE_2}/; s/CORE_X/CORE_3/'
twin test 'failed: .*mode' "a failure that is not counted" perseus_support.h '/count(&perseus_status.pins\[ended\])/d'
twin coverage '(9[0-9]|[0-8][0-9])\.[0-9]*% of' "a function that nobody calls" perseus_triggers.c '$s/$/\nvoid never(void);\nvoid never(void)\n{\n\tperseus_status.placed = 2u;\n}/'

exits 0 "codegen of flushes" perseus codegen tests/proofs/flush.yaml -o "$T/flushes"
good=$T/flushes
WP_FUNCTION=perseus_region_begin
twin eva 'perseus_platform_flush.*precondition.*invalid|precondition of perseus_platform_flush.*invalid|perseus_platform_flush: precondition .*got status invalid' "bits that the plan has not, by EVA" perseus_triggers.h 's/FLUSH (0x8040u)/FLUSH (0x8000u)/'
twin wp 'region_begin_call_perseus_platform_flush_requires.* : (Stepout|Timeout|Failed|Unknown)' "bits that the plan has not, by WP" perseus_triggers.h 's/FLUSH (0x8040u)/FLUSH (0x8000u)/'
twin test 'failed: flush begun' "FTZ without DAZ" perseus_triggers.h 's/FLUSH (0x8040u)/FLUSH (0x8000u)/'
twin test 'failed: flush ended' "a flush that is not taken back" perseus_support.h '/perseus_platform_unflush(PERSEUS_FP_FLUSH)/d'
twin test 'failed: flush (begun|ended) inside another|failed: flush ended' "an inner region that puts back" perseus_support.h 's/level == PERSEUS_FLUSHED/level != 0u/'

# ---- faults of a generator: the unit test finds each ----
# survivors DIR: succeeds if the unit test of DIR fails for every mutant of its triggers
survivors() {
	rm -rf "$T/mutants"
	tests/proofs/mutants.py "$1" "$T/mutants" "$MUTANTS" >"$T/list" && gcc -std=c11 -O0 -w -c -o "$T/unit.o" "$1/perseus_triggers_test.c" || return 1
	while read -r n line what; do
		gcc -std=c11 -O0 -w -I"$1" -o "$T/mutant" "$T/mutants/$n.c" "$T/unit.o" || return 1
		"$T/mutant" >/dev/null
		[ $? = 1 ] || { echo "$1: line $line: $what: not found"; return 1; }
		echo "$what" >>"$T/killed"
	done <"$T/list"
}
all_killed() {
	: >"$T/killed"
	survivors "$T/good" || return 1
	for seed in $SEEDS; do
		rm -rf "$T/random"
		perseus codegen "$T/plans/random-$seed.yaml" -o "$T/random" >/dev/null && survivors "$T/random" || return 1
	done
	[ "$(wc -l <"$T/killed")" -gt 5 ]
}
if command -v python3 >/dev/null; then it "the unit test finds every fault of a wrong generator" all_killed
else skip "the unit test finds every fault of a wrong generator" "no python3 here"; fi

table() {
	printf '# %-11s %6s %6s %6s  %s\n' gate open shut skipped figures
	for g in again triggers misra deviations gcc clang aarch64 eva wp test coverage; do
		case $g in
		misra) figures="$(sum misra) findings, nothing suppressed" ;;
		deviations) figures="$(sum deviations) recorded deviations in platform files" ;;
		eva) figures="$(sum eva.alarms) alarms, $(sum eva.preconditions) preconditions proven, $(sum eva.unproven) not" ;;
		wp) figures="$(sum wp.proven) of $(sum wp.goals) goals proven" ;;
		test) figures="$(sum test.cases) cases, $(sum test.failed) failed" ;;
		coverage) figures="$(sum gcov.branches) branches and $(sum gcov.lines) lines, all taken" ;;
		*) figures= ;;
		esac
		printf '# %-11s %6d %6d %6d  %s\n' $g "$(grep -c "^$g .* ok$" "$T/results")" "$(grep -c "^$g .* SHUT" "$T/results")" \
			"$(grep -c "^$g .* skip" "$T/results")" "$figures"
	done
	printf '# %-11s %6d %6d %6s  %s\n' faults "$(wc -l <"$T/killed")" 0 "" "of a wrong generator, found by the unit test"
}
echo "# $(find "$T/plans" -name '*.yaml' | wc -l) plans, $([ -n "$FULL" ] && echo 3 back ends || echo back end linux)"
table
finish
