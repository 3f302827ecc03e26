#!/bin/sh
# SPDX-License-Identifier: MIT
# How leases begin, last and end, and that everything is as before then.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
configure "frequency-users $(id -u) alice"
it "the daemon starts" start

free() { if eventually is_free "$1"; then ok "$2"; else not_ok "$2" "policy $1 says $(khz "$1")"; fi; }
in_force() { if is_khz "$1" "$2"; then ok "$3"; else not_ok "$3" "policy $1 says $(khz "$1")"; fi; }
some=1600000-1700000

# ---- ends -------------------------------------------------------------------
hold "lease 1-2 $some frequency plan=5a"
in_force 1 $some "a lease puts its range into the policy's files"
in_force 2 $some "... of all of them"
in_force 3 $low-$high "... and of no other"
let_go
free 1 "it ends when the connection is closed"
free 2 "... for all policies"
answers '^release OK' "RELEASE" "lease 1 $some frequency" "release"
free 1 "it ends by RELEASE"

hold "lease 1 $some frequency ttl=300"
says '^lease OK .*khz=1600000-1700000 .*ttl=300 ' "a lease with a time to live" "$T/held"
free 1 "it ends when its time is over, while the connection lives"
says 'change=ended .*reason=ttl' "... and the audit says so" "$T/log"
gone "$H" && not_ok "... the client runs on" || ok "... the client runs on"
let_go
answers '^set NO_LEASE' "a lease that was not renewed is gone" "lease 1 $some frequency ttl=300" "sleep 1000" "set 1 1650000-1650000"
ask "lease 1 $some frequency ttl=60000" "sleep 30" "query 1" "renew 50000" "sleep 30" "query 1" "set 1 1650000-1650000" "renew 100" "sleep 1000" "set 1 0-0" >"$T/answer"
left() { sed -n "s/^$1 OK .* ttl=\([0-9]*\) .*/\1/p" "$T/answer" | sed -n "${2}p"; }
[ "$(left query 1)" -lt 60000 ] && ok "time goes by" || not_ok "time goes by" "$(cat "$T/answer")"
[ "$(left renew 1)" = 50000 ] && [ "$(left query 2)" -lt 50000 ] && ok "RENEW begins another" || not_ok "RENEW begins another" "$(cat "$T/answer")"
[ "$(left set 1)" = 50000 ] && ok "SET begins it again" || not_ok "SET begins it again" "$(cat "$T/answer")"
says '^set NO_LEASE' "RENEW can shorten it" "$T/answer"

# A child that keeps the connection does not keep the lease.
mkfifo "$T/keep"
"$T/ask" "$S" "lease 1 $some frequency" child <"$T/keep" >"$T/parent" &
exec 8>"$T/keep"
eventually grep -q '^child' "$T/parent"
child=$(sed -n 's/^child //p' "$T/parent")
free 1 "it ends when the process ends, though a forked child keeps the connection"
says 'reason=exited' "... and the audit says so" "$T/log"
kill -0 "$child" && ok "... the child lives" || not_ok "... the child lives"
exec 8>&-

hold "lease 1 $some frequency"
kill -9 "$H"
free 1 "it ends by SIGKILL of the client"
hold "lease 1 $some frequency"
stop
[ $? = 0 ] && ok "the daemon ends with 0 when it is asked to" || not_ok "the daemon ends with 0 when it is asked to"
free 1 "it ends with the daemon"
says 'change=ended .*reason=stopping' "... and the audit says so" "$T/log"
let_go
it "the daemon starts again" start

# ---- ranges -----------------------------------------------------------------
ask "lease 1 0-0 frequency" "set 1 1700000-1700000" "set 1 0-0" "set 1 0-1650000" >"$T/answer"
says '^lease OK .*khz=1587000-1853000' "no bound is the policy's own" "$T/answer"
says '^set OK .*khz=1700000-1700000' "SET is read back" "$T/answer"
says '^set OK .*khz=1587000-1853000' "SET without bounds: the lease's own" "$T/answer"
says '^set OK .*khz=1587000-1650000' "SET with an upper one" "$T/answer"
eventually is_free 1
put_khz 1 1600000 1650000
hold "lease 1 1700000-1800000 frequency"
in_force 1 1700000-1800000 "both bounds above what there was"
let_go
eventually is_khz 1 1600000-1650000 && ok "... and what there was comes back, not the hardware's limits" ||
	not_ok "... and what there was comes back, not the hardware's limits" "$(khz 1)"
put_khz 1 $low $high

# ---- others -----------------------------------------------------------------
hold "lease 1 $some frequency"
put_khz 1 1600000 1640000
let_go
eventually grep -q 'change=left policy=1 bound=max found=1640000' "$T/log" && ok "a bound that somebody else changed is left alone, and said so" ||
	not_ok "a bound that somebody else changed is left alone, and said so" "$(tail -3 "$T/log")"
eventually is_khz 1 $low-1640000 && ok "... the other bound is put back" || not_ok "... the other bound is put back" "$(khz 1)"
silent 'change=left policy=2' "... and nothing is said of policies that nobody changed" "$T/log"
put_khz 1 $low $high

# ---- arbitration ------------------------------------------------------------
hold "lease 1-2 $some frequency plan=77"
answers '^lease BUSY .*cpu=2 ' "a policy has one lease" "lease 2-3 $some frequency"
answers "^query OK lease=[1-9].*holder=$H .*plan=77" "QUERY says who has it" "query 2"
answers '^query OK lease=0 .*holder=0 ' "... and that nobody has it" "query 3"
answers '^lease OK' "two leases of different policies" "lease 3 $some frequency"
let_go
free 2 "... until the lease ends"
answers '^lease OK' "... then another can have it" "lease 2-3 $some frequency"

# ---- users ------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	as() { who=$1 group=$2; shift 2; setpriv --reuid "$who" --regid "$group" --clear-groups "$T/ask" "$S" "$@" >"$T/answer" 2>&1; }
	as 7702 7701 "lease 1 $some frequency"
	says '^lease OK' "a user whom the configuration names gets a lease" "$T/answer"
	as 7703 7701 "lease 1 $some frequency"
	says '^lease NOT_ALLOWED' "another does not" "$T/answer"
	says '^hello OK .*flags=0 ' "... and HELLO does not promise it" "$T/answer"
	as 7702 7702 "lease 1 $some frequency"
	says '^hello gone Permission denied' "who is not in the socket's group does not reach it" "$T/answer"
	hold "lease 1 $some frequency"
	as 7702 7701 "release of=$(sed -n 's/^lease OK lease=\([0-9]*\) .*/\1/p' "$T/held")"
	says '^release NO_LEASE' "nobody can end another's lease" "$T/answer"
	in_force 1 $some "... it stands"
	let_go
else
	for text in "a user whom the configuration names gets a lease" "another does not" \
		"who is not in the socket's group does not reach it" "nobody can end another's lease"; do
		skip "$text" "only root can be several users"
	done
fi

# ---- audit ------------------------------------------------------------------
ask "lease 4 1610000-1620000 frequency plan=3c" "set 4 1615000-1615000" >/dev/null
eventually grep -q 'change=ended .* sets=1 ' "$T/log"
says 'change=leased cpus=4 frequency=yes min=1610000 max=1620000 cores=no lease=[0-9]+ pid=[0-9]+ uid=[0-9]+ person=[0-9]+ plan=(3c){32}$' "each change has a line: the lease, with the plan's hash" "$T/log"
says 'change=set policy=4 min=1615000 max=1615000' "... SET" "$T/log"
says 'change=ended lease=[0-9]+ pid=[0-9]+ uid=[0-9]+ reason=closed sets=1 unsaid=0 restored=1$' "... and the end" "$T/log"
grep -Evq '^perseusd(-guard)?: (ready|change=[a-z-]+)( [a-z-]+=[-0-9a-z,]+)*$' "$T/log" &&
	not_ok "no line has anything but words and numbers of the daemon's own" "$(grep -Ev '^perseusd(-guard)?: (ready|change=[a-z-]+)( [a-z-]+=[-0-9a-z,]+)*$' "$T/log" | head -3)" ||
	ok "no line has anything but words and numbers of the daemon's own"
[ "$(grep -c 'change=' "$T/log")" -gt 10 ] && ok "... of many" || not_ok "... of many"
finish
