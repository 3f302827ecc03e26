#!/bin/sh
# SPDX-License-Identifier: MIT
# What happens when there is no room: the program goes on, the loss is counted and named.
. tests/lib.sh
. tests/runtime/common
build calls
n=4000
[ -z "$SAN" ] || n=400

export PERSEUS_LIMIT_MB=1
record calls churn $n
is "a program that meets the limit ends well" 0 $status
is "the limit is named" 2 "$(get '^header' reason)"
above "what found no room is counted" 1 "$(( $(get '^header' lost_threads) + $(get '^header' lost_calls) ))"
above "every thread is recorded or counted as lost" $((n + 1)) "$(( $(get '^header' threads) + $(get '^header' lost_threads) ))"
is "the file keeps the limit" 1 "$(( $(du -k "$run_dir"/*.prec | cut -f1) <= 1100 ))"
is "main's own calls are still exact" $n "$(calls 0 4)"
unset PERSEUS_LIMIT_MB

mkdir "$T/small"
if [ -z "$SAN" ] && mount -t tmpfs -o size=1m tmpfs "$T/small" 2>/dev/null; then
	rm -rf "$run_dir"
	mkdir -p "$T/small/run"
	run_dir=$T/small/run
	recorded "$T/calls" churn $n >"$T/out" 2>"$T/err"
	is "a full disk does not harm the program" 0 $?
	read_records
	cp "$T/rec" "$T/rec.full"
	umount "$T/small"
	run_dir=$T/run
	is "the full disk is named" 1 "$(get '^header' reason)"
	above "what was lost is counted" 1 "$(( $(get '^header' lost_threads) + $(get '^header' lost_calls) ))"
	is "main's own calls are still exact on a full disk" $n "$(calls 0 4)"
else
	skip "a full disk does not harm the program" "cannot mount a small tmpfs, or built with a sanitizer"
fi

record_limited() {
	rm -rf "$run_dir"
	mkdir "$run_dir"
	(ulimit -f "$1"; shift; recorded "$T/calls" "$@") >"$T/out" 2>"$T/err"
	status=$?
	read_records
}
record_limited 1000 churn $n
is "a limit on file sizes raises no signal" 0 $status
record_limited 1 many
is "not even one page: the program runs all the same" 0 $status

record calls flood
is "more blocks than the log takes end well" 0 $status
is "a flood of blocks is cut by a rising threshold or counted" 0 "$(get '^header' reason)"

export PERSEUS_BLOCK_US=1
record calls flood
unset PERSEUS_BLOCK_US
is "sixty thousand blocks: logged or counted as lost" 1 \
  "$(( $(grep -c '^log ' "$T/rec") + $(get '^header' lost_blocks) >= 50000 ))"
is "... in at most a megabyte" 1 "$(( $(grep -c '^log ' "$T/rec") <= 32768 ))"
is "... and the calls are exact" 60000 "$(calls 0 6)"

rm -rf "$run_dir"
recorded "$T/calls" recursion
is "a run directory that is not there: the program runs without" 0 $?
finish
