#!/bin/sh
# SPDX-License-Identifier: MIT
# A generated program and perseusd on a made-up machine: it steps under a lease; whatever becomes of the daemon, the
# program goes on, counts, and takes no other way.  Another program, generated for cpufreq's files, uses these.
. tests/lib.sh
programs=$(pwd)/tests/codegen/programs
include=$(pwd)/include
PATH=$O/sbin:$PATH
pids=
# Numbers of processes are used again: only children are ended.
end_ours() {
	for ours in $pids; do
		grep -qsE "^PPid:[[:space:]]*$$\$" "/proc/$ours/status" && kill -KILL "$ours" 2>/dev/null
	done
}
trap 'end_ours; rm -rf "$T"' EXIT

# ---- the messages are those of include/perseus/ctl.h ----
# A file here, unlike the kernel's, keeps what a shorter text does not cover: all frequencies have seven digits.
sed "s/^n_cores: .*/n_cores: $(getconf _NPROCESSORS_ONLN)/; s/ 800000$/ 1200000/" "$programs/steps.yaml" >"$T/plan.yaml"
exits 0 "codegen" perseus codegen "$T/plan.yaml" -o "$T/gen"
exits 0 "codegen for the kernel module" perseus codegen "$T/plan.yaml" -o "$T/device" --frequency=device
exits 0 "codegen for the files of cpufreq" perseus codegen "$T/plan.yaml" -o "$T/files" --frequency=cpufreq
exits 2 "an unknown way" perseus codegen "$T/plan.yaml" -o "$T/none" --frequency=magic
says "--frequency=magic: expected perseusd, device or cpufreq" "... is named"
cat >"$T/format.c" <<-EOC
	#include PLATFORM
	#include <stddef.h>
	#include "perseus/ctl.h"
	#define SAME(ours, theirs, m) _Static_assert(offsetof(struct ours, m) == offsetof(struct theirs, m) && \\
		sizeof(((struct ours *)0)->m) == sizeof(((struct theirs *)0)->m), #m)
	#define ASK(m)  SAME(perseus_request, prs_ctl_request, m)
	#define TELL(m) SAME(perseus_reply, prs_ctl_reply, m)
	#define CAPS(m) SAME(perseus_caps, prs_ctl_caps, m)
	#define HOLD(m) SAME(perseus_hold, prs_ctl_hold, m)
	#define EQUAL(a, b) _Static_assert((a) == (b), #a)
	EQUAL(CTL_VERSION, PRS_CTL_VERSION);
	#ifdef DEVICE
	CAPS(version); CAPS(policies); CAPS(files); CAPS(file_limit); CAPS(cpus); CAPS(reserved);
	HOLD(version); HOLD(cpu); HOLD(min_khz); HOLD(max_khz); HOLD(granted_min_khz); HOLD(granted_max_khz); HOLD(policy_min_khz);
	HOLD(policy_max_khz); HOLD(current_khz); HOLD(flags); HOLD(reserved);
	EQUAL(sizeof(struct perseus_caps), sizeof(struct prs_ctl_caps)); EQUAL(sizeof(struct perseus_hold), sizeof(struct prs_ctl_hold));
	EQUAL(CTL_IOC_CAPS, PRS_CTL_IOC_CAPS); EQUAL(CTL_IOC_HOLD, PRS_CTL_IOC_HOLD);
	EQUAL(sizeof(PERSEUS_DEVICE), sizeof(PRS_CTL_DEVICE));
	#else
	ASK(magic); ASK(version); ASK(op); ASK(session); ASK(tag); ASK(flags); ASK(lease); ASK(cpu); ASK(min_khz); ASK(max_khz);
	ASK(ttl_ms); ASK(reserved0); ASK(plan); ASK(cpus); ASK(reserved);
	TELL(magic); TELL(version); TELL(op); TELL(session); TELL(tag); TELL(status); TELL(lease); TELL(cpu); TELL(min_khz);
	TELL(max_khz); TELL(ttl_ms); TELL(current_khz); TELL(holder_pid); TELL(holder_uid); TELL(flags); TELL(error); TELL(plan);
	TELL(cpus); /* what follows are joules, which a program with triggers does not ask for */
	EQUAL(offsetof(struct perseus_reply, reserved), offsetof(struct prs_ctl_reply, energy_mj));
	EQUAL(sizeof(struct perseus_request), PRS_CTL_MESSAGE); EQUAL(sizeof(struct perseus_reply), PRS_CTL_MESSAGE);
	EQUAL(CTL_MAGIC, PRS_CTL_MAGIC); EQUAL(CTL_CPUS, PRS_CTL_CPUS);
	EQUAL(CTL_HELLO, PRS_CTL_HELLO); EQUAL(CTL_LEASE, PRS_CTL_LEASE); EQUAL(CTL_SET, PRS_CTL_SET); EQUAL(CTL_QUERY, PRS_CTL_QUERY);
	EQUAL(CTL_FREQUENCY, PRS_CTL_FREQUENCY);
	EQUAL(CTL_OK, PRS_CTL_OK_STATUS); EQUAL(CTL_NOT_ALLOWED, PRS_CTL_NOT_ALLOWED_STATUS); EQUAL(CTL_BUSY, PRS_CTL_BUSY_STATUS);
	EQUAL(CTL_NO_FREQUENCY, PRS_CTL_NO_FREQUENCY_STATUS); EQUAL(CTL_RATE, PRS_CTL_RATE_STATUS);
	EQUAL(CTL_REFUSED, PRS_CTL_REFUSED_STATUS); EQUAL(CTL_NOT_HELD, PRS_CTL_NOT_HELD_STATUS);
	EQUAL(sizeof(PERSEUS_SOCKET), sizeof(PRS_CTL_SOCKET));
	#endif
EOC
# same COMPILER DIR [FILE [FLAG]]: what its platform file says agrees with the contract
same() { $1 -std=gnu11 -I"$T/$2" -I"$include" $4 -DPLATFORM="\"${3:-perseus_platform_linux.c}\"" -fsyntax-only "$T/format.c"; }
it "the program's messages have the sizes, offsets and numbers of the contract" same gcc gen
it "so have the calls of the kernel module" same gcc device "" -DDEVICE
aarch64=aarch64-linux-gnu-gcc
it "in a program for another processor, too" sh -c "! command -v $aarch64 || $aarch64 -std=gnu11 -I'$T/gen' -I'$include' '-DPLATFORM=\"perseus_platform_linux.c\"' -fsyntax-only '$T/format.c'"
sed 's/uint32_t ttl_ms;/uint16_t ttl_ms;/' "$T/gen/perseus_platform_linux.c" >"$T/gen/other.c"
other_is_found() { ! same gcc gen other.c 2>"$T/format.err" && grep -q 'static assertion failed: .ttl_ms' "$T/format.err"; }
it "twin: a field of another size is found" other_is_found

# ---- a machine of three policies: cpu 0, cpus 1 and 2, cpu 3 ----
machine=$T/root/sys/devices/system/cpu
policy() {
	dir=$machine/cpufreq/policy$1
	mkdir -p "$dir"
	for f in related_cpus affected_cpus; do echo "$2" >"$dir/$f"; done
	for f in cpuinfo_min_freq scaling_min_freq; do echo 1000000 >"$dir/$f"; done
	for f in cpuinfo_max_freq scaling_max_freq; do echo 2400000 >"$dir/$f"; done
	echo 1600000 >"$dir/scaling_cur_freq"
	echo '<unsupported>' >"$dir/scaling_setspeed"
}
fresh() {
	policy 0 0 && policy 1 "1 2" && policy 3 3 && echo 0-3 >"$machine/present" && mkdir -p "$T/root/etc/perseus" "$T/root/run" &&
		printf "root:x:0:0::/:/bin/sh\nperseus:x:7701:7701::/:/bin/false\n" >"$T/root/etc/passwd"
}
as_found() { for p in 0 1 3; do [ "$(range $p)" = 1000000-2400000 ] || return 1; done; }
# range N: of policy N
range() { echo "$(head -n 1 "$machine/cpufreq/policy$1/scaling_min_freq")-$(head -n 1 "$machine/cpufreq/policy$1/scaling_max_freq")"; }
# soon COMMAND...: within 10 s
soon() {
	for _ in $(seq 200); do "$@" && return 0; sleep 0.05; done
	return 1
}
# A file that flies takes no other names from the compiler line: copies for this made-up machine have them.
for d in gen files; do
	sed -i "s,\"/sys/devices/system/cpu/cpufreq/policy\",\"$machine/cpufreq/policy\",; s,\"/run/perseus/control\",\"$T/control\"," "$T/$d/perseus_platform_linux.c"
done
it "the names of the copy" grep -q "\"$T/control\"" "$T/gen/perseus_platform_linux.c"
# build FLAGS OUTPUT [DIR]
build() {
	dir=$T/${3:-gen}
	gcc -std=gnu11 -O2 -I"$dir" $1 -o "$T/$2" "$programs/steps.c" "$dir/perseus_triggers.c" "$dir/perseus_platform_linux.c" -pthread
}
it "the program builds" build "" prog
it "the program builds static" build "-static -DPERSEUS_STATIC -Wl,--wrap=pthread_create" prog-static
it "the program for the files builds" build "" prog-files files
# Several lines of the configuration, the daemon with it; $daemon is its pid.
daemon() {
	printf '%s\n' "$@" >"$T/perseusd.conf"
	chmod 644 "$T/perseusd.conf"
	rm -f "$T/control"
	perseusd --sysroot "$T/root" --socket "$T/control" --config "$T/perseusd.conf" >"$T/daemon.log" 2>&1 &
	daemon=$!
	pids="$pids $daemon"
	soon listens
}
# The name is there before anybody can connect.
listens() { grep -q " 00010000 .* $T/control\$" /proc/net/unix; }
end_daemon() {
	kill "$1" "$daemon"
	wait "$daemon" 2>/dev/null
}
counts() { says "^$1: way $2 steps $3 not_held 0 refused $4 unavailable $5 suppressed 0 error $6\$" "$7"; }
# The program waits where its words say `wait`: go lets it go on, ended waits for its end with that status.
begin() {
	rm -f "$T/in" "$T/said"
	mkfifo "$T/in"
	"$T/${PROG:-prog}" "$@" <"$T/in" >"$T/said" 2>&1 &
	prog=$!
	pids="$pids $prog"
	exec 3>"$T/in"
}
go() { echo go >&3; }
ended() {
	exec 3>&-
	wait "$prog"
	[ $? = "$1" ]
}
counted() { says "^$1: way $2 steps $3 not_held 0 refused $4 unavailable $5 suppressed 0 error $6\$" "$7" "$T/said"; }
said() { grep -q "^$1:" "$T/said"; }

# ---- under a lease ----
fresh
it "perseusd starts" daemon
exits 0 "a program with steps" "$T/prog" slow fast slow thread
counts start 1 2 0 0 0 "both steps at the start are made by perseusd, and held"
counts fast 1 4 0 0 0 "the triggers step, too"
counts thread 1 205 0 0 0 "two threads at once"
it "at the end everything is as it was" soon as_found
says "plan=$(sha256sum <"$T/plan.yaml" | cut -c1-64)" "perseusd has the plan's hash in its record" "$T/daemon.log"
exits 0 "a static program" "$T/prog-static" slow
counts slow 1 3 0 0 0 "it is the same for it"

begin slow wait fast wait
it "it runs" soon said slow
it "domain 1 is the second policy, and at its step" [ "$(range 1)" = 1200000-1200000 ]
it "domain 0 at its own" [ "$(range 0)" = 1600000-1600000 ]
it "the third policy is left alone" [ "$(range 3)" = 1000000-2400000 ]
exits 0 "a second program meanwhile" "$T/prog" slow
counts slow 1 0 3 0 16 "each of its steps is refused as busy"
go
it "the first steps on" soon said fast
it "... to another frequency" [ "$(range 1)" = 2400000-2400000 ]
kill -KILL $prog
exec 3>&-
wait $prog 2>/dev/null
it "killed, all is put back" soon as_found
begin fork slow wait
it "a child of a leaseholder" soon said slow
counted slow 0 2 0 1 0 "its steps are counted as unavailable"
it "what its parent holds is not touched" [ "$(range 1)" = 1600000-1600000 ]
go
it "both end" ended 0
it "... and then all is put back" soon as_found

# ---- perseusd goes away in the middle ----
begin slow wait fast slow
it "a program under a lease" soon said slow
end_daemon -TERM
it "perseusd ends and puts back" as_found
go
it "the program goes on to its end" ended 0
counted fast 4 3 1 0 32 "the step that meets that is refused by the broken connection"
counted slow 4 3 2 0 107 "the next without asking: there is no connection"
it "no other way is taken" as_found

daemon
begin slow wait fast slow
it "a program under a lease" soon said slow
kill -STOP "$daemon"
go
it "with a daemon that hangs it goes on to its end" ended 0
counted fast 4 3 1 0 110 "the step that waits for it in vain is refused by the time that is over"
counted slow 4 3 2 0 107 "the next waits no more"
exits 0 "one that starts with a daemon that hangs" "$T/prog" slow fast
counts start 4 0 2 0 107 "has no steps, which is counted"
kill -CONT "$daemon"
it "goes the daemon on, all is put back" soon as_found
end_daemon -TERM

# ---- perseusd refuses ----
daemon "frequency-users none"
exits 0 "a program that is not allowed to" "$T/prog" slow
counts slow 1 0 3 0 13 "each step is refused as such, and no other way is taken"
it "nothing was touched" as_found
end_daemon -TERM
daemon "frequency off"
exits 0 "with a daemon that has no frequencies to give" "$T/prog" slow
counts slow 1 0 0 3 0 "each step is counted as unavailable, and no other way is taken"
it "nothing was touched" as_found
end_daemon -TERM

# ---- without perseusd ----
exits 0 "a socket that nobody listens at" "$T/prog" slow
counts slow 0 0 0 3 0 "each step is counted as unavailable, and no other way is taken"
it "nothing was touched" as_found

# ---- by cpufreq's files ----
exits 0 "a program for the files" "$T/prog-files" slow
counts start 3 2 0 0 0 "the files of cpufreq are used"
it "at the end they are as they were" as_found
exits 0 "a child of a program that uses the files" "$T/prog-files" slow fork fast
counts fast 0 3 0 1 0 "it makes no steps"
rm -rf "$machine"
for p in prog prog-files; do
	exits 0 "without cpufreq, $p" "$T/$p" slow
	counts slow 0 0 0 3 0 "each step is counted as unavailable, $p"
done
finish
