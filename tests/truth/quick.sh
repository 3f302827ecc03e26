#!/bin/sh
# SPDX-License-Identifier: MIT
# A part of tests/truth: some programs of known truth with their repaired twins, recorded
# once, and some that are generated.  `make check-truth` and `make check-sharing-random` try all.
. tests/lib.sh
[ "$(nproc)" -ge 2 ] || { skip "programs of known truth" "one core only"; finish; }
export O

# part DRIVER ARGUMENT...: its results as our own
part() {
	"$@" --tap --keep "$T/keep" >"$T/tap" 2>"$T/err" || [ $? = 1 ] || not_ok "$*" "$(cat "$T/err")"
	while read -r line; do
		case $line in
		"ok "*) ok "${line#ok * - }" ;;
		"not ok "*) not_ok "${line#not ok * - }" "$(grep -A 4 -F -- "$line" "$T/tap" | grep '^#')" ;;
		esac
	done <"$T/tap"
	grep -q '^1\.\.' "$T/tap" || not_ok "$1 came to an end" "$(tail -5 "$T/err")"
}
part tests/truth/run-known --runs 1 globals-apart globals-met globals-met-twin units units-twin heap2 heap3 heap3-twin partner partner-twin \
	memset library library-twin vector vector-twin
part tests/truth/run-random 1 2 5 6 7 13 5049 20038 20047 30040 71059
finish
