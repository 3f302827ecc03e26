#!/bin/sh
# SPDX-License-Identifier: MIT
# The unit test of the platform files: every function, on a counterfeit system, for plans of each kind and each
# back end; all branches but those named below are taken; and faults in the reviewed text are found.
. tests/lib.sh
golden=$(pwd)/tests/codegen/golden/plan.yaml
unit=$(pwd)/tests/codegen/unit/run
export COVERAGE=1

# ---- plans: of kind call, with pins and steps; fewer things each ----
cp "$golden" "$T/call.yaml"
sed '/^cpu:/d' "$golden" >"$T/no-cpu.yaml"
sed '/^triggers:/,/^phases:/{/^phases:/!d}' "$golden" >"$T/start.yaml" # pins at starts only
awk '/^    core: / { next } /^      - kind: pin/ { getline; next } { print }' "$golden" |
	awk '/^  - number: 118/ { skip = 1 } /^  - number: 120/ { skip = 0 } !skip' >"$T/steps.yaml" # no pins
sed 's/^\( *domain:\) 2$/\1 0/' "$T/steps.yaml" >"$T/first.yaml" # domain 0 is one of several
sed '/kind: step/{N;N;/domain: 7/d}; s/^\( *domain:\) .*/\1 0/' "$T/steps.yaml" >"$T/one.yaml" # domain 0 is the only one
sed '/^  - index: 1$/,/^phases:/{/^phases:/!d}; /^cpu:/d' "$golden" >"$T/little.yaml" # main on a core, and that is all
awk '/^  - index: 1$/ && !done { skip = done = 1 } /^triggers:/ { skip = 0 } /^  - number: 2$/ { skip = 1 } /^phases:/ { skip = 0 } !skip' \
	"$golden" | sed 's/^max_core_id: .*/max_core_id: 30/' >"$T/alone.yaml"

# Not reached: the bounds check in the C library's own CPU_SET and CPU_ISSET, whose core is below CPU_SETSIZE
# by then; the bound of a path that is longer than any that is put together; that the processor is another where
# the plan names none; that a static program has no pthread_create().
unreached='CPU_ISSET\(|CPU_SET\(|\(at \+ bytes\) < PATH_BYTES'
no_cpu='perseus_cpu_planned\(\) == 0u|#####.*result = PERSEUS_NOT_HELD;'
static='creator != NULL'

# untaken DIR: branches that no case took, by the text of their line
untaken() {
	(cd "$1" && gcov -b -c object.o >gcov.out 2>&1)
	awk '/^ *[-0-9#=]+\*?: *[0-9]+:/ { line = $0 } /^ +#####:/ { print line } /^branch.*(never executed|taken 0 |taken 0$)/ { print line }' "$1"/perseus_platform_*.gcov
}
only_unreached() {
	untaken "$1" >"$1/untaken"
	! grep -Ev "$unreached${2:+|$2}" "$1/untaken"
}
# Of the platform file: the sum over all sources stands behind a blank line.
figures() { awk '/^File/ { ours = /perseus_platform_/ } /^$/ { ours = 0 } ours' "$1/gcov.out" | tr '\n' ' ' |
	sed -n 's/.*Lines executed:\([0-9.]*% of [0-9]*\).*Taken at least once:\([0-9.]*% of [0-9]*\).*/\1 lines, \2 branches/p'; }

# passes PLAN BACKEND [FLAG]: of $T/PLAN.yaml, frequency steps by $way
way=perseusd
passes() {
	name="$1, $2${3:+, $3}"
	dir=$T/$1-$2
	[ $way = perseusd ] || { name="$name, $way" dir=$dir-$way; }
	perseus codegen "$T/$1.yaml" -o "$dir" --backend="$2" --frequency=$way >/dev/null || { not_ok "codegen $name"; return; }
	plan=$1 back=$2
	shift 2
	rm -rf "$dir/unit"
	exits 0 "every case: $name" "$unit" "$T/$plan.yaml" "$dir" "$back" "$dir/unit" "$@"
	says '^[1-9][0-9]* cases, 0 failed$' "... and there are some: $name"
	also=
	grep -q '^cpu:' "$T/$plan.yaml" || also=$no_cpu
	case $* in *STATIC*) also=${also:+$also|}$static ;; esac
	it "all branches that can be: $name" only_unreached "$dir/unit" "$also"
	echo "# $name: $(tail -n 1 "$T/out"); $(figures "$dir/unit")"
}
cp tests/proofs/flush.yaml "$T/flush.yaml"
for p in call no-cpu start steps first one little alone flush; do passes $p linux; done
for way in device cpufreq; do for p in call one; do passes $p linux; done; done
way=perseusd
for p in call start; do passes $p linux -DPERSEUS_STATIC; done
for p in call little; do passes $p posix; done
passes call posix -DPERSEUS_DIRECT
for p in call little; do passes $p stub; done
it "the kinds of platform file are all there" sh -c "grep -q perseus_recheck '$T/call-linux/'*.c && ! grep -q perseus_recheck '$T/start-linux/'*.c &&
	grep -q lend_mask '$T/start-linux/'*.c && ! grep -q lend_mask '$T/steps-linux/'*.c && grep -q perseus_lease '$T/steps-linux/'*.c && ! grep -q perseus_lease '$T/little-linux/'*.c"
it "each has one way of frequency steps, and none can be changed by the compiler line" sh -c "! grep -lE 'perseus_use_(module|files)' '$T/steps-linux/'*.c && ! grep -lE 'perseus_use_(daemon|files)' '$T/one-linux-device/'*.c &&
	! grep -lE 'perseus_use_(daemon|module)' '$T/one-linux-cpufreq/'*.c && ! grep -l '^#ifndef PERSEUS_[A-Z]*\$' '$T'/*-linux*/*_linux.c"

# ---- twins: a fault in the text is found ----
COVERAGE=
export COVERAGE
# found PLAN BACKEND SED WHAT
found() {
	rm -rf "$T/bad"
	mkdir "$T/bad"
	from=$T/$1-$2
	[ $way = perseusd ] || from=$from-$way
	cp "$from"/*.[ch] "$T/bad"
	sed "$3" "$from/perseus_platform_$2.c" >"$T/bad/perseus_platform_$2.c"
	if cmp -s "$from/perseus_platform_$2.c" "$T/bad/perseus_platform_$2.c"; then not_ok "twin: $4" "the change found nothing to change"
	else
		exits 1 "twin: $4" "$unit" "$T/$1.yaml" "$T/bad" "$2" "$T/bad/unit"
		says '^failed: ' "... and the case is named: $4"
	fi
}
found call linux 's/CPU_COUNT(&mask) == 1/CPU_COUNT(\&mask) >= 1/' "a read-back that takes two cores for one"
found call linux '/^uint32_t perseus_platform_pin/,/^}/s/errno = saved;//' "a pin that leaves another errno"
found call linux 's/, SO_RCVTIMEO,/, SO_SNDTIMEO,/' "a wait without limit for perseusd"
found call linux '/^static void perseus_forked/,/^}/s/(void)close(perseus_descriptor);//' "a child that keeps its parent's hold"
way=device
found call linux 's/hold.policy_max_khz, khz)/khz, khz)/' "a hold that is not read back"
way=perseusd
way=cpufreq
found call linux '/^static void perseus_restore/,/^}/s/getpid() == perseus_process/perseus_process != 0/' "a child that puts steps back"
way=perseusd
found call linux 's/perseus_creation_undo();//' "a failed creation that counts"
found start linux 's/< 0x80000000u/< 0xFFFFFFFFu/' "a counter that wraps"
found start linux '/^uint32_t perseus_platform_become/,/^}/s/instance < PERSEUS_THREADS/instance <= PERSEUS_THREADS/' "a thread that the plan has not"
found call posix 's/perseus_slots\[child\].argument = argument;//' "a thread without its argument"
found call stub '/^uint32_t perseus_platform_pin/,/^}/s/\*error = 0u;//' "a stub that leaves the error open"
finish
