#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGKILL at random instants while bounds are changed all the time: of the
# client, the daemon, its guard, and of daemon and guard at once.  Each time
# all policies are as before.  KILLS=N, default 15 each.
. tests/lib.sh
. tests/daemon/common.inc
kills=${KILLS:-15}
build_ask
new_machine
put_khz 2 1600000 1800000
before="$(khz 1) $(khz 2)"
as_before() { [ "$(khz 1) $(khz 2)" = "$before" ]; }
changed() { ! as_before; }

busy() {
	"$T/ask" "$S" "lease 1-2 1610000-1700000 frequency" "sets 1 1000000" >/dev/null 2>&1 &
	H=$!
	holders="$holders $H"
	eventually changed || missed=$((missed + 1))
	sleep "0.0$(awk -v seed="$1" 'BEGIN { srand(seed); printf "%02d", rand() * 40 }')"
}
# The changes of a killed client end, too: what it still asked for is answered first.
end_client() { kill -9 "$H" 2>/dev/null; wait "$H" 2>/dev/null; }
# judge WHO: counts in $restored and $missed
judge() {
	if [ "$restored" = "$kills" ] && [ "$missed" = 0 ]; then ok "SIGKILL of $1: $restored of $kills restored"
	else not_ok "SIGKILL of $1: $restored of $kills restored" "$missed without a change; now $(khz 1) $(khz 2); $(tail -n 3 "$T/log")"; fi
}
count() { eventually as_before && restored=$((restored + 1)); }

printf 'max-rate 100000000\n' >"$M/etc/perseus/perseusd.conf"
start
restored=0 missed=0
for i in $(seq "$kills"); do
	busy "$i"
	end_client
	count
done
judge "the client"
stop

restored=0 missed=0 statuses=
for i in $(seq "$kills"); do
	start
	busy "$((i + 1000))"
	kill -9 "$D"
	wait "$D" 2>/dev/null
	eventually gone "$G"
	count
	end_client
done
judge "the daemon"
says '^perseusd-guard: change=restored policy=1' "... its guard does it, and says so" "$T/log"

restored=0 missed=0
for i in $(seq "$kills"); do
	start
	busy "$((i + 2000))"
	kill -9 "$G"
	wait "$D"
	statuses="$statuses $?"
	count
	end_client
done
judge "the guard"
[ "$(echo "$statuses" | tr ' ' '\n' | sort -u | tr '\n' ' ')" = " 3 " ] && ok "... the daemon ends, with 3" || not_ok "... the daemon ends, with 3" "$statuses"

restored=0 missed=0 left=0
for i in $(seq "$kills"); do
	start
	busy "$((i + 3000))"
	kill -9 "$G" "$D"
	wait "$D" 2>/dev/null
	eventually gone "$G"
	end_client
	changed && left=$((left + 1))
	if [ $((i % 2)) = 0 ]; then
		"$O/sbin/perseusd" --sysroot "$M" --restore 2>>"$T/log"
	else
		start && stop
	fi
	as_before && restored=$((restored + 1))
done
judge "both, and a new start"
[ "$left" -gt $((kills / 2)) ] && ok "... which had something to put right ($left times)" || not_ok "... which had something to put right" "$left of $kills"
finish
