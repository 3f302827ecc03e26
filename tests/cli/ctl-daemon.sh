#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus ctl and perseusd together, on a made-up machine: what is leased is
# set, seen by others, and as before afterwards, however it ended.
. tests/lib.sh
[ -x "$O/sbin/perseusd" ] || { echo "1..0 # SKIP perseusd is not built"; exit 0; }
M=$T/m
S=$T/socket
daemon=
tests/sysroot/make xeon-8 "$M"
mkdir -p "$M/etc"
echo 'perseus:x:7701:7701::/:/bin/false' >"$M/etc/passwd"
mkdir "$M/run"
cpu=$M/sys/devices/system/cpu
trap 'stop; rm -rf "$T"' EXIT

start() {
	: >"$T/audit" # or the daemon before is taken for this one
	"$O/sbin/perseusd" --sysroot "$M" --socket "$S" "$@" 2>"$T/audit" &
	daemon=$!
	until grep -q ready "$T/audit"; do kill -0 $daemon || return 1; sleep 0.02; done
}
stop() { [ -z "$daemon" ] || { kill "$daemon"; wait "$daemon"; } 2>/dev/null; daemon=; }
ctl() { what=$1; shift; timeout 20 perseus ctl "$what" --socket "$S" "$@"; }
files() { cat "$cpu/cpu$1/cpufreq/scaling_min_freq" "$cpu/cpu$1/cpufreq/scaling_max_freq" | tr '\n' ' '; }
# until_restored: what happens after a SIGKILL needs a moment, and has ten seconds
until_restored() {
	n=0
	until [ "$(files 0)$(files 1)" = "1587000 1853000 1587000 1853000 " ]; do
		n=$((n + 1))
		[ $n -lt 500 ] || return 1
		sleep 0.02
	done
}
# holder ARGUMENT...: a run of its own that sleeps; $holder is its process
holder() {
	rm -f "$T/held"
	"$O/bin/perseus" ctl run --socket "$S" "$@" sh -c 'echo $$ >"$0"; exec sleep 30' "$T/held" >/dev/null 2>"$T/holder" &
	holder=$!
	until [ -s "$T/held" ]; do sleep 0.02; done
}
# The first two cpus must be usable here: programs are put on them.
case $(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status) in 0-*) bind= ;; *) bind=--no-bind ;; esac

it "the daemon starts" start
exits 0 "status" ctl status
says '^frequency +1\.587 to 1\.853 GHz, by cpufreq.s files$' "its limits are those of the machine"
says '^policies +cpus 0-7, a clock each: 1\.587 to 1\.853 GHz, free$' "policies that are alike are one line"
exits 0 "status for programs" ctl status --json
it "all policies are there" test "$(grep -c '"holder": null' "$T/out")" = 8

exits 0 "a run under a lease" ctl run $bind --cpus 0-1 --khz 1587000 sh -c "cat $cpu/cpu[012]/cpufreq/scaling_max_freq"
it "the frequency is set while it runs, and nowhere else" test "$(tr '\n' ' ' <"$T/out")" = "1587000 1587000 1853000 "
it "and as before afterwards" until_restored
says 'change=leased cpus=0-1 .*max=1587000 .*uid=' "the audit log has it" "$T/audit"
exits 0 "a plan's hash goes into the log" ctl run --no-bind --plan yaml/examples/plan.yaml --cpus 0 --khz 1853000 true
says 'change=leased .* plan=[0-9a-f]{8}' "the plan is named there" "$T/audit"

holder --cpus 0-1 --khz 1853000 $bind
exits 125 "a second program is refused" ctl run $bind --cpus 1-2 --khz 1587000 touch "$T/ran"
says 'refused \(busy\)' "by name"
says "cpu 1 is held by process $holder \(ctl:sh\) of user" "with the holder: process, program, user"
it "it was not started, and cpu 2 is as it was" test ! -e "$T/ran" -a "$(files 2)" = "1587000 1853000 "
exits 0 "status shows it" ctl status
says '^policy +cpu 1: 1\.853 GHz$' "its policies have lines of their own"
says '^policies +cpus 2-7, ' "the others have one"
exits 0 "and for programs" ctl status --json
says "\"pid\": $holder," "with its process"
exits 0 "other cpus can be had" ctl run --no-bind --cpus 2 --khz 1587000 true
kill -KILL $holder
wait $holder 2>/dev/null
it "SIGKILL of the holder: all is as before" until_restored
kill "$(cat "$T/held")" 2>/dev/null

holder --cpus 0-1 --khz 1853000 $bind
kill -TERM $holder
wait $holder
it "SIGTERM goes to the program: 143" test $? = 143
it "all is as before" until_restored

holder --cpus 0-1 --khz 1853000 $bind
kill -KILL $daemon
wait $daemon 2>/dev/null
it "SIGKILL of the daemon: all is as before" until_restored
n=0
until grep -q 'the lease is lost' "$T/holder" || [ $n = 500 ]; do n=$((n + 1)); sleep 0.02; done
says 'the lease is lost: perseusd has ended' "the run says so while its program goes on" "$T/holder"
it "it does" kill -0 "$(cat "$T/held")"
kill "$(cat "$T/held")"
wait $holder
it "and returns the program's status" test $? = 143

it "the daemon starts again" start
exits 0 "--ttl" ctl run $bind --cpus 0-1 --khz 1587000 --ttl 0.3 \
	sh -c "cat $cpu/cpu0/cpufreq/scaling_max_freq; until grep -q 1853000 $cpu/cpu0/cpufreq/scaling_max_freq; do sleep 0.02; done"
says '^1587000$' "it is set at first; the lease ended before the program" "$T/out"
says 'change=ended .*reason=ttl' "the log says why" "$T/audit"
exits 125 "a range outside of the machine's" ctl run $bind --cpus 0 --khz 5GHz true
says 'asked for 5.00 GHz, the limits here are 1.587 to 1.853 GHz' "what was asked, and what can be had"
for khz in $(perseus ctl status --socket "$S" | sed -n 's/^frequency *\([0-9.]*\) to \([0-9.]*\) GHz.*/\1 \2/p'); do
	exits 0 "what status shows can be asked for: $khz GHz" ctl run --no-bind --cpus 0 --khz "${khz}GHz" true
done
exits 125 "a frequency of 1 MHz" ctl run --no-bind --cpus 0 --khz 1000 true
says 'asked for 0\.001 GHz' "is not shown as none"
exits 2 "a cpu that is not there" ctl query 9
says 'there is no cpu 9 here' "is named"
stop
echo 'cpus 0-3' >"$T/few.conf"
echo 'frequency-users none' >"$T/none.conf"
it "a daemon that lends some cpus" start --config "$T/few.conf"
exits 0 "one of the others" ctl query 5
says '^policy +cpu 5: .*, not lent: cpus of perseusd.conf$' "is not lent"
exits 125 "nor can it be had" ctl run --no-bind --cpus 5 --khz 1587000 true
says 'cpu 5 is not lent; these are: 0-3' "the cpus are named"
silent 'frequency-users' "no users"
stop
it "a daemon that lends nobody frequencies" start --config "$T/none.conf"
exits 0 "status" ctl status
says '^frequency +not lent to this user' "is not taken for a machine without"
says '^policies +cpus 0-7, .*, not lent to this user$' "whose policies are shown"
stop
it "200 runs one after the other" sh -c '
	: >"$4"
	"$1/sbin/perseusd" --sysroot "$2" --socket "$3" 2>"$4" & d=$!
	until grep -q ready "$4"; do sleep 0.02; done
	i=0; bad=0
	while [ $i -lt 200 ]; do i=$((i + 1)); perseus ctl run -q --no-bind --socket "$3" --cpus 0-1 --khz 1587000 true || bad=$((bad + 1)); done
	kill $d; wait $d; [ $bad = 0 ]' sh "$O" "$M" "$S" "$T/audit"
it "nothing is left of them" until_restored
it "each was in the log" test "$(grep -c 'change=ended' "$T/audit")" = 200
finish
