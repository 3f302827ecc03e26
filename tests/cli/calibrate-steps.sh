#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus calibrate and frequency steps: files that take every step and change
# nothing, put in the place of this machine's, through cpufreq's files and
# through perseusd; the old settings come back however it ends.
. tests/lib.sh
if ! unshare -rm true 2>/dev/null; then
	skip "frequency steps of a made-up machine" "no mount namespaces for this user"
	finish
fi
M=$T/m
tests/sysroot/make xeon-8 "$M"
mkdir -p "$M/etc"
echo 'perseus:x:7701:7701::/:/bin/false' >"$M/etc/passwd"
mkdir "$M/run"
cpu=$M/sys/devices/system/cpu
for p in 4 5 6 7; do rm -rf "$cpu/cpufreq/policy$p" "$cpu/cpu$p"; done
for f in online possible present; do echo 0-3 >"$cpu/$f"; done
settings() { cat "$cpu"/cpufreq/policy*/scaling_m??_freq | tr '\n' ' '; }
settings >"$T/before"
is_as_before() { [ "$(settings)" = "$(cat "$T/before")" ]; }
# there COMMAND...: where this machine's cpus are those of $M
there() { unshare -rm sh -c 'mount --bind "$0" /sys/devices/system/cpu && exec "$@"' "$cpu" "$@"; }
one() { there perseus calibrate --quick --socket "$T/socket" "$@"; }

exits 0 "a machine whose steps do nothing, through cpufreq's files" one -o "$T/files.yaml"
says "^steps of core [0-9]+ by cpufreq's files\$" "who set them is said"
says '^ +1\.587 GHz  the loop runs at [0-9.]+ GHz   not honoured$' "a step without effect: not honoured"
says '^note +1 of 2 frequency steps are not honoured: they are left out$' "a plan does not get it"
it "the platform has one step" test "$(grep -c 'khz:' "$T/files.yaml")" = 1
says 'khz: 1853000' "the highest" "$T/files.yaml"
says 'its time is not known' "no time of a change was made up"
it "settings are as before" is_as_before

exits 0 "--no-steps leaves them alone" one --no-steps -o "$T/none.yaml"
silent '^steps of core' "nothing is measured"
it "and all steps are in the platform" test "$(grep -c 'khz:' "$T/none.yaml")" = 2
silent 'not measured' "nor is that called a lack"

"$O/sbin/perseusd" --sysroot "$M" --socket "$T/socket" 2>"$T/audit" &
daemon=$!
until grep -q ready "$T/audit"; do sleep 0.02; done
exits 0 "through perseusd" one -o "$T/daemon.yaml"
says '^steps of core [0-9]+ by perseusd$' "it is preferred"
says 'not honoured$' "the same verdict"
says 'change=set policy=0 min=1587000 max=1587000' "the daemon did it" "$T/audit"
it "settings are as before" is_as_before
perseus ctl run -q --no-bind --socket "$T/socket" --cpus 0 --khz 1853000 sh -c 'echo >"$0"; exec sleep 30' "$T/held" &
holder=$!
until [ -s "$T/held" ]; do sleep 0.02; done
exits 0 "a domain that somebody holds" one -o "$T/busy.yaml"
says '^note +the frequency steps of core 0 were not measured: perseusd refused \(busy\).*held by process' "is named with its holder"
it "all steps stay in the platform" test "$(grep -c 'khz:' "$T/busy.yaml")" = 2
kill $holder
wait $holder

# ended RUNS WHO: a calibration that is ended by each signal at different times
ended() {
	bad=0 n=0
	for sig in INT TERM HUP KILL INT TERM KILL INT TERM KILL; do
		n=$((n + 1))
		there timeout --foreground -s $sig 0.$((n * 7 % 40 + 10)) "$O/bin/perseus" calibrate --quick --socket "$1" -o "$T/ended.yaml" >/dev/null 2>&1
		tries=0
		until is_as_before || [ $tries = 500 ]; do tries=$((tries + 1)); sleep 0.02; done
		is_as_before || bad=$((bad + 1))
	done
	[ $bad = 0 ]
}
it "ended by SIGINT, SIGTERM, SIGHUP, SIGKILL: perseusd restores" ended "$T/socket"
kill $daemon
wait $daemon
it "and so do files, by the guard" ended "$T/nobody"

chmod a-w "$cpu"/cpufreq/policy*/scaling_m??_freq
exits 0 "nobody may set them" there setpriv --bounding-set=-all --inh-caps=-all "$O/bin/perseus" calibrate --quick --socket "$T/nobody" -o "$T/p.yaml"
says '^note +frequency steps were not measured: perseusd does not run, and this user may not write' "says why it did not measure"
exits 0 "this machine" perseus calibrate --quick -o "$T/here.yaml"
[ -d /sys/devices/system/cpu/cpu0/cpufreq ] || says '^note +frequency steps were not measured: this machine has no cpufreq' "without cpufreq: why"
finish
