#!/bin/sh
# SPDX-License-Identifier: MIT
# Events are counted by thread, however the counters can be had, and the program
# does not notice.
. tests/lib.sh
. tests/runtime/common
RUNTIME=$O/lib/libperseus-rt-events.so
build counters
it "the helpers build" gcc $cflags -o "$T/deny" tests/runtime/deny.c

# Reading by rdpmc, with a page and an instruction that are made up.
it "the page test builds" gcc $cflags -o "$T/page" tests/runtime/counter-page.c
"$T/page" >"$T/page.out"
while read -r line; do
	case $line in
	ok*) ok "rdpmc: ${line#* - }" ;;
	not*) not_ok "rdpmc: ${line#* - }" ;;
	esac
done <"$T/page.out"

# task-clock, page-faults, context-switches, and cycles, which a machine may not have
software="1.1.0.0.20 task-clock;1.2.0.0.20 page-faults;1.3.0.0.20 context-switches"
export PERSEUS_EVENTS="rdpmc;$software;0.0.0.0.20 cycles"

last() { get "^counter thread=$1 .* why=4 " "v$2" | tail -1; }
ticks() { get "^counter thread=$1 .* why=[1-4] " tick; }
text() { sed -n "s/^$1 //p" "$T/rec"; }

# A user who may count in user mode only has switches from getrusage(), each alone.
switches=perf group=1
[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ] || switches=system group=2

record counters known
is "a counted program ends as without" 0 $status
is "the record names what was counted" "task-clock page-faults context-switches cycles" "$(text 'event\.[0-9]*\.name' | tr '\n' ' ' | sed 's/ $//')"
is "what the kernel counts comes from it" "perf perf $switches" "$(for i in 0 1 2; do text event.$i.source | cut -d' ' -f1; done | tr '\n' ' ' | sed 's/ $//')"
is "a clock stands alone, the others are one group" "0 1 $group" "$(for i in 0 1 2; do text event.$i.group; done | tr '\n' ' ' | sed 's/ $//')"
faults=$(last 1 1)
above "a thread that touches 500 pages has as many faults" 500 "$faults"
above "... and not many more" 1 "$((faults < ${SAN:+100}600))" # a sanitizer has pages of its own
above "one that sleeps 40 times is switched as often" 40 "$(last 2 2)"
above "... and has none of the pages" 1 "$(($(last 2 1) < 100))"
# By the kernel's clock of tasks and by that of events, which a busy machine lets differ by 0.1 ms.
above "one that computes for 50 ms has the time" 49500000 "$(last 3 0)"
above "... and no more than 60 ms" 1 "$(($(last 3 0) < 60000000))"
above "it was read while it ran, where its calls returned" 5 "$(grep -c '^counter thread=3 .* why=1 ' "$T/rec")"
above "never more than once in a millisecond there" 1 "$(($(grep -c '^counter thread=3 .* why=[13] ' "$T/rec") <= 60))"
is "its sums never go back" "" "$(get '^counter thread=3 .* why=[1-4] ' v0 | awk '$1 < last {print "back"} {last = $1}')"
is "all of the time was counted" "" "$(grep '^counter .* why=[1-4] ' "$T/rec" | tr ' ' '\n' | awk -F= '/^e[0-2]=/{e = $2} /^r[0-2]=/{if ($2 != e) print "less"}' | head -1)"
if [ "$(text event.3.source)" = none ]; then
	above "a counter that the machine does not have is told with its errno" 1 "$(text event.3.error)"
	is "... and counts nothing" 0 "$(last 3 3)"
	is "the rung is read(2), whatever was allowed" 0 "$(text counters.rdpmc_ns)"
else
	above "cycles are counted" 1000000 "$(last 3 3)"
fi

# nobody asks
kept=$PERSEUS_EVENTS
unset PERSEUS_EVENTS
record counters known
is "nothing is counted unasked" 0 "$(grep -c '^counter' "$T/rec")"
PERSEUS_EVENTS="read;garbage;1.1.0.0.20;;zz task;1.1" && export PERSEUS_EVENTS
record counters known
is "a request that nobody can read counts nothing" "0 0" "$status $(grep -c '^counter' "$T/rec")"
PERSEUS_EVENTS=$kept

# sixteen events, in one group so that a reading is cheap: the room for readings is soon full
if [ -z "$SAN" ]; then
	PERSEUS_EVENTS="read"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do PERSEUS_EVENTS="$PERSEUS_EVENTS;1.3.0.0.20 switches$i"; done
	PERSEUS_EVENTS="$PERSEUS_EVENTS;1.2.0.0.20 page-faults"
	record counters many
	is "more readings than there is room for: the program ends well" 0 $status
	[ $switches = system ] || is "... all sixteen are one group" 0 "$(text 'event\.[0-9]*\.group' | sort -u)"
	above "... 1500 naps were more than 655 readings, which is all that the chunk holds" 1 "$(($(ticks 0 | wc -l) <= 655))"
	above "... and no fewer than half of that are left" 327 "$(ticks 0 | wc -l)"
	is "... in order, none twice" "" "$(ticks 0 | awk '$1 <= last {print "out of order"} {last = $1}')"
	# Each nap is a switch: by these and not by time, which may stand still on a busy machine.
	is "... of each eighth of the naps" 8 "$(get "^counter thread=0 .* why=[1-4] " v0 | awk '{at[NR] = $1} END {for (i = 1; i <= NR; i++) n[int(7.99 * (at[i] - at[1]) / (at[NR] - at[1]))]++; for (i = 0; i < 8; i++) if (n[i] > NR / 64) c++; print c}')"
	above "... with the last sum whole" 500 "$(last 0 15)"
	PERSEUS_EVENTS=$kept
else
	skip "more readings than there is room for" "takes long under a sanitizer"
fi

record counters storm
is "200 threads one after the other leave no descriptor behind" 0 $status
record counters closed
is "descriptors that the program closed and uses for itself are not read" 0 $status
says '^emptied 0$' "... not one of a thousand eventfds" "$T/out"
(ulimit -n 64; record counters crowd; cp "$T/rec" "$T/out" "$T/"; echo $status >"$T/status") 2>/dev/null
read_records
is "with few descriptors the program has enough of them" 0 "$(cat "$T/status")"
above "... and some threads have no counters" 1 "$(grep -c '^counter .* why=5 ' "$T/rec")"
[ $switches = system ] || is "... which is told with the reason: EMFILE" 24 "$(get '^counter .* why=5 ' v2 | sort -u)"
above "... others have: more than the four that come later, one by one" 8 "$(get '^counter .* why=4 ' v2 | awk '$1 >= 40' | wc -l)"

record counters forks
is "a forked child ends well" 0 $status
is "it has a list of its own" 2 "$(grep -c '^event.0.name task-clock' "$T/rec")"
says '^child 0$' "it has as many descriptors as before the fork" "$T/out"
is "parent and child are both counted to their ends" 2 "$(awk '/^header/{pid++} /^counter thread=0 .* why=4 /{seen[pid] = 1} END {print length(seen)}' "$T/rec")"
above "the child's page faults are its own" 1 "$(get '^counter thread=0 .* why=4 ' v1 | awk '$1 >= 500 {n++} END {print n + 0}')"
record counters clones
is "a child made behind the runtime's back does no harm" 0 $status
record counters signals
is "handlers with timed calls: the program ends well" 0 $status
is "... and readings are whole" "" "$(ticks 0 | awk '$1 <= last {print "out of order"} {last = $1}')"

# without perf
denied() {
	rm -rf "$run_dir"
	mkdir "$run_dir"
	PERSEUS_RUN_DIR= recorded "$T/deny" "$1" env PERSEUS_RUN_DIR="$run_dir" "$T/counters" known >"$T/out" 2>"$T/err"
	status=$?
	read_records
}
for error in 1 13 38; do
	denied $error
	is "perf_event_open refused with errno $error: the program ends well" 0 $status
	is "... the events come from the system" "system system system none" "$(for i in 0 1 2 3; do text event.$i.source; done | tr '\n' ' ' | sed 's/ $//')"
	is "... and say why" "$error $error $error $error" "$(for i in 0 1 2 3; do text event.$i.error; done | tr '\n' ' ' | sed 's/ $//')"
	above "... faults are counted all the same" 500 "$(last 1 1)"
	above "... switches" 40 "$(last 2 2)"
	above "... and time" 50000000 "$(last 3 0)"
done
finish
