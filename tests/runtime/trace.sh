#!/bin/sh
# SPDX-License-Identifier: MIT
# Every timed call is in the trace, or counted as lost; whatever the program, the
# recorder or the disk do meanwhile.
. tests/lib.sh
. tests/runtime/common
. tests/soon.inc
if [ -n "$SAN" ]; then
	skip "every timed call is in the trace" "the runtime is not preloaded under a sanitizer"
	finish
fi
build calls tracer

# traced [OPTION...] PROGRAM SCENARIO: run it; its status in $status, the figures of its trace in $T/trace
traced() {
	rm -rf "$run_dir"
	perseus record -q --trace -o "$run_dir" "$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
	figures
}
figures() {
	perseus report --trace --json --calls 1000 "$run_dir" >"$T/trace" 2>"$T/trace.err"
	trace_status=$?
}
# value KEY: of the trace
value() { sed -n "s/^  \"$1\": \([0-9a-z.]*\),*$/\1/p" "$T/trace"; }
# of_site NUMBER: calls of that site in the trace, all processes
of_site() { awk -v n="$1" '/"number":/ {hit = ($2 + 0 == n)} /"calls":/ && hit {s += $2} END {print s + 0}' "$T/trace"; }
whole() {
	if [ "$status $trace_status $(value whole) $(value lost) $(value counts_that_differ)" = "0 0 true 0 0" ]; then ok "$1"
	else not_ok "$1" "status $status $trace_status, whole $(value whole), lost $(value lost), differ $(value counts_that_differ): $(cat "$T/trace.err")"; fi
}
# no_call_missing TEXT: what is lost is known to the last call
no_call_missing() { is "$1" "$(value calls_missing)" "$(value lost)"; }

# A handler that comes while its thread waits for room keeps some calls aside, and counts what it has no place for.
counted() {
	if [ "$(value lost)" = 0 ]; then whole "$1"
	else it "$1, or counts its few calls as lost" test "$status" = 0 -a "$(value calls_missing)" = "$(value lost)" -a "$(value lost)" -le 8; fi
}

for scenario in recursion jumps signals threads indirect leavers slow; do
	traced --trace-buffer=32 "$T/calls" $scenario
	if [ $scenario = signals ]; then counted "$scenario: the trace has what the record has"
	else whole "$scenario: the trace has what the record has"; fi
done
traced "$T/calls" recursion
is "both sites of a recursion have each call" "10945 10945" "$(of_site 0) $(of_site 1)"

traced "$T/tracer" lengths
whole "calls of a microsecond to a fifth of a second keep their length"
traced --trace-buffer=32 "$T/tracer" storm
whole "600 threads after one another share the buffers"
is "... and each has a stream" 600 "$(value streams)"
traced "$T/tracer" crowd
is "300 threads at a time: all have a trace" 301 "$(value streams)"
traced --trace-buffer=256 "$T/tracer" crowd
is "... of large buffers there are 256" 256 "$(value streams)"
is "... the others are counted" 45 "$(value threads_without_trace)"
is "... the program does not notice" 0 "$status"
traced "$T/tracer" family
whole "fork children trace for themselves"
is "... each of them" 21 "$(value streams)"
is "... and the parent goes on" "100 1000 200" "$(of_site 0) $(of_site 1) $(of_site 2)"
traced "$T/tracer" closer
whole "a program that closes all descriptors and executes another is traced on"
is "... both images" "100 200" "$(of_site 0) $(of_site 1)"

rm -rf "$run_dir"
(ulimit -v 3000000 && perseus record -q --trace-buffer=1 -o "$run_dir" "$T/tracer" last) >"$T/out" 2>"$T/err"
status=$?
figures
whole "with less address space than all buffers take there are fewer"
is "... and they are used" 200 "$(of_site 1)"

traced "$T/tracer" killed
is "a program killed by SIGKILL has traced every call up to there" "5000 3 0 137" \
  "$(of_site 0) $(of_site 1) $(value counts_that_differ) $status"

traced --trace-buffer=32 "$T/tracer" jumpers
is "handlers that never return: the program ends" 0 "$status"
is "... calls after them are traced" 100 "$(of_site 2)"
above "... none of those in the handlers is missing" 900 "$(of_site 1)"
it "... of those that were jumped out of, at most one a time" test "$(value calls_missing)" -le 300 -a "$(value lost)" -le 300
traced --trace-buffer=32 "$T/tracer" stacks
is "stacks switched by a timer: the program ends" 0 "$status"
above "... and is traced" 1000 "$(value calls)"

traced "$T/tracer" vandal
is "a program that overwrites the buffers ends" 0 "$status"
it "... and the recorder, too" test "$trace_status" = 0 -o "$trace_status" = 4

# halt PID: stop it, and wait until each of its threads stands still
halt() {
	kill -STOP "$1"
	tries=0
	while grep -h '^State:' /proc/"$1"/task/*/status | grep -qv 'T (stopped)' && [ $tries -lt 500 ]; do
		sleep 0.01
		tries=$((tries + 1))
	done
}

# written: bytes of the trace so far; idle BYTES: the recorder has written more than that, and waits for more
written() { cat "$run_dir/trace"/[0-9]* 2>/dev/null | wc -c; }
idle() { [ "$(written)" -gt "$1" ] && ! grep -h '^State:' /proc/$recorder/task/*/status | grep -qv 'S (sleeping)'; }

# drive POLICY WHAT: scenario `steps`, its recorder stopped while it makes 200,000 calls,
# more than a buffer of 1 MB holds; then WHAT happens to the recorder
drive() {
	rm -rf "$run_dir" "$T/in" "$T/out"
	mkfifo "$T/in" "$T/out"
	perseus record -q --trace-full="$1" --trace-buffer=1 -o "$run_dir" "$T/tracer" steps <"$T/in" >"$T/out" 2>"$T/err" &
	recorder=$!
	exec 3>"$T/in" 4<"$T/out"
	read -r word <&4
	soon idle 0
	halt $recorder
	before=$(written)
	echo >&3
	"$2"
	echo >&3
	exec 3>&- 4<&-
	wait $recorder
	status=$?
	figures
}
then_go_on() {
	read -r word <&4
	kill -CONT $recorder
	soon idle "$before"
}
drive degrade then_go_on
is "full buffer: the program ends" 0 "$status"
above "... calls are lost" 1000 "$(value lost)"
no_call_missing "... exactly as many as are missing"
is "... there is one gap" 1 "$(value gaps)"
is "... and the trace goes on behind it" "1000 1000" "$(of_site 0) $(of_site 2)"
is "... which makes it incomplete" 4 "$trace_status"
says 'calls and 0 accesses are not in it' "... and is said" "$T/err"
if command -v babeltrace2 >/dev/null; then
	babeltrace2 "$run_dir/trace" >"$T/theirs" 2>&1
	is "... babeltrace2 says how many, too" "$(value lost)" \
	  "$(sed -n 's/.*[Tt]racer discarded \([0-9]*\) event.*/\1/p' "$T/theirs" | awk '{s += $1} END {print s + 0}')"
	says 'note: .*kind = \( "gap" ' "... and where" "$T/theirs"
else
	skip "... babeltrace2 says how many, too" "babeltrace2 is not installed"
fi
drive drop then_go_on
above "drop: calls are lost" 1000 "$(value lost)"
no_call_missing "... exactly as many as are missing"
is "... and the trace goes on behind them" "1000 1000" "$(of_site 0) $(of_site 2)"

then_wait() {
	sleep 0.5
	kill -CONT $recorder
	read -r word <&4
}
drive block then_wait
whole "block: the program waits for the recorder, nothing is lost"
is "... and all calls are there" "1000 200000 1000" "$(of_site 0) $(of_site 1) $(of_site 2)"

then_kill() {
	kill -KILL $recorder
	read -r word <&4
}
drive block then_kill
is "block: a recorder that is killed does not hold the program" full "$word"
is "... the trace that there is can be read" 4 "$trace_status"
says 'ends before the program did' "... and is not taken for all" "$T/trace.err"
is "... its beginning is there" 1000 "$(of_site 0)"

# The recorder is killed while calls come at full speed.
rm -rf "$run_dir" "$T/in" "$T/out"
mkfifo "$T/in" "$T/out"
perseus record -q --trace -o "$run_dir" "$T/tracer" busy <"$T/in" >"$T/out" 2>"$T/err" &
recorder=$!
exec 3>"$T/in" 4<"$T/out"
read -r word <&4
soon sh -c '[ "$(cat "$1"/trace/[0-9]* | wc -c)" -gt 200000 ]' - "$run_dir"
kill -KILL $recorder
wait $recorder 2>/dev/null
echo >&3
read -r word <&4
exec 3>&- 4<&-
is "killed recorder: the program goes on to its end" "done" "$word"
figures
is "... what there is of the trace can be read" 4 "$trace_status"
above "... and is not little" 1000 "$(of_site 1)"
finish
