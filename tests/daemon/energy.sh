#!/bin/sh
# SPDX-License-Identifier: MIT
# Joules by perseusd: to nobody by default; else to each process its own, in whole windows, rounded.
# The counters are made up, so load decides nothing.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
zone() { # NUMBER NAME UJ
	z=$M/sys/class/powercap/intel-rapl:$1
	mkdir -p "$z"
	echo "$2" >"$z/name"
	echo 262143328850 >"$z/max_energy_range_uj"
	printf '%015d\n' "$3" >"$z/energy_uj"
}
machine() { # UJ TICKS: what the counters and the clock of the machine show
	zone 0 package-0 "$1"
	zone 0:0 core 99999
	zone 0:1 dram 5
	mkdir -p "$M/proc"
	printf 'cpu  %015d 0 0 77 0 0 0 0 0 0\n' "$2" >"$M/proc/stat"
}
new_machine
machine 1000000 100
it "the daemon starts" start
answers '^energy NO_ENERGY ' "by default nobody is told joules" energy
# opens PID N NAME: so many counters, which the process of a daemon shows to root alone
opens() {
	[ "$(id -u)" = 0 ] || { skip "$3" "only root sees the descriptors of the daemon"; return; }
	n=$(ls -l "/proc/$1/fd" | grep -c energy_uj)
	[ "$n" = "$2" ] && ok "$3" || not_ok "$3" "$n"
}
opens "$D" 0 "... and no counter is open"
answers '^hello OK .* flags=0x([0-9a-f]|[0-9a-f][0-9a-f]) ' "... nor is it offered" "query 0"
it "... and it ends" stop

configure "energy-users $(id -u)" 'energy-window 100ms'
it "a daemon that tells this user starts" start
says 'energy=ready counters=2 window=100' "... with the package and the memory" "$T/log"
opens "$D" 2 "... which are open"
opens "$G" 0 "... and not to its guard"
answers '^hello OK .* flags=0x1[0-9a-f][0-9a-f] ' "it is offered" "query 0"
answers '^energy OK mj=0 windows=0 each=100$' "the first answer begins a window" energy

# later UJ TICKS: a client whose window ends when the machine shows that
later() {
	machine 1000000 100
	sleep 0.15
	rm -f "$T/in" "$T/held"
	mkfifo "$T/in"
	"$T/ask" "$S" energy hold energy "sleep 150" energy <"$T/in" >"$T/held" 2>&1 &
	H=$!
	holders="$holders $H"
	exec 9>"$T/in"
	eventually grep -q '^energy' "$T/held"
	sleep 0.15
	machine "$1" "$2"
	exec 9>&-
	wait "$H"
}
later 11000000 100
says '^energy OK mj=10000 windows=1 each=100$' "whoever did all the work has all joules" "$T/held"
later 11049000 100
says '^energy OK mj=10000 windows=1 ' "... rounded to 0.1 J" "$T/held"
later 11051000 100
says '^energy OK mj=10100 windows=1 ' "... up and down" "$T/held"
later 11000000 99999999
says '^energy OK mj=0 windows=1 ' "a process that did nothing of the work hears of nothing" "$T/held"
later 500000 100
[ "$(grep -c 'mj=0 windows=0 ' "$T/held")" = 2 ] && ok "a counter that was set anew makes no window" || not_ok "a counter that was set anew makes no window" "$(cat "$T/held")"
says 'energy=told pid=[0-9]+ uid=' "who is told is in the audit" "$T/log"
it "it ends" stop

configure "energy-users 4711"
it "a daemon that tells another user starts" start
answers '^energy NOT_ALLOWED ' "a user who is not named is not told" energy
it "it ends" stop
rm -r "$M/sys/class/powercap"
configure 'energy-users all'
it "a machine without counters" start
answers '^energy NO_ENERGY ' "has none to tell of" energy
it "it ends" stop
"$O/sbin/perseusd" --sysroot "$M" --check >"$T/check" 2>&1
says '^energy +none: no package in /sys/class/powercap' "--check says why" "$T/check"
machine 1 1
zone 1 package-1 0
echo many >"$M/sys/class/powercap/intel-rapl:1/energy_uj"
"$O/sbin/perseusd" --sysroot "$M" --check >"$T/check" 2>&1
says '^energy +none: a counter .* cannot be read' "... of two packages one is no sum" "$T/check"
for line in 'energy-window 99ms' 'energy-window 61s' 'energy-window any' 'energy-users bob'; do
	configure "$line"
	exits 4 "'$line' is no configuration" "$O/sbin/perseusd" --sysroot "$M" --check
done
finish
