#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that is killed at any instant leaves a record that can be read and
# has everything that was done up to then; so does one whose recorder is
# killed, which goes on as if nothing had happened.  KILL_RUNS=N: more runs.
. tests/lib.sh
if [ -n "$SAN" ]; then
	skip "killed programs leave whole records" "the preloaded runtime is not built with a sanitizer"
	finish
fi
runs=${KILL_RUNS:-16}
seed=${KILL_SEED:-$(date +%s)}

it "the victim builds with the plugin" gcc -std=gnu11 -O2 -g -I. -fplugin="$PLUGIN" -pthread -o "$T/victim" tests/runtime/kill.c
it "its killer builds" gcc -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -I. -Iinclude -o "$T/killer" tests/runtime/killer.c

# field NAME: of the last line
field() { sed -n "s/^runs=.* $1=\([0-9]*\).*/\1/p" "$T/out"; }
# positive NAME TEXT
positive() { if [ "$(field "$1")" -gt 0 ] 2>/dev/null; then ok "$2"; else not_ok "$2" "$(tail -n 1 "$T/out")"; fi; }

mkdir "$T/program" "$T/recorder" "$T/late" "$T/blind"
exits 0 "$runs programs killed at random instants (seed $seed): every record opens and has what was done" \
  "$T/killer" "$O/bin/perseus" "$T/victim" "$T/program" "$runs" "$seed" program
echo "# $(tail -n 1 "$T/out")"
positive cut "... most of them were cut short"
positive open "... calls that were open are in the record"
positive sealed "... the recorder sealed what they left"
exits 0 "$((runs / 4)) recorders killed: the program goes on, and its record is whole" \
  "$T/killer" "$O/bin/perseus" "$T/victim" "$T/recorder" $((runs / 4)) "$seed" recorder
echo "# $(tail -n 1 "$T/out")"

exits 0 "$((runs / 2)) recorders killed as they finish the run: half a seal is no damage" \
  "$T/killer" "$O/bin/perseus" "$T/victim" "$T/late" $((runs / 2)) "$seed" late
echo "# $(tail -n 1 "$T/out")"

# The comparison can fail: a victim that notes calls which it does not make.
it "a victim that lies builds" gcc -std=gnu11 -O2 -g -I. -DKILL_LIES=5 -fplugin="$PLUGIN" -pthread -o "$T/liar" tests/runtime/kill.c
exits 1 "... and is found out" "$T/killer" "$O/bin/perseus" "$T/liar" "$T/blind" 2 "$seed" late
says '[0-9]+ calls of leaf, expected' "... with what does not agree"
finish
