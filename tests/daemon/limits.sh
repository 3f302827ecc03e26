#!/bin/sh
# SPDX-License-Identifier: MIT
# Limits bind persons, by however many ids and connections; root of the machine,
# not of a container, is none of them.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
some=1600000-1700000
lines() { grep -c "$1" "$T/log"; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$2', found '$3'; $(tail -n 3 "$T/log")"; fi; }

# ---- who the daemon becomes -----------------------------------------------------
if [ "$(id -u)" = 0 ]; then
	cp "$M/etc/passwd" "$T/passwd"
	printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n' >"$M/etc/passwd"
	exits 3 "without a user of its own it does not start" "$O/sbin/perseusd" --sysroot "$M"
	says "no user 'perseus'.*|systemd-sysusers" "... and says how to make one" "$T/err"
	[ ! -e "$S" ] && ok "... nobody is no such user" || not_ok "... nobody is no such user"
	exits 0 "--check says so, too" "$O/sbin/perseusd" --sysroot "$M" --check
	says 'runs as +perseus, but there is no such user' "... beside the rest" "$T/out"
	exits 0 "--restore does without" "$O/sbin/perseusd" --sysroot "$M" --restore
	configure 'user nobody'
	exits 4 "nor does it if told to be nobody" "$O/sbin/perseusd" --sysroot "$M"
	says 'expected a user of its own' "... and says why" "$T/err"
	cp "$T/passwd" "$M/etc/passwd"
else
	skip "without a user of its own it does not start" "only root gives rights up"
fi
rm -f "$M/etc/perseus/perseusd.conf"

# ---- time -----------------------------------------------------------------------
configure 'max-idle 300ms' 'max-hold 1500ms'
it "the daemon starts" start
answers '^query gone' "a connection that asks for nothing ends" "query 0" "sleep 2000" "query 0"
says 'ready' "(the daemon lives)" "$T/log"
answers '^set OK' "... one with a lease does not" "lease 1 $some frequency" "sleep 1000" "set 1 0-0"
ask "lease 1 $some frequency ttl=5000" "sleep 100" "renew 5000" "sleep 100" "renew 5000" "sleep 3000" "renew 5000" >"$T/answer"
is "a lease that is renewed again and again" 2 "$(grep -c '^renew OK' "$T/answer")"
says '^renew (NO_LEASE|gone)' "... ends all the same" "$T/answer"
says 'change=ended .*reason=max-hold' "... and the audit says why" "$T/log"
is_free 1 && ok "... its policy is as before" || not_ok "... its policy is as before" "$(khz 1)"
hold "lease 2 $some frequency"
says '^lease OK .* ttl=1500 ' "who asks for no end is told that there is one" "$T/held"
eventually is_free 2 && ok "... and it comes" || not_ok "... and it comes" "$(khz 2)"
let_go
stop

# ---- the audit ------------------------------------------------------------------
rm "$M/etc/perseus/perseusd.conf"
it "the daemon starts" start
ask "lease 0-7 $some frequency" release >/dev/null
is "a lease of eight policies is one line, and its end one" "1 1 0" "$(lines change=leased) $(lines change=ended) $(lines change=restored)"
stop

# ---- several users --------------------------------------------------------------
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	skip "subordinate ids" "only root can be several users"
	finish
fi
as() { who=$1; shift; setpriv --reuid "$who" --regid 7701 --clear-groups "$T/ask" "$S" "$@" >"$T/answer" 2>&1; }
# crowd UID N: so many that connect and stay
mkfifo "$T/crowd"
crowd() {
	for _ in $(seq "$2"); do
		setpriv --reuid "$1" --regid 7701 --clear-groups "$T/ask" "$S" "query 0" hold <"$T/crowd" >>"$T/came" 2>&1 &
		holders="$holders $!"
	done
}
came() { [ "$(grep -c '^hello' "$T/came")" -ge "$1" ]; }
printf 'bob:x:7710:7710::/:/bin/sh\n' >>"$M/etc/passwd"
printf 'alice:100000:65536\nbob:165536:65536\n' >"$M/etc/subuid"
configure 'max-clients-per-user 4'
it "the daemon starts" start
: >"$T/came"
crowd 100001 2
crowd 100002 2
exec 7>"$T/crowd"
eventually came 4
as 100003 "query 0"
says '^hello LIMIT' "another subordinate id of the same user: the limit is his" "$T/answer"
as 7702 "query 0"
says '^hello LIMIT' "... and he himself has none left" "$T/answer"
as 165540 "query 0"
says '^query OK' "... one of another's has" "$T/answer"
as 7710 "query 0"
says '^query OK' "... and so has that one himself" "$T/answer"
crowd 9001 2
crowd 9002 2
eventually came 8
as 9003 "query 0"
says '^hello LIMIT' "ids that nobody knows are one person" "$T/answer"
answers '^query OK' "root is served" "query 0"
exec 7>&-
stop
configure 'other-users refused'
it "the daemon starts" start
as 9003 "query 0"
says '^hello NOT_ALLOWED' "... or refused, by the configuration" "$T/answer"
as 100001 "query 0"
says '^query OK' "... subordinate ids are not" "$T/answer"
stop

# A thousand leases by one who may not: what is not in the audit is not granted.
configure 'max-rate 2000' 'max-cpus-per-user 50%'
it "the daemon starts" start
as 7702 "lease 0-3 $some frequency" release "each 700" "lease 0-3 $some frequency"
# The flood itself is cut; the lease behind it is, too, unless this machine was slow.
says '^each ok=[1-6]?[0-9]{1,2} of=700' "a flood of leases is refused in part" "$T/answer"
[ "$(lines change=leased)" -le 700 ] && ok "... does not flood the audit" || not_ok "... does not flood the audit" "$(lines change=leased)"
is "... and none is without its lines" "$(lines change=leased)" "$(lines change=ended)"
as 7710 "lease 0-3 $some frequency"
says '^lease OK' "... another user's are granted" "$T/answer"
as 7710 "lease 0-4 $some frequency" "lease 0-1 $some frequency" "lease 2-4 $some frequency"
is "more than his part of the cpus, at once or bit by bit" 2 "$(grep -c '^lease LIMIT' "$T/answer")"

# ---- root -----------------------------------------------------------------------
mkfifo "$T/alice"
setpriv --reuid 7710 --regid 7701 --clear-groups "$T/ask" "$S" "lease 1 $some frequency" hold "set 1 0-0" <"$T/alice" >"$T/held" 2>&1 &
holders="$holders $!"
exec 8>"$T/alice"
eventually grep -q '^lease' "$T/held"
id=$(sed -n 's/^lease OK lease=\([0-9]*\) .*/\1/p' "$T/held")
as 7702 "revoke $id"
says '^revoke NOT_ALLOWED' "another user cannot end a lease" "$T/answer"
setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$T/ask" "$S" "revoke $id" >"$T/answer" 2>&1
says '^revoke NOT_ALLOWED' "... nor can uid 0 of a container" "$T/answer"
is_khz 1 $some && ok "... it stands" || not_ok "... it stands" "$(khz 1)"
if ask "revoke 999999" | grep -q '^revoke NO_LEASE'; then
	exits 0 "perseus ctl revoke" perseus ctl revoke --socket "$S" "$id"
	says "lease $id" "... says what it ended" "$T/out"
	is_free 1 && ok "... and its policy is as before" || not_ok "... and its policy is as before" "$(khz 1)"
	says 'change=ended .*reason=revoked' "... with a line of the audit" "$T/log"
	exec 8>&-
	eventually grep -q '^set' "$T/held"
	says '^set NO_LEASE' "... its holder is told at his next request" "$T/held"
	exits 3 "... a second time" perseus ctl revoke --socket "$S" "$id"
	says 'no-lease|NO_LEASE|no such lease' "... there is none" "$T/err"
else
	skip "perseus ctl revoke" "this root is one of a container"
	exec 8>&-
fi
exits 2 "perseus ctl revoke without a number" perseus ctl revoke --socket "$S" x
stop
finish
