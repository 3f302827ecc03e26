#!/bin/sh
# SPDX-License-Identifier: MIT
# Under a budget calls are counted as exactly as without, whatever unbalances
# the probes, and the header says what was promised.
. tests/lib.sh
. tests/runtime/common
build calls
field() { od -An -tu4 -j "$1" -N 4 "$run_dir"/*.prec | tr -d ' '; }

export PERSEUS_BUDGET=30000
record calls recursion
is "a recursive program ends as without a budget" 0 $status
is "fib(20) calls itself 10945 times at the first site" 10945 "$(calls 0 0)"
is "... and at the second" 10945 "$(calls 0 1)"
is "... of which not all are timed" 1 "$(get '^call thread=0 site=0 ' timed | awk '{ n += $1 } END { print n < 10945 / 2 }')"
is "every timed call is in the histogram" "$(get '^call thread=0 site=1 ' timed | awk '{ n += $1 } END { print n }')" \
	"$(get '^call thread=0 site=1 ' hist | awk '{ n += $1 } END { print n }')"
is "the promise is in the header" 30000 "$(field 752)"
record calls deep
is "5000 nested calls are counted" 5000 "$(calls 0 0)"
record calls jumps
is "longjmp over open calls: the outer site is exact" 1000 "$(calls 0 0)"
is "... and so is the one jumped out of" 3000 "$(calls 0 1)"
if [ "$SAN" != thread ]; then
	record calls signals
	is "a storm of signals changes no count of the interrupted site" "$(sed 's/A=\([0-9]*\).*/\1/' "$T/out")" "$(calls 0 0)"
	is "... nor of one the handler does not use" "$(sed 's/.*B=\([0-9]*\).*/\1/' "$T/out")" "$(calls 0 1)"
	is "... nor of the handler's own" "$(sed 's/.*C=\([0-9]*\).*/\1/' "$T/out")" "$(calls 0 2)"
else
	skip "a storm of signals changes no count of the interrupted site" "ThreadSanitizer holds signals back"
fi
record calls threads
is "each of eight threads counts for itself" "100000 100000 100000 100000 100000 100000 100000 100000" \
	"$(for t in 1 2 3 4 5 6 7 8; do calls $t 0; done | tr '\n' ' ' | sed 's/ $//')"
is "the site that creates them is timed every time" "1" "$(get '^call thread=0 site=4 ' period | sort -u)"
record calls indirect
is "an indirect site has an exact total" 3000 "$(calls 0 0)"
record calls slow
is "a slow site stays timed" 1 "$(get '^call thread=0 site=6 ' period)"

export PERSEUS_BUDGET=30000 PERSEUS_PERIOD=1
record calls recursion
is "a fixed period makes no promise" 0 "$(field 752)"
unset PERSEUS_PERIOD
export PERSEUS_BUDGET=1000001
record calls recursion
is "nor does more than all of the time" 0 "$(field 752)"
unset PERSEUS_BUDGET
record calls recursion
is "nor a run that was not asked for one" 0 "$(field 752)"
finish
