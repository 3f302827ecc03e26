#!/bin/sh
# SPDX-License-Identifier: MIT
# A thousand leases leave nothing behind; thousands of clients one after
# another and a hundred at once are all served or refused.
. tests/lib.sh
. tests/daemon/common.inc
clients=${CLIENTS:-1000}
build_ask
new_machine
configure 'max-rate 100000000'
it "the daemon starts" start

# Pages are counted without those of files: the log's and the program's come and go.
figures() {
	echo "files $(ls "/proc/$D/fd" | wc -l) guard $(ls "/proc/$G/fd" | wc -l) data $(awk '/^VmData/ { print $2 }' "/proc/$D/status")" \
	  "anonymous $(awk '/^RssAnon/ { print $2 }' "/proc/$D/status") processes $(wc -w <"/proc/$D/task/$D/children")"
}
# Its connections are closed when it has noticed that they are.
quiet() { [ "$(figures)" = "$before" ]; }
ask "lease 0-7 1600000-1700000 frequency" release "each 50" >/dev/null
before=
last=
for _ in $(seq 100); do
	before=$(figures)
	[ "$before" = "$last" ] && break
	last=$before
	sleep 0.1
done
answers '^each ok=1000 of=1000' "a thousand leases of eight policies" "lease 0-7 1600000-1700000 frequency" release "each 1000"
if [ "$(id -u)" != 0 ]; then skip "... leave no descriptor, memory or process behind" "only root sees the descriptors of the daemon"
elif eventually quiet; then ok "... leave no descriptor, memory or process behind"
else not_ok "... leave no descriptor, memory or process behind" "before: $before, after: $(figures)"; fi
free=0
for cpu in 0 1 2 3 4 5 6 7; do is_free $cpu && free=$((free + 1)); done
[ $free = 8 ] && ok "... and all policies free" || not_ok "... and all policies free" "$free of 8"
hold "lease 0-7 1600000-1700000 frequency"
if [ "$(id -u)" != 0 ]; then skip "(a connection is seen in these figures)" "only root sees the descriptors of the daemon"
elif quiet; then not_ok "(a connection is seen in these figures)" "$(figures)"
else ok "(a connection is seen in these figures)"; fi
let_go

it "the crowd builds" gcc -std=gnu11 -O1 -g -Wall -D_GNU_SOURCE ${SAN:+-fsanitize=$SAN} -I. -Iinclude -o "$T/crowd" tests/daemon/crowd.c "$O/daemon.a"
exits 0 "$clients clients one after another" "$T/crowd" "$S" sequence "$clients"
says "^served=$clients refused=0 hung=0\$" "... are all served"
exits 0 "a hundred at once" "$T/crowd" "$S" once 100
says '^served=[0-9]+ refused=[0-9]+ hung=0$' "... are served or refused, none hangs"
awk -F '[= ]' '{ exit !($2 + $4 == 100 && $2 >= 60 && $4 >= 30) }' "$T/out" && ok "... as many as one user may have are served" ||
	not_ok "... as many as one user may have are served" "$(cat "$T/out")"
if [ "$(id -u)" != 0 ]; then skip "... and leave nothing behind" "only root sees the descriptors of the daemon"
elif eventually quiet; then ok "... and leave nothing behind"
else not_ok "... and leave nothing behind" "before: $before, after: $(figures)"; fi
finish
