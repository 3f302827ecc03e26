#!/bin/sh
# SPDX-License-Identifier: MIT
# The rates of some generated programs, which count their own accesses, lie in the
# intervals that are told; `make check-rates` tries many.
. tests/lib.sh
[ "$(nproc)" -ge 2 ] || { skip "rates of programs that count their accesses" "one core only"; finish; }
export O

# part SEED...: the driver's results as our own
part() {
	tests/truth/run-rates --tap --keep "$T/keep" "$@" >"$T/tap" 2>"$T/err" || [ $? = 1 ] || not_ok "run-rates" "$(cat "$T/err")"
	while read -r line; do
		case $line in
		"ok "*) ok "${line#ok * - }" ;;
		"not ok "*) not_ok "${line#not ok * - }" "$(grep -A 4 -F -- "$line" "$T/tap" | grep '^#')" ;;
		esac
	done <"$T/tap"
	grep -q '^1\.\.' "$T/tap" || not_ok "run-rates came to an end" "$(tail -5 "$T/err")"
}
part 201 219 221 225
finish
