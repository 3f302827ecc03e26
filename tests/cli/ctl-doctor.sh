#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus doctor: daemon, module and reservation of cores, on made-up machines.
. tests/lib.sh
it "a daemon for the tests builds" gcc -Wall -Werror -Iinclude -o "$T/fake" tests/cli/ctl/fake.c
daemon=
trap '[ -z "$daemon" ] || kill $daemon 2>/dev/null; rm -rf "$T"' EXIT
tests/sysroot/make xeon-8 "$T/full"
tests/sysroot/make vm-2 "$T/vm"

# root FILE=TEXT...: $R, a machine with cpufreq and these files
root() {
	rm -rf "$T/root"
	cp -a "$T/full" "$T/root"
	R=$T/root
	for f; do
		mkdir -p "$R/$(dirname "${f%%=*}")"
		echo "${f#*=}" >"$R/${f%%=*}"
	done
}
# fake [KEY=VALUE...]: a daemon in $R
fake() {
	stop
	mkdir -p "$R/run/perseus"
	"$T/fake" "$R/run/perseus/control" "$@" >/dev/null 2>&1 &
	daemon=$!
	while [ ! -S "$R/run/perseus/control" ]; do sleep 0.02; done
}
stop() { [ -z "$daemon" ] || { kill "$daemon"; wait "$daemon"; } 2>/dev/null; daemon=; }
# doctor: text and remedy of a row in one line each in $T/rows
doctor() {
	perseus doctor --sysroot "$R" --json >"$T/json" 2>&1 || return 1
	awk -F'"' '/"topic"/ { t = $4 } /"state"/ { s = $4 } /"text"/ { x = $4 } /"remedy"/ { print t "|" s "|" x "|" $4 }' "$T/json" >"$T/rows"
}
row() { says "^$1" "$2" "$T/rows"; }
no_row() { silent "^$1" "$2" "$T/rows"; }

# ---- the daemon -----------------------------------------------------------------------
root
it "a machine without anything of it" doctor
row 'daemon\|absent\|perseusd does not run.*\|as root: make install; systemd-sysusers; systemctl enable' "no daemon, none installed: install it"
root usr/lib/systemd/system/perseusd.socket=x
doctor
row 'daemon\|absent\|.*\|as root: systemd-sysusers; systemctl enable --now perseusd.socket$' "installed with its unit: start that"
root usr/local/sbin/perseusd=x
doctor
row 'daemon\|absent\|.*\|as root: /usr/local/sbin/perseusd ' "installed without: start the program"
root
fake
doctor
row 'daemon\|ok\|perseusd answers, and lends frequencies and cores\|$' "a daemon that answers"
row 'frequency\|ok\|.*; perseusd sets them' "frequencies are set by it"
fake flags=0x21
doctor
row 'daemon\|ok\|.*lends frequencies, no cores\|.*reserve-users of perseusd.conf' "frequencies alone, cores for others"
fake flags=0x21 reserve=16
doctor
row 'daemon\|ok\|.*lends frequencies, no cores\|$' "frequencies alone, no cores at all"
fake flags=0x42
doctor
row 'daemon\|ok\|.*lends cores, no frequencies' "cores alone"
fake flags=0
doctor
row 'daemon\|limited\|.*lends nothing to this user\|.*frequency-users and reserve-users' "one that lends others only is a limit"
chmod -R a-w "$R/sys"
stranger() { if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }
chmod 755 "$T"
chmod 777 "$R/run/perseus/control"
stranger "$O/bin/perseus" doctor --sysroot "$R" >"$T/rows" 2>&1
tr -s ' \n' '  ' <"$T/rows" >"$T/line"
says 'perseusd sets them for others: frequency-users of perseusd.conf' "the row of frequencies names the key" "$T/line"
chmod -R u+w "$R/sys"
fake flags=0 limits=0-0 reserve=16
doctor
row 'daemon\|limited\|.*lends nothing on this machine\|$' "one that can do nothing is a limit"
fake flags=0x11
doctor
row 'daemon\|ok\|.*\(by the module\)' "by the module"
fake how=mute
it "one that does not answer is not waited for" doctor
row 'daemon\|limited\|.*answers wrongly or not at all: .*\|as root: systemctl restart perseusd' "and called so"
fake how=alien
doctor
row 'daemon\|limited\|.*answers wrongly' "likewise one that talks nonsense"
fake hello=17
doctor
row 'daemon\|limited\|.*too many connections' "a refusal is told"
stop
doctor
row 'daemon\|absent\|.*no perseusd listens at it\|as root: systemctl restart perseusd.socket' "a socket that nobody listens at"
fake
chmod 755 "$T"
chmod 000 "$R/run/perseus/control"
[ "$(id -u)" != 0 ] || chgrp 7 "$R/run/perseus/control"
group=$(getent group "$(stat -c %g "$R/run/perseus/control")" | cut -d: -f1)
chmod -R a-w "$R/sys"
stranger "$O/bin/perseus" doctor --sysroot "$R" >"$T/rows" 2>&1
says '^daemon +perseusd runs, but this user may not open' "no permission: told from not running" "$T/rows"
says "as root: usermod -aG $group USER, then log in again" "and which group it takes" "$T/rows"
says 'this user cannot set them' "nor may it set frequencies" "$T/rows"
tr -s ' \n' '  ' <"$T/rows" >"$T/line"
says 'perseusd sets them for those who may open its socket: see the next line' "others may, by the daemon" "$T/line"
silent 'sets them for this user' "this one may not" "$T/line"
chmod -R u+w "$R/sys"
stop

# ---- the module --------------------------------------------------------------------------
root
doctor
row 'module\|not needed\|not loaded: perseusd does with .*\|.*kmod/README.md' "no module: not needed, and where it is"
root proc/sys/kernel/osrelease=6.1.0-9 lib/modules/6.1.0-9/updates/dkms/perseus.ko=x
doctor
row 'module\|not needed\|.*\|.*as root: modprobe perseus' "installed, not loaded"
root dev/perseus=x
doctor
row 'module\|not tried\|/dev/perseus is there' "a device of another machine is not tried"
R=$T/vm
doctor
row 'module\|not needed\|not loaded; without cpufreq it has nothing to hold\|$' "without cpufreq nothing is prescribed"

# ---- cores -------------------------------------------------------------------------------
root "sys/fs/cgroup/cgroup.controllers=cpuset cpu io memory" proc/sys/kernel/osrelease=6.1.0-9
doctor
row 'reserve\|ok\|cores can be reserved, by isolated partitions of cgroup v2\|$' "cgroup v2"
root "sys/fs/cgroup/cgroup.controllers=cpuset cpu" proc/sys/kernel/osrelease=5.15.0-9
doctor
row 'reserve\|limited\|cgroup v2 without isolated partitions.*\|Linux 6.1' "cgroup v2 of an older kernel"
root sys/fs/cgroup/cpuset/cpuset.cpus=0-7
doctor
row 'reserve\|limited\|.*cpusets of cgroup v1.*\|.*unified_cgroup_hierarchy=1' "cgroup v1"
root "sys/fs/cgroup/cgroup.controllers=cpu io memory" "proc/filesystems=nodev cgroup2"
doctor
row 'reserve\|absent\|.*in this part of the hierarchy\|a container: perseusd must run on the host' "a container"
root "proc/filesystems=nodev cgroup2"
doctor
row 'reserve\|absent\|.*\|as root: mount -t cgroup2' "nothing mounted"
root "proc/filesystems=nodev proc"
doctor
row 'reserve\|absent\|.*\|a kernel with CONFIG_CPUSETS' "nothing in the kernel"
root "sys/fs/cgroup/cgroup.controllers=cpuset" proc/sys/kernel/osrelease=6.12.1
fake flags=0x21
doctor
row 'reserve\|ok\|.*; not by this user' "cores that the daemon lends to others"
fake flags=0x21 reserve=16
doctor
row 'reserve\|ok\|.*; perseusd did not find them' "cores that the daemon does not know of"
stop

# ---- this machine, and pages ------------------------------------------------------------------
exits 0 "this machine" perseus doctor
for topic in daemon module reserve; do
	says "^$topic " "it has a row about: $topic"
	it "... and a page" perseus explain doctor-$topic
done
it "no line is longer than 80 columns" awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$T/out"
finish
