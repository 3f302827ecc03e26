#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus plan --export: solvers that know nothing of Perseus find the planner's bound.
. tests/lib.sh

# bound NAME: what the planner says, in the unit of the program's objective
bound() { sed -n "s/^. The planner's bound is \([0-9.e+-]*\): proven.*/\1/p" "$T/$1.lp"; }

# close A B: equal to a millionth
close() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a > 0 && b > 0 && (d < 0 ? -d : d) <= 1e-6 * b) }'; }

by_glpsol() {
	glpsol --lp "$T/$1.lp" -o "$T/$1.sol" >"$T/$1.log" 2>&1 || return 1
	close "$(sed -n 's/^Objective: *cost = \([0-9.e+]*\) .*/\1/p' "$T/$1.sol")" "$(bound "$1")" &&
		grep -q '^Status: *INTEGER OPTIMAL' "$T/$1.sol"
}

by_cbc() {
	cbc "$T/$1.lp" -solve -solu "$T/$1.sol" >"$T/$1.log" 2>&1 || return 1
	close "$(sed -n '1s/^Optimal - objective value \([0-9.e+]*\)$/\1/p' "$T/$1.sol")" "$(bound "$1")"
}

not() { ! "$@"; }

# solve NAME: by each solver that is installed
solve() {
	for solver in glpsol cbc; do
		if command -v $solver >/dev/null; then it "$solver finds the bound of $1" by_$solver "$1"
		else skip "$solver finds the bound of $1" "$solver is not installed"; fi
	done
}

for name in haltstate float; do
	exits 0 "$name is exported" perseus plan tests/planner/models/$name.yaml -p xeon-e5320 \
		--objective=energy -o "$T/$name.yaml" --export="$T/$name.lp"
	says "^wrote .*/$name\\.lp\$" "and said to be written"
	solve $name
done
exits 0 "phases that share threads are exported" perseus plan tests/planner/models/signal.yaml \
	-p xeon-e5320 --objective=energy -o "$T/signal.yaml" --export="$T/signal.lp"
if command -v cbc >/dev/null; then it "cbc finds the bound of signal" by_cbc signal
else skip "cbc finds the bound of signal" "cbc is not installed"; fi

sed "s/^\(. The planner's bound is\) [0-9.]*/\1 40235.5/" "$T/haltstate.lp" >"$T/other.lp"
if command -v cbc >/dev/null; then it "another bound than the true one is noticed" not by_cbc other
else skip "another bound than the true one is noticed" "cbc is not installed"; fi

perseus plan tests/planner/models/signal.yaml -p xeon-e5320-cubic --objective=energy --deadline=+0% \
	-o "$T/late.yaml" --export="$T/late.lp" >/dev/null 2>&1
if command -v cbc >/dev/null; then it "cbc finds the bound under a deadline" by_cbc late
else skip "cbc finds the bound under a deadline" "cbc is not installed"; fi

echo keep >"$T/keep.lp"
exits 3 "conflicts are refused" perseus plan yaml/examples/model.yaml -p xeon-e5320 --objective=energy \
	-o "$T/none.yaml" --export="$T/keep.lp"
says 'share-[0-9]+ has no exact linear form' "and named"
it "nothing is written then" sh -c 'grep -qx keep "$1" && [ ! -e "$2" ]' - "$T/keep.lp" "$T/none.yaml"
finish
