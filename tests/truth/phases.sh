#!/bin/sh
# SPDX-License-Identifier: MIT
# Phases of the conflicts of some generated programs, whose stages are known: none is wrong;
# `make check-phases` tries many, and beside other load.
. tests/lib.sh
[ "$(nproc)" -ge 2 ] || { skip "phases of programs with known stages" "one core only"; finish; }
export O

tests/truth/run-phases --tap --keep "$T/keep" 2 3 18 >"$T/tap" 2>"$T/err" || [ $? = 1 ] || not_ok "run-phases" "$(cat "$T/err")"
while read -r line; do
	case $line in
	"ok "*) ok "${line#ok * - }" ;;
	"not ok "*) not_ok "${line#not ok * - }" "$(grep -A 4 -F -- "$line" "$T/tap" | grep '^#')" ;;
	esac
done <"$T/tap"
grep -q '^1\.\.' "$T/tap" || not_ok "run-phases came to an end" "$(tail -5 "$T/err")"
finish
