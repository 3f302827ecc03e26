#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls are counted exactly, whatever unbalances the probes.
. tests/lib.sh
. tests/runtime/common
build calls

record calls recursion
is "a recursive program ends as without the runtime" 0 $status
is "fib(20) calls itself 10945 times at the first site" 10945 "$(calls 0 0)"
is "... and at the second" 10945 "$(calls 0 1)"
is "the record is closed" 1 "$(get '^header' state)"
is "every timed call is in the histogram" "$(get '^call thread=0 site=1 ' timed)" "$(get '^call thread=0 site=1 ' hist)"
is "the site backed off to one call in 64" 64 "$(get '^call thread=0 site=1 ' period)"

export PERSEUS_PERIOD=1
record calls recursion
unset PERSEUS_PERIOD
is "a fixed period of 1 times every call" 10945 "$(get '^call thread=0 site=0 ' timed)"
is "... and counts as many" 10945 "$(calls 0 0)"
is "child time is part of the sum" 1 "$(get '^call thread=0 site=0 ' child | awk -v s="$(get '^call thread=0 site=0 ' sum)" '{print ($1 < s)}')"

record calls deep
is "5000 nested calls are counted" 5000 "$(calls 0 0)"
is "... of which the 1024 outermost are timed" 1024 "$(get '^call thread=0 site=0 ' timed)"

record calls jumps
is "longjmp over open calls: the outer site is exact" 1000 "$(calls 0 0)"
is "... and so is the one jumped out of" 3000 "$(calls 0 1)"
is "... which never returned" 0 "$(get '^call thread=0 site=1 ' timed)"

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

record calls indirect
is "an indirect site has a record per callee" 2 "$(grep -c '^call thread=0 site=0 ' "$T/rec")"
is "... and an exact total" 3000 "$(calls 0 0)"

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
