#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus prove: verdicts on programs whose truth is known.
. tests/lib.sh
cd "$T" || exit 1
prog() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
prog slow 'sleep 0.16; echo same'
prog fast 'sleep 0.03; echo same'
prog other 'echo different'
prog fails 'echo same; exit 3'
echo 0 >count
prog alternates 'n=$(cat count); echo $((n + 1)) >count; sleep 0.0$((2 + 4 * (n % 2)))'
prog varies 'echo $$'
# Beside other load one pair of five may be anything.
quiet="--max-load=100 --max-uneven=1000 --pairs=9"

exits 0 "half the time is proven" perseus prove $quiet ./slow ./fast
says "^proven: ./fast takes 0\.[1-7]" "with the ratio"
says "interval" "and the interval"
says "^that is [0-9]+[.][0-9]+x faster \([0-9.]+ to [0-9.]+\)$" "... and how many times faster it is"
says "^machine: load" "and the machine"
exits 1 "twice the time is refuted" perseus prove $quiet ./fast ./slow
says "^refuted" "in a word"
silent "x faster" "what is slower is not called faster"
exits 5 "a program against itself, now slow, now fast, is inconclusive" \
	perseus prove --max-load=100 --max-uneven=1000 --pairs=9 ./alternates ./alternates
says "^inconclusive" "in a word"
exits 0 "a limit can be asked for" perseus prove $quiet --expect-ratio=1.5 ./slow ./slow
exits 1 "different output is a mismatch, however fast" perseus prove $quiet ./slow ./other
says "^mismatch" "and says so"
exits 1 "a different status is a mismatch" perseus prove $quiet ./slow ./fails
exits 4 "a program that fails proves nothing" perseus prove $quiet ./fails ./fails
exits 4 "output that varies cannot be compared" perseus prove $quiet ./varies ./varies
says "--ignore-output" "and the way out is named" "$T/err"
exits 0 "a third program is compared" perseus prove $quiet --pad=./fast ./slow ./fast
says "^padded: ./fast takes" "in a line of its own"
exits 0 "arguments reach the programs" perseus prove $quiet --expect-ratio=50 --args="-c true" sh sh
exits 0 "also behind --" perseus prove $quiet --expect-ratio=50 sh sh -- -c true
exits 4 "a missing program is named" perseus prove $quiet ./slow ./missing
exits 2 "one program is a usage error" perseus prove slow
exits 2 "too few pairs are a usage error" perseus prove --pairs=2 slow fast
exits 0 "JSON comes with a schema number" perseus prove $quiet --json ./slow ./fast
says '"schema": 1' "first" "$T/out"
it "and the time of every run" sh -c '[ $(sed -n "/seconds_a/,/]/p" "$1" | grep -c "^ *0\.") = 9 ]' - "$T/out"

# A loaded machine gives no verdict, whatever the figures say.
for i in 1 2; do sh -c 'while :; do :; done' & burners="$burners $!"; done
exits 5 "a loaded machine is never a pass" perseus prove --max-uneven=1000 --pairs=5 ./slow ./fast
says "not quiet" "and the load is the reason given"
kill $burners

# Nor does one whose cores do not run alike: no two are alike to the last nanosecond.
if [ "$(nproc)" -gt 1 ]; then
	exits 5 "uneven cores are never a pass" perseus prove $quiet --max-uneven=0 ./slow ./fast
	says "^  core [0-9]* took 1\.[0-9]* of the time of core [0-9]*" "and the cores are named"
else
	skip "uneven cores are never a pass" "one core"
fi
exits 2 "a limit below zero is a usage error" perseus prove --max-uneven=-1 ./slow ./fast
finish
