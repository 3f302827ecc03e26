#!/bin/sh
# SPDX-License-Identifier: MIT
# Clients that mean no good, or are very slow, while others go on being served.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
configure 'max-clients 12' 'max-clients-per-user 12'
it "the daemon starts" start
# Those of a process that cannot be dumped are shown to root only.
descriptors() { ls "/proc/$D/fd" | wc -l; }
# counted TEXT COMMAND: it becomes true, where descriptors can be counted
counted() {
	if [ "$(id -u)" != 0 ]; then
		sleep 1
		skip "$1" "only root sees the descriptors of the daemon"
	elif eventually "$2"; then ok "$1"
	else not_ok "$1" "$before, now $(descriptors)"; fi
}
before=$(descriptors)
served() { ask "query 0" | grep -q '^query OK'; }

# A busy machine may send them no faster than they are allowed: then more of them.
flood=10000
while [ $flood -lt 1000000 ] && ask "flood $flood" | grep -q "^flood OK=$flood gone=0$"; do flood=$((flood * 3)); done
answers '^flood OK=[0-9]+ RATE=[1-9][0-9]* gone=0$' "a flood of requests: what is too much is refused, nothing else happens" "flood $flood"
answers '^flood OK=1500 gone=0$' "... few requests are not" "flood 1500"
answers '^unread closed' "who does not take replies is cut off" "lease 1 1600000-1700000 frequency" "unread 100000"
eventually is_free 1 && ok "... and its lease ends" || not_ok "... and its lease ends" "$(khz 1)"
says 'reason=not-reading' "... the audit says why" "$T/log"
ask "lease 1 1600000-1700000 frequency" "unread 100" "query 1" >"$T/answer"
says '^query OK' "... a hundred replies may wait" "$T/answer"

for _ in $(seq 60); do ask "bad descriptor" "bad descriptor" "query 0"; done >"$T/answer"
[ "$(grep -c '^descriptor BAD_SIZE' "$T/answer")" = 120 ] && ok "descriptors that come with a request are refused" ||
	not_ok "descriptors that come with a request are refused" "$(sort "$T/answer" | uniq -c)"
[ "$(grep -c '^query OK' "$T/answer")" = 60 ] && ok "... the connection goes on" || not_ok "... the connection goes on"
same() { [ "$(descriptors)" = "$before" ]; }
counted "... and closed: the daemon has as many as before" same

# Connections that say nothing: there is room for twelve.
mkfifo "$T/silent"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$T/ask" "$S" raw hold <"$T/silent" >"$T/raw" 2>&1 &
	holders="$holders $!"
done
exec 7>"$T/silent"
full() { [ "$(descriptors)" -ge $((before + 24)) ]; }
counted "twelve connect and say nothing" full
answers '^hello LIMIT' "... the next is told so" "query 0"
eventually served && ok "... after a while there is room again" || not_ok "... after a while there is room again"
says 'ready|change' "(the daemon lives)" "$T/log"
exec 7>&-
counted "... and nothing of them is left" same

# Two users take all connections: root has places of its own.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkfifo "$T/crowd"
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		setpriv --reuid 7702 --regid 7701 --clear-groups "$T/ask" "$S" hold <"$T/crowd" >/dev/null 2>&1 &
		holders="$holders $!"
	done
	exec 7>"$T/crowd"
	eventually full
	setpriv --reuid 7703 --regid 7701 --clear-groups "$T/ask" "$S" "query 0" >"$T/answer" 2>&1
	says '^hello LIMIT' "others take all connections: a user is told so" "$T/answer"
	answers '^query OK' "... root still gets in" "query 0"
	exec 7>&-
	eventually same
else
	skip "others take all connections: a user is told so" "only root can be several users"
	skip "... root still gets in" "the same"
fi

# Half a client: it sends, and closes without reading; or shuts its half.
for _ in $(seq 50); do "$T/ask" "$S" raw "bad magic" >/dev/null; "$T/ask" "$S" raw; done
eventually served && ok "clients that leave in the middle do no harm" || not_ok "clients that leave in the middle do no harm"

# The audit's reader does not read: a pipe that is full.
stop
mkfifo "$T/pipe"
sleep 1000 <"$T/pipe" &
holders="$holders $!"
configure 'max-rate 100000000'
"$O/sbin/perseusd" --sysroot "$M" 2>"$T/pipe" &
D=$!
eventually served
answers '^each ok=500 of=500' "nobody reads the audit: leases go on" "lease 0-7 1600000-1700000 frequency" release "each 500"
kill -TERM "$D"
wait "$D"
[ $? = 0 ] && ok "... and the daemon ends as it is told" || not_ok "... and the daemon ends as it is told"
D=
finish
