#!/bin/sh
# SPDX-License-Identifier: MIT
# A part of tests/sharing: each kind of object and of access once, at one level each.
# `make check-sharing` tries all of them at all levels.
. tests/lib.sh
[ "$(nproc)" -ge 2 ] || { skip "programs with known answers" "one core only"; finish; }
export O RUN_MS=60

# part LEVEL MODE CASE...: the cases' results as our own
part() {
	tests/sharing/run --tap --keep "$T/keep" "$@" >"$T/tap" 2>"$T/err" || [ $? = 1 ] || not_ok "tests/sharing/run $1 $2" "$(cat "$T/err")"
	while read -r line; do
		case $line in
		"ok "*) ok "${line#ok * - }" ;;
		"not ok "*) read -r why; not_ok "${line#not ok * - }" "${why#\# }" ;;
		esac
	done <"$T/tap"
}
part O0 precise counters counters-fixed stack stack-fixed short short-fixed total folded-1 folded-1-fixed lent lent-fixed
part O1 precise regression-16 perthread-16 perthread-40 locks locks-fixed
part O2 precise regression-16 slots slots-fixed invariant invariant-fixed conditional config config-fixed reuse reuse-fixed serial mixed \
	vector vector-fixed folded-[23] folded-[23]-fixed members both both-fixed generations generations-fixed rounds rounds-fixed
part O1 precise libcalls-[1236] libcalls-[1236]-fixed
part O0 precise libcalls-3 libcalls-4 libcalls-5
part O2 precise "processes-*"
part O3 precise cyclic cyclic-fixed rows rows-fixed bins bins-fixed readonly
# Bursts are on a twentieth of the time: what is rare in 60 ms is not in 250.
RUN_MS=250
part O2 adaptive counters counters-fixed rows rows-fixed slots slots-fixed
part O2 rate atomics atomics-fixed feather-1 feather-1-fixed
finish
