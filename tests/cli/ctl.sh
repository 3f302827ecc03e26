#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus ctl: what a daemon says is shown, every refusal is explained, and a
# program that runs under a lease behaves as if it ran alone.  The daemon is one
# that says what it is told to; tests/cli/ctl-daemon.sh has the true one.
. tests/lib.sh
it "a daemon for the tests builds" gcc -Wall -Werror -Iinclude -o "$T/fake" tests/cli/ctl/fake.c
S=$T/socket

# fake [KEY=VALUE...]: a daemon at $S in place of the one before
fake() {
	[ -z "$daemon" ] || { kill "$daemon"; wait "$daemon"; } 2>/dev/null
	rm -f "$S"
	"$T/fake" "$S" "$@" >"$T/log" 2>/dev/null &
	daemon=$!
	while [ ! -S "$S" ]; do sleep 0.02; done
}
trap '[ -z "$daemon" ] || kill $daemon 2>/dev/null; rm -rf "$T"' EXIT
ctl() { what=$1; shift; timeout 20 perseus ctl "$what" --socket "$S" "$@"; }

# ---- status, query -------------------------------------------------------------------
fake plan=1
exits 0 "status of a daemon" ctl status
says "^daemon +$S, protocol 1\$" "its socket and protocol"
says '^frequency +0\.80 to 3\.40 GHz, by cpufreq.s files$' "frequencies, and by what"
says '^cores +can be reserved, by partitions of cgroup v2$' "cores, and by what"
says '^cpus +0-7 can be leased$' "the cpus"
says '^policy +cpus 0-1: 1\.20 to 2\.40 GHz, now 1\.30 GHz, free$' "a policy that is free"
says '^policy +cpus 2-3: .* GHz$' "one that is not"
says '^ +held by process 1( \(.*\))? of user 0 \(root\), plan 4f4f4f4f4f\.\., 5\.20 s left$' "its holder: process, user, plan, time left"
says '^reserved +cpus 2-3, balanced inside$' "cores that are reserved"
it "each policy is asked once, each cpu not reserved too" test "$(grep -c 'QUERY.*flags=0x1 ' "$T/log")" = 4
exits 0 "status for programs" ctl status --json
says '"schema": 1,' "it carries its schema number"
says '"frequencies_by": "cpufreq",' "the same words"
says '"plan_sha256": "(4f){32}"' "the whole hash of the plan"
says '"holder": null' "nobody is null"
says '"lent": true' "what this user can have"
silent '"lent": false' "which is all"
if command -v python3 >/dev/null; then it "it is JSON" python3 -m json.tool "$T/out"; else skip "it is JSON" "no python3"; fi
exits 0 "one cpu" ctl query 5
says '^policy +cpus 4-5: .*, free$' "its policy"
silent 'cpus (0-1|2-3)' "no other"
exits 0 "one cpu for programs" ctl query --json 3
says '"pid": 1,' "its holder"
exits 2 "query without a cpu" perseus ctl query
exits 2 "query of two" perseus ctl query 1 2
exits 2 "query of what is none" perseus ctl query 1024
exits 2 "no such word" perseus ctl frobnicate
says "'frobnicate': expected status, query, run or revoke" "the words are named"
exits 2 "no word" perseus ctl
exits 2 "an unknown option" perseus ctl status --frob
exits 0 "help" perseus ctl --help
exits 0 "help of a word" perseus ctl run --help
fake lent=0x0f
exits 0 "a cpu that is not lent" ctl query 5
says '^policy +cpus 4-5: .*, not lent: cpus of perseusd.conf$' "is not called free"
exits 0 "the same for programs" ctl query --json 5
says '"lent": false' "likewise"
exits 0 "one that is" ctl query 1
says '^policy +cpus 0-1: .*, free$' "is free"
exits 125 "a run on cpus that are not lent" sh -c "'$T/fake' '$S.2' lent=0x0f lease=12 >/dev/null & p=\$!
	until grep -q ' 00010000 .* $S.2\$' /proc/net/unix; do sleep 0.02; done; perseus ctl run --socket '$S.2' --no-bind --cpus 5 --khz 2GHz true; s=\$?; kill \$p; exit \$s"
says 'cpu 5 is not lent; these are: 0-3' "names the cpu and those that are lent"
silent 'frequency-users' "and no list of users"
fake flags=0x20 limits=1594000-2396000 lease=12
exits 0 "a daemon that lends this user nothing" ctl status
says '^frequency +not lent to this user: frequency-users' "frequencies: not lent is told from not there"
says '^cores +not lent to this user: reserve-users' "cores: likewise"
says '^policy +cpus 4-5: .*, not lent to this user$' "what there is, is shown"
exits 125 "a run is refused then" ctl run --no-bind --cpus 4-5 --khz 2GHz true
says 'frequency-users of perseusd.conf' "with the key that says to whom"
silent 'is not lent; these are|reserve-users' "and nothing that is not the cause"
exits 125 "cores likewise" ctl run --no-bind --cpus 4-5 --reserve true
says 'reserve-users of perseusd.conf' "with their key"
fake flags=0 limits=0-0 reserve=16
exits 0 "a daemon that can do nothing" ctl status
says '^frequency +cannot be set here$' "no frequencies: said"
says '^cores +cannot be reserved here$' "no cores: said"
silent '^policy' "nothing is asked for what is not there"
fake query=8
exits 2 "a cpu that the daemon does not know" ctl query 3
says 'refused \(bad-cpus\)' "says so"
says 'there is no cpu 3 here' "names it"
says 'can be leased here: 0-7' "and which it knows"

# ---- no daemon, or none worth the name ------------------------------------------------
kill "$daemon"; wait "$daemon" 2>/dev/null; daemon=
exits 3 "nobody listens" ctl status
says "nobody listens at '$S'" "said so"
says "as root: perseusd --socket $S;" "with the next step: the usual unit would not help"
silent 'systemctl enable' "which is not named"
rm -f "$S"
echo text >"$S"
exits 3 "a file that is no socket" ctl status
says "'$S' is not a socket" "said so"
rm -f "$S"
if [ -e /run/perseus/control ]; then skip "no daemon at the usual socket" "there is one"; else
	exits 3 "no daemon at the usual socket" perseus ctl status
	says 'systemd-sysusers; systemctl enable --now perseusd.socket' "the unit is the next step, and before it the group"
fi
exits 3 "no socket" ctl query 0
says "there is no socket '$S'" "said so"
exits 125 "a run is not started then" ctl run --cpus 0 --reserve touch "$T/ran"
it "really not" test ! -e "$T/ran"
exits 0 "with --best-effort it is" ctl run --cpus 0 --reserve --best-effort touch "$T/ran"
it "really" test -e "$T/ran"
fake how=alien
exits 3 "somebody else's socket" ctl status
says "does not speak version 1 of perseusd's protocol" "said so"
fake how=short
exits 3 "half an answer" ctl status
fake how=bye
exits 3 "a daemon that closes the connection" ctl status
says "closed the connection" "said so"
fake how=mute
exits 3 "a daemon that does not answer" ctl status
says "does not answer at '.*' within 2 s" "is not waited for"
fake hello=17
exits 3 "a full daemon" ctl status
says 'refused \(limit\)' "says so"
says 'max-clients' "and what could be changed"
# stranger COMMAND...: as somebody who may not open the socket
fake
chmod 755 "$T"
chmod 000 "$S"
[ "$(id -u)" != 0 ] || chgrp 7 "$S"
group=$(getent group "$(stat -c %g "$S")" | cut -d: -f1)
stranger() { if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }
exits 3 "a user outside the group" stranger "$O/bin/perseus" ctl status --socket "$S"
says "may not talk to perseusd" "is told so"
says "usermod -aG $group USER" "and which group it takes"
if [ "$(id -u)" = 0 ]; then
	chgrp 0 "$S"
	exits 3 "a socket that is root's alone" stranger "$O/bin/perseus" ctl status --socket "$S"
	says 'usermod -aG perseus USER; systemctl restart perseusd' "asks for the group and a restart"
	if getent group perseus >/dev/null; then silent 'groupadd' "the group is there"
	else says 'as root: systemd-sysusers \(or groupadd --system perseus\); usermod' "the group is made first"; fi
else skip "a socket that is root's alone" "not root"; fi

# ---- every refusal -----------------------------------------------------------------------
sed -n 's/^[[:space:]]*X(\([0-9]*\), \([A-Z_]*\),.*/\1 \2/p' include/perseus/ctl.h >"$T/statuses"
it "the statuses are found" test "$(wc -l <"$T/statuses")" -ge 22
bad=
while read -r number name; do
	[ "$number" != 0 ] || continue
	word=$(echo "$name" | tr 'A-Z_' 'a-z-')
	fake lease="$number" errno=16 khz=800000-3400000
	ctl run --no-bind --cpus 0-1 --khz 1.2GHz touch "$T/refused" >"$T/out" 2>&1 && bad="$bad $name:0"
	grep -Eq "refused \($word\)|not honoured" "$T/out" || bad="$bad $name:word"
	grep -q "perseus explain ctl-$word" "$T/out" || bad="$bad $name:page"
	perseus explain "ctl-$word" >"$T/page" 2>&1 || bad="$bad $name:explain"
	[ "$(wc -l <"$T/page")" -ge 4 ] || bad="$bad $name:short"
	[ "$(wc -l <"$T/out")" -ge 3 ] || bad="$bad $name:step"
done <"$T/statuses"
it "every status of the protocol is named, has a next step and a page (bad:$bad)" test -z "$bad"
it "no refused program was started" test ! -e "$T/refused"
# refused STATUS PATTERN TEXT: what the message says
refused() {
	fake lease="$1" errno=16 ttl=4000 plan=1
	ctl run --no-bind --cpus 0-1 --khz 1.2GHz --ttl 5 true >"$T/out" 2>&1
	says "$2" "$3" "$T/out"
}
refused 13 'cpu 1 is held by process 1( \(.*\))? of user 0 \(root\), plan 4f4f4f4f4f\.\.' "busy: who holds it"
refused 9 'ask for all of 0-1' "part of a policy: the whole of it"
refused 10 'asked for 1.20 GHz, the limits here are 0.80 to 3.40 GHz' "range: what was asked, what can be had"
refused 11 'asked for 5.000 s, the longest here is 4.000 s' "ttl: likewise"
silent 'in the reply' "no fields of the protocol" "$T/out"
refused 12 'perseusd.conf' "not allowed: where that is written"
silent 'uids' "by the names of its keys" "$T/out"
refused 19 'error 16: Device or resource busy' "refused by the kernel: its error"
refused 15 'perseus doctor' "no frequencies: who knows more"

# Whoever holds something chooses the name of his process.
odd=$T/$(printf 'e\033[31m\nX')
cp "$(command -v sleep)" "$odd"
"$odd" 60 &
other=$!
until [ "$(head -c 1 /proc/$other/comm)" = e ]; do sleep 0.02; done
fake lease=13 pid=$other
exits 125 "a holder with an odd name" ctl run --no-bind --cpus 0 --khz 2GHz true
says "process $other \(e\?\[31m\?X\) of user" "is shown without what rules the terminal"
exits 0 "in the table, too" ctl status
says "process $other \(e\?\[31m\?X\) of user" "it is"
kill $other

# ---- run -----------------------------------------------------------------------------------
fake
exits 7 "a run returns the program's status" ctl run --cpus 0-1 --khz 1200000-2400000 -- sh -c 'exit 7'
says 'lease 42: cpus 0-1 at 1.20 to 2.40 GHz, until the program ends' "the lease is told"
says 'LEASE cpu=0 khz=1200000-2400000 ttl=0 flags=0x1 lease=0 cpus=0x3 ' "what was asked for" "$T/log"
it "it is released after the program" sh -c "tail -1 '$T/log' | grep -q '^RELEASE .*lease=42'"
exits 143 "a program that ends by a signal: 128 + N" ctl run -q --cpus 0 --reserve sh -c 'kill -TERM $$'
says 'flags=0x2 ' "the cores alone were asked for" "$T/log"
it "-q is quiet" test ! -s "$T/err"
exits 0 "the program keeps its output and input" sh -c "echo in | timeout 20 perseus ctl run -q --socket '$S' --cpus 0-1 --reserve --balanced cat"
it "nothing else is in it" test "$(cat "$T/out")" = in
exits 125 "a program that is not there" ctl run --cpus 0 --reserve "$T/nothing"
says "nothing" "is named"
: >"$T/log"; fake
ctl run --cpus 0 --reserve "$T/nothing" 2>/dev/null
it "nothing is leased for it" test ! -s "$T/log"
exits 0 "several reserved cpus without --balanced" ctl run --cpus 0-1 --reserve true
says 'moves no thread between reserved cpus' "the trap is named"
exits 0 "with --balanced" ctl run --cpus 0-1 --reserve --balanced true
silent 'moves no thread' "there is none"
allowed() { ctl run -q --khz 2GHz "$@" sh -c 'grep Cpus_allowed_list /proc/self/status' | awk '{ print $2 }'; }
first=$(awk '/^Cpus_allowed_list/ { split($2, a, "[-,]"); print a[1] }' /proc/self/status)
all=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)
it "the program runs on these cpus" test "$(allowed --cpus "$first")" = "$first"
it "--no-bind: where it ran before" test "$(allowed --cpus "$first" --no-bind)" = "$all"
exits 125 "cpus that this process may not use" ctl run --cpus 1023 --khz 2GHz true
says 'cannot be put on cpu 1023: Invalid argument' "are named"
: >"$T/log"; fake
ctl run --cpus 1023 --khz 2GHz true 2>/dev/null
it "and nothing is leased for it" test ! -s "$T/log"
exits 0 "--best-effort" ctl run --best-effort --cpus 1023 --khz 2GHz true
says 'cannot be put on cpu 1023' "says so and goes on"

# signals: one to ctl goes to the program; it ends, and then the lease
cat >"$T/trap.sh" <<'END'
trap 'echo caught; exit 9' TERM USR1
echo ready
while :; do sleep 0.05; done
END
fake
for sig in TERM USR1; do
	rm -f "$T/out"
	"$O/bin/perseus" ctl run -q --socket "$S" --cpus 0 --reserve sh "$T/trap.sh" >"$T/out" 2>&1 &
	pid=$!
	until grep -qs ready "$T/out"; do sleep 0.02; done
	kill -$sig $pid
	wait $pid
	it "SIG$sig goes on to the program, whose status comes back" test $? = 9
	says caught "the program saw it" "$T/out"
done
it "released after signals too" test "$(grep -c ^RELEASE "$T/log")" = "$(grep -c ^LEASE "$T/log")"
exits 0 "no descriptor of ours is in the program" ctl run -q --cpus 0 --reserve sh -c 'ls -l /proc/self/fd'
silent 'socket:' "nor the socket" "$T/out"

# until_seen PATTERN FILE [N]: a program that ends when N lines match
cat >"$T/until_seen" <<'END'
until [ "$(grep -c -- "$1" "$2")" -ge "${3:-1}" ]; do sleep 0.02; done
END
until_seen="sh $T/until_seen"

# time to live
fake ttl=300
exits 0 "a daemon that wants an end to every lease" ctl run -q --cpus 0 --khz 2GHz $until_seen ^RENEW "$T/log" 2
says 'LEASE .*ttl=300 ' "gets one" "$T/log"
says '^RENEW .*ttl=300 .*lease=42' "and it is renewed while the program runs" "$T/log"
fake
exits 0 "--ttl ends it before the program" ctl run --cpus 0 --khz 2GHz --ttl 0.2 $until_seen "has ended after" "$T/err"
says 'for at most 200 ms' "told beforehand"
says 'has ended after --ttl' "and when it happens"
silent 'RENEW' "it is not renewed" "$T/log"

# the daemon ends while the program runs
fake close=200
exits 125 "a lease that is lost: a run that succeeded did not" ctl run --cpus 0 --khz 2GHz $until_seen "is lost" "$T/err"
says 'the lease is lost: perseusd has ended' "said at once"
fake close=200
exits 3 "a program that failed keeps its status" ctl run --cpus 0 --khz 2GHz sh -c "$until_seen 'is lost' '$T/err'; exit 3"
fake close=200
exits 0 "--best-effort does not mind" ctl run --best-effort --cpus 0 --khz 2GHz $until_seen "is lost" "$T/err"
fake ttl=200 renew=14
exits 125 "a renewal that is refused" ctl run --cpus 0 --khz 2GHz $until_seen "is lost" "$T/err"
says 'the lease is lost: no such lease' "says why"
fake
exits 125 "a daemon that hangs when the program ends" ctl run --cpus 0-1 --khz 2GHz sh -c "kill -STOP $daemon"
says 'the lease is lost: perseusd ended with the program, or does not answer' "is not taken for one that answers"
silent '0\.00 GHz' "nor is anything said of frequencies"
kill -CONT $daemon
fake number=0
exits 125 "a lease without a number" ctl run --cpus 0-1 --khz 2GHz touch "$T/run3"
says 'does not speak version 1' "is none"
it "nothing was started" test ! -e "$T/run3"

# effect
fake lease=20 khz=800000-2400000
exits 125 "a frequency that is not honoured: the program is not started" ctl run --cpus 0-1 --khz 1.2GHz touch "$T/run2"
says 'not honoured: asked for 1.20 GHz, in force is 0.80 to 2.40 GHz' "asked and got"
it "it was not started" test ! -e "$T/run2"
exits 0 "--best-effort starts it" ctl run --cpus 0-1 --khz 1.2GHz --best-effort touch "$T/run2"
says 'not honoured' "and says so all the same"
it "the lease is kept meanwhile, and released" sh -c "tail -1 '$T/log' | grep -q '^RELEASE .*lease=42'"
fake khz=800000-2400000
exits 125 "the daemon is not believed either: the range is compared" ctl run --cpus 0-1 --khz 1.2GHz true
fake khz=1200000-1200000 later=800000-1200000
exits 0 "a range that is narrower than asked for is inside" ctl run --cpus 0-1 --khz 1.2GHz-2.4GHz true
says 'not honoured to the end: at the start 1.20 GHz, at the end 0.80 to 1.20 GHz' "what became of it meanwhile is told"

# what the machine says of itself; where its /sys can be replaced for a while
if unshare -rm true 2>/dev/null; then
	tests/sysroot/make smt-64 "$T/smt"
	there() { unshare -rm sh -c 'mount --bind "$0" /sys/devices/system/cpu && exec "$@"' "$T/smt/sys/devices/system/cpu" "$@"; }
	exits 125 "a frequency between two steps" there perseus ctl run --socket "$S" --cpus 0-1 --khz 1.9GHz true
	says 'the steps of cpu 0 are [0-9 ]+ kHz; nothing between them' "the steps are told"
	step=$(awk '{ print $1 }' "$T/smt/sys/devices/system/cpu/cpu0/cpufreq/scaling_available_frequencies")
	exits 125 "a step that is not in force" there perseus ctl run --socket "$S" --cpus 0-1 --khz "$step" true
	says 'something else limits these cpus' "has another cause"
	fake
	exits 0 "one hardware thread of a core" there perseus ctl run --socket "$S" --cpus 0,1,65 --reserve --balanced --no-bind true
	says 'cpu 0 shares its core with cpu 64, which is not reserved' "its twin is named"
	exits 0 "both" there perseus ctl run --socket "$S" --cpus 1,65 --reserve --balanced --no-bind true
	silent 'shares its core' "nothing is"
else
	skip "steps and hardware threads of a made-up machine" "no mount namespaces for this user"
fi

# plans
cp yaml/examples/plan.yaml "$T/plan.yaml"
fake
exits 0 "a plan says which cpus" ctl run --plan "$T/plan.yaml" --reserve --no-bind true
says '^LEASE ' "it was leased" "$T/log"
silent '^LEASE .* (cpus=0|plan=0000) ' "cpus and hash were sent" "$T/log"
exits 125 "no plan there" ctl run --plan "$T/none.yaml" --reserve true
says "none.yaml" "it is named"

ctl run --plan "$T/plan.yaml" --khz 2GHz --no-bind true 2>"$T/with"
says 'leave out one of the two' "a plan that sets frequencies, and --khz: they are in each other's way" "$T/with"
ctl run --plan "$T/plan.yaml" --reserve --no-bind true 2>"$T/without"
silent 'leave out' "not so without --khz" "$T/without"
awk '/kind: step/ { sub(/step/, "pin"); print; getline; sub(/domain: 1/, "core: 1"); print; getline; next } { print }' yaml/examples/plan.yaml >"$T/pins.yaml"
exits 0 "a plan without steps, and --khz" ctl run --plan "$T/pins.yaml" --khz 2GHz --no-bind true
silent 'leave out' "is nothing to warn of"

# the command line
for args in "--khz 2GHz" "--cpus 0" "--cpus 0 --khz 2GHz" "--cpus 0 --balanced --khz 2GHz true" "--cpus 0,x --reserve true" \
	"--cpus 3-1 --reserve true" "--cpus 1024 --reserve true" "--cpus= --reserve true" "--cpus 0 --khz 2-1 true" \
	"--cpus 0 --khz fast true" "--cpus 0 --khz 2GHz-x true" "--cpus 0 --reserve --ttl 0 true" "--cpus 0 --reserve --ttl x true" \
	"--cpus 0 --reserve --frob true"; do
	# shellcheck disable=SC2086
	exits 2 "usage: run $args" ctl run $args
done
exits 2 "a word behind status" ctl status now
finish
