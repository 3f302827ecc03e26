#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls are counted exactly, whatever unbalances the probes.
. tests/lib.sh
. tests/runtime/common
build calls

# A site whose calls are slow, since the core is taken away in them, stays timed: try again.
for try in 1 2 3 4 5; do
	record calls recursion
	[ "$(get '^call thread=0 site=1 ' period | sort -u)" = 64 ] && break
done
is "a recursive program ends as without the runtime" 0 $status
is "fib(20) calls itself 10945 times at the first site" 10945 "$(calls 0 0)"
is "... and at the second" 10945 "$(calls 0 1)"
is "the record is closed" 1 "$(get '^header' state)"
is "every timed call is in the histogram" "$(get '^call thread=0 site=1 ' timed)" "$(get '^call thread=0 site=1 ' hist)"
is "the site backed off to one call in 64, on every path" 64 "$(get '^call thread=0 site=1 ' period | sort -u)"

export PERSEUS_PERIOD=1
record calls recursion
unset PERSEUS_PERIOD
is "a fixed period of 1 times every call" 10945 "$(sum '^call thread=0 site=0 ' timed)"
is "... and counts as many" 10945 "$(calls 0 0)"
is "child time is part of the sum" 1 "$(sum '^call thread=0 site=0 ' child | awk -v s="$(sum '^call thread=0 site=0 ' sum)" '{print ($1 > 0 && $1 < s)}')"

record calls deep
is "5000 nested calls are counted" 5000 "$(calls 0 0)"
is "... of which the 1024 outermost are timed" 1024 "$(get '^call thread=0 site=0 ' timed)"

record calls jumps
is "longjmp over open calls: the outer site is exact" 1000 "$(calls 0 0)"
is "... and so is the one jumped out of" 3000 "$(calls 0 1)"
is "... which never returned" 0 "$(sum '^call thread=0 site=1 ' timed)"

if [ "$SAN" != thread ]; then
	record calls signals
	is "a storm of signals changes no count of the interrupted site" "$(sed 's/A=\([0-9]*\).*/\1/' "$T/out")" "$(calls 0 0)"
	is "... nor of one the handler does not use" "$(sed 's/.*B=\([0-9]*\).*/\1/' "$T/out")" "$(calls 0 1)"
	is "... nor of the handler's own" "$(sed 's/.*C=\([0-9]*\).*/\1/' "$T/out")" "$(calls 0 2)"
else
	skip "a storm of signals changes no count of the interrupted site" "ThreadSanitizer holds signals back"
fi

record calls threads
is "eight threads are recorded beside main" 9 "$(get '^header' threads)"
is "each counts for itself" "100000 100000 100000 100000 100000 100000 100000 100000" \
  "$(for t in 1 2 3 4 5 6 7 8; do calls $t 0; done | tr '\n' ' ' | sed 's/ $//')"
is "all were created by main at one site" "0 4" "$(get '^thread index=[1-8] ' creator | sort -u) $(get '^thread index=[1-8] ' site | sort -u)"
is "... numbered in order" "0 1 2 3 4 5 6 7" "$(get '^thread index=[1-8] ' ordinal | tr '\n' ' ' | sed 's/ $//')"
is "eight creations, eight starts, eight ends, eight joins" "8 8 8 8" \
  "$(for k in 1 2 3 4; do grep -c "^event .* kind=$k " "$T/rec"; done | tr '\n' ' ' | sed 's/ $//')"
is "each join names its thread" "1 2 3 4 5 6 7 8" "$(get '^event .* kind=4 ' other | tr '\n' ' ' | sed 's/ $//')"
is "the eighth creation is the eighth visit of its site" 8 "$(get '^event .* kind=1 .*other=8 ' visit)"

# at SITE: the record of the site's only path; records PARENT SITE: "count timed" of the one below it
at() { get "^call thread=0 site=$1 " at; }
below() { grep "^call thread=0 site=$2 .* up=$1 " "$T/rec" | sed 's/.* count=\([0-9]*\) timed=\([0-9]*\) .*/\1 \2/'; }

export PERSEUS_PERIOD=1
record calls paths
is "a site called by two ways has a record for each: 300 calls in the first" "300 300" "$(below "$(get '^call thread=0 site=0 .* up=0 ' at | head -n 1)" 2)"
is "... 200 in the second" "200 200" "$(below "$(at 1)" 2)"
is "a recursion is one record, however deep" 1 "$(grep -c '^call thread=0 site=0 ' "$T/rec")"
is "nothing was lost" 0 "$(get '^header' lost_paths)"
record calls crowd
is "of 5000 ways the first 4097 have records, the others share one" "4098 903" \
  "$(grep -c '^call thread=0 site=2 ' "$T/rec") $(get '^call thread=0 site=2 .* flags=1 ' count)"
is "... which is said" 1 "$(get '^header' lost_paths)"
is "... and none is missing" 5000 "$(calls 0 2)"
unset PERSEUS_PERIOD
export PERSEUS_PERIOD=64
record calls paths
is "what is sampled is no part of a way" 0 "$(get '^call thread=0 site=2 ' up | sort -u)"
unset PERSEUS_PERIOD

record calls sleeper
if [ "$(get '^header' switch_kind)" = 1 ]; then
	above "calls that slept did not run through" 19 "$(get '^call thread=0 site=6 ' switched)"
	above "... nor did those round them" 19 "$(get '^call thread=0 site=0 ' switched)"
	is "short calls did" 1 "$(sum '^call thread=0 site=1 ' switched | awk '{print ($1 < 20)}')"
else
	skip "calls that slept did not run through" "libc has registered no struct rseq"
fi

# settled TEXT: every record has as many times in its histogram as it says
settled() { is "$1" "" "$(sed -n 's/^call .* timed=\([0-9]*\) hist=\([0-9]*\) .*/\1 \2/p' "$T/rec" | awk '$1 != $2')"; }
for clock in tsc gettime; do
	for what in recursion jumps contexts; do
		PERSEUS_CLOCK=$clock PERSEUS_PERIOD=1 record calls $what
		is "$what, $clock: ends as without the runtime" 0 $status
		settled "... every time is in its place"
		case $what in
		recursion) is "... every call is timed" "10945 10945" "$(sum '^call thread=0 site=0 ' timed) $(sum '^call thread=0 site=1 ' timed)" ;;
		jumps) is "... every call is counted" "1000 3000" "$(calls 0 0) $(calls 0 1)" ;;
		contexts) is "... every call is counted" "1000 1000 999" "$(calls 0 0) $(calls 0 1) $(calls 0 2)" ;;
		esac
	done
	is "the clock is the one that was asked for ($clock)" $([ $clock = tsc ]; echo $?) "$(get '^header' clock_kind)"
	above "what a timed call costs was measured ($clock)" 1 "$(get '^header' pair)"
	is "... of which its own time has a part ($clock)" 1 "$(get '^header' pair | awk -v o="$(get '^header' own)" '{print (o <= $1)}')"
	above "... and the step of the clock ($clock)" 1 "$(get '^header' quantum)"
done
is "the processor's counter differs from no clock by more than a thousandth" 1 "$(get '^header' error | awk '{print ($1 < 1000000)}')"

if [ -z "$SAN" ]; then
	for period in 1 64; do
		PERSEUS_PERIOD=$period record calls escapes
		is "handlers that jump out ($period): the program ends" 0 $status
		is "... the handler's own calls are counted, and those that it left" 1 \
		  "$(awk -v h="$(sed 's/C=//' "$T/out")" -v a="$(calls 0 0)" -v c="$(calls 0 2)" 'BEGIN {print (c >= h && c <= h + a && a > 0)}')"
		is "... and so are those made afterwards" 1000 "$(calls 0 1)"
	done
	settled "... every time is in its place"
else
	skip "handlers that jump out" "sanitizers take the stack of the handler for a fault"
fi

record calls indirect
is "an indirect site has a record per callee" 2 "$(grep -c '^call thread=0 site=0 ' "$T/rec")"
is "... and an exact total" 3000 "$(calls 0 0)"
is "... of which each has its share, about 1000 and 2000" 1 \
  "$(get '^call thread=0 site=0 parent=-1 callee=1000 ' count | awk '{print ($1 > 1800 && $1 < 2300)}')"

record calls slow
is "fifty blocks of 300 us are in the log" 50 "$(grep -c '^log thread=0 site=6 ' "$T/rec")"
is "a slow site stays timed" 1 "$(get '^call thread=0 site=6 ' period)"
above "the clock's rate is known within the run" 100000000 "$(get '^header' hz)"

if [ "$SAN" != thread ]; then
	record calls leavers
	is "threads that leave by pthread_exit or cancellation are ended" "1 1 1" "$(get '^thread ' ended | tr '\n' ' ' | sed 's/ $//')"
	is "main may leave before the process ends" 1 "$(get '^header' state)"
else
	skip "threads that leave by pthread_exit or cancellation are ended" "ThreadSanitizer itself hangs here"
fi
finish
