#!/bin/sh
# SPDX-License-Identifier: MIT
# Probes that sleep but for a burst now and then, ranges in front of loops, and
# a run that looks at nothing else than bursts.  What the program counts must
# be right whatever is written into its code meanwhile.
. tests/lib.sh
. tests/runtime/common
[ -z "$SAN" ] || { skip "bursts" "code that is rewritten is not for sanitizers"; finish; }
build bursts
build_as bursts-lib library.so -shared
export PERSEUS_PURPOSE=sharing

line() { sed -n 's/line=\([0-9a-f]*\) .*/\1/p' "$T/out" | head -1; }
said() { tr ' ' '\n' <"$T/out" | sed -n "s/^$1=//p" | head -1; }
of_line() { sum "^line .*line=$(line) " "$1"; }

# On a machine with other work the two run at the same moment now and then only: again, until they did.
until_met() {
	for try in 1 2 3 4 5 6 7 8; do
		record "$@"
		[ "$(grep -c "^line .*line=$(line) .*misses=[1-9]" "$T/rec")" -lt 2 ] || break
	done
}
# Probes go to sleep one after the other when a burst is over: a few come late, and more where a thread lost its core
# meanwhile, hence again.
at_bursts() { echo "$(of_line misses) misses, $(of_line burst_misses) in bursts"; [ $(($(of_line misses) - $(of_line burst_misses))) -le $(($(of_line misses) / 50 + 10)) ]; }
for again in 1 2 3 4; do
	until_met bursts burst 300
	! at_bursts >/dev/null || break
done
is "a hot loop whose probes wait for bursts counts right" "0 0" "$status $(said lost)"
above "... there are bursts" 4 "$(get '^header' bursts)"
above "... in which its line is seen to move" 1 "$(of_line burst_misses)"
it "... and at no other time" at_bursts
is "... by both threads" 2 "$(grep -c "^line .*line=$(line) .*misses=[1-9]" "$T/rec")"
is "the header says what waits and how" "0 2 20000000" "$(get '^header' mode) $(get '^header' places) $(get '^header' period)"
above "... and what a probe takes" 1 "$(get '^header' mem_ticks)"

record bursts padded 100
is "its padded twin has no line that moves" "0 0" "$status $(grep -c '^line .*misses=[1-9]' "$T/rec")"

record bursts alone 60
is "a program of one thread has no bursts" "0 0 0" "$status $(said burst) $(get '^header' bursts)"

record bursts direct 20
is "a direct probe is awake all the time" "0 0" "$status $(said lost)"
above "... and looks at every access" 2000 "$(said direct)"

until_met bursts brief 30
is "threads that live for a millisecond" "0 0" "$status $(said lost)"
above "... each begin a burst" 4 "$(get '^header' bursts)"
above "... in which their line is seen" 1 "$(of_line burst_misses)"

PERSEUS_BURST_US=60 PERSEUS_BURST_PERIOD_US=130 record bursts burst 6000
is "code that is rewritten thousands of times does what it did" "0 0" "$status $(said lost)"
above "... thousands of times it is" 1000 "$(get '^header' bursts)"
tax=$(($(get '^header' flip_ticks) * 100 / ($(get '^header' end) - $(get '^header' start)) ))
is "... in no more than a hundredth of the time" 1 "$((tax <= 1))"

PERSEUS_BURST_US=300 PERSEUS_BURST_PERIOD_US=700 record bursts forks 20
is "children that begin in the middle of a burst" "0 0 0" "$status $(said bad) $(said lost)"
above "... have bursts of their own" 12 "$(get '^header' bursts | grep -cv '^0$')"

PERSEUS_BURST_US=300 PERSEUS_BURST_PERIOD_US=700 record bursts libraries 200 "$T/library.so"
is "a library that comes and goes between bursts" "0 0" "$status $(said bad)"
is "... is attached each time" 201 "$(grep -c '^unit' "$T/rec")"
is "... and all its places are known" 3 "$(get '^header' places)"

PERSEUS_BURST_PERIOD_US=2000 record bursts sealed
is "whoever forbids system calls to all threads is not killed for ours" "0 1" "$status $(said alive)"
is "... and the record says so" 7 "$(get '^header' reason)"

record bursts ranges 1
is "a range in front of a loop: the loop counts right" "0 0" "$status $(said lost)"
is "... and what it announced is in the entries of both" "4000000 4000000 200 200" \
  "$(get "^line .*line=$(line) " trips | tr '\n' ' ')$(get "^line .*line=$(line) " times | tr '\n' ' ' | sed 's/ $//')"
is "... with its bytes" "8 8" "$(get "^line .*line=$(line) " extent | tr '\n' ' ' | sed 's/ $//')"
record bursts ranges 8
is "ranges of two lines: nothing moves" 0 "$(grep -c '^line .*misses=[1-9]' "$T/rec")"
record bursts shapes
is "ranges of any shape: those that make sense are done" "0 7c" "$status $(said held)"

export PERSEUS_SHARING=rate
until_met bursts direct 300
is "rate mode: a direct probe counts right" "0 0" "$status $(said lost)"
is "... waits for bursts as well" "1 3" "$(get '^header' mode) $(get '^header' places)"
it "... in which alone its line is seen" at_bursts
above "... and it is" 1 "$(of_line misses)"
is "... while heap notes are awake all the time" 1 "$(grep -c '^note .*bytes=64' "$T/rec")"
record bursts ranges 1
is "... and ranges are off" 0 "$(sum '^line ' trips)"
unset PERSEUS_SHARING

export PERSEUS_PURPOSE=timing
record bursts burst 30
is "in a timing run everything sleeps" "0 0 0" "$status $(said burst) $(get '^header' bursts)"
finish
