#!/bin/sh
# SPDX-License-Identifier: MIT
# Each status of the protocol is provoked by a message, and each has a message
# nearby that does not provoke it.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
# Cpus 5 and 6 share a policy.
echo 5 6 >"$M/sys/devices/system/cpu/cpufreq/policy5/related_cpus"
rm -r "$M/sys/devices/system/cpu/cpufreq/policy6"
configure 'max-leases 2' 'max-ttl 60s' 'cpus 0-6' 'max-clients-per-user 3' 'khz 1600000-1853000'
it "the daemon starts" start

seen=" "
# status NAME TEXT COMMAND...
status() {
	seen="$seen$1 "
	name=$1 s_text=$2
	shift 2
	answers "^[a-z]+ $name " "$name: $s_text" "$@"
}
lease='frequency ttl=5000'
status OK "a lease that can be had" "lease 0 0-0 $lease"
silent '^lease [A-Z_]*(BAD|NO|BUSY)' "... has no other status" "$T/answer"
for what in short long empty descriptor; do status BAD_SIZE "$what" "bad $what"; done
status BAD_MAGIC "another first word" "bad magic"
status BAD_VERSION "a later version" "bad version"
status BAD_OP "an operation of another number" "bad op"
for what in reserved flag field; do status BAD_FIELD "$what" "bad $what"; done
status BAD_FIELD "a lease of nothing" "lease 0 0-0 ttl=5000"
status BAD_FIELD "balanced, with nothing reserved" "lease 0 0-0 balanced $lease"
status BAD_SESSION "another number" "bad session"
status BAD_SESSION "a second HELLO" "bad again"
status BAD_SESSION "a request before HELLO" raw "query 0"
status NOT_PEER "sent by a forked child" "lease 0 0-0 $lease" "childset 0 1700000-1700000"
says "^lease OK" "... its parent may" "$T/answer"
status BAD_CPUS "none" "lease none 0-0 $lease"
status BAD_CPUS "one that does not exist" "lease 8 0-0 $lease"
status BAD_CPUS "SET of another cpu than those of the lease" "lease 0 0-0 $lease" "set 1 0-0"
status BAD_CPUS "QUERY of one that does not exist" "query 8"
status PART_OF_POLICY "one cpu of two" "lease 5 0-0 $lease"
says "cpu=6 " "... the other is named" "$T/answer"
answers "^lease OK .* cpus=5-6" "OK: both of them" "lease 5-6 0-0 $lease"
status BAD_RANGE "upside down" "lease 0 1800000-1700000 $lease"
status BAD_RANGE "below all limits" "lease 0 1-1590000 $lease"
status BAD_RANGE "SET outside the lease" "lease 0 1700000-1800000 $lease" "set 0 1600000-1600000"
answers "^lease OK .* khz=1600000-1700000" "OK: a range that reaches beyond the limits is narrowed" "lease 0 1-1700000 $lease"
status BAD_TTL "longer than is admitted" "lease 0 0-0 frequency ttl=60001"
status BAD_TTL "for ever" "lease 0 0-0 frequency"
status BAD_TTL "RENEW" "lease 0 0-0 $lease" "renew 60001"
status NOT_ALLOWED "a cpu that the configuration keeps back" "lease 7 0-0 $lease"
hold "lease 3 1700000-1700000 $lease plan=c4"
status BUSY "another has it" "lease 2-3 0-0 $lease"
says "holder=$H uid=$(id -u) .*plan=c4" "... who, and by which plan" "$T/answer"
says "cpu=3 " "... and which cpu" "$T/answer"
is_khz 2 $low-$high && ok "... and nothing of what was free is taken" || not_ok "... and nothing of what was free is taken" "$(khz 2)"
answers "^lease OK" "OK: the one beside it" "lease 2 0-0 $lease"
let_go
status NO_LEASE "SET without one" "set 0 0-0"
status NO_LEASE "RELEASE, twice" "lease 0 0-0 $lease" "release" "release"
status NO_LEASE "that of another connection" "lease 0 0-0 $lease" close connect "set 0 1700000-1700000"
status LIMIT "more leases than one connection may have" "lease 0 0-0 $lease" "lease 1 0-0 $lease" "lease 2 0-0 $lease"
says "^lease OK .* cpus=1" "... the ones before it stand" "$T/answer"
mkfifo "$T/in1" "$T/in2" "$T/in3"
for i in 1 2 3; do
	"$T/ask" "$S" "query 0" hold <"$T/in$i" >"$T/conn$i" &
	holders="$holders $!"
done
exec 4>"$T/in1" 5>"$T/in2" 6>"$T/in3"
for i in 1 2 3; do eventually grep -q query "$T/conn$i"; done
status LIMIT "a fourth connection of one user" "query 0"
exec 4>&- 5>&- 6>&-
ask_now() { ask "query 0" | grep -q '^query OK'; }
eventually ask_now && ok "... when one has gone there is room" || not_ok "... when one has gone there is room"
# A machine that is busy sends them no faster than they are allowed: then more of them.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	ask "flood 6000" >"$T/answer"
	grep -q '^flood OK=6000 gone=0$' "$T/answer" || break
done
seen="$seen RATE "
if grep -q '^flood OK=6000 gone=0$' "$T/answer"; then
	skip "RATE: 6000 requests without a pause, the first are answered" "machine busy: ten times they were not sent fast enough"
else
	says '^flood OK=[0-9]+ RATE=[0-9]+ gone=0$' "RATE: 6000 requests without a pause, the first are answered" "$T/answer"
fi
status NO_RESERVE "there are no cgroups" "lease 0 0-0 reserve ttl=5000"
status NO_ENERGY "nobody is told joules, unless the configuration says so" "energy"

# What cannot be written, and what does not stay: a sealed file, and a kernel that writes another number.
python3 - "$M/sys/devices/system/cpu/cpufreq/policy4/scaling_max_freq" >"$T/sealed" <<'EOP' &
import fcntl, os, sys, time
fd = os.memfd_create("policy", os.MFD_ALLOW_SEALING)
os.write(fd, b"1853000\n")
os.unlink(sys.argv[1])
os.symlink("/proc/%d/fd/%d" % (os.getpid(), fd), sys.argv[1])
print("there", flush=True)
while not os.path.exists(sys.argv[1] + ".seal"):
    time.sleep(0.02)
fcntl.fcntl(fd, 1033, 0x8)
print("sealed", flush=True)
time.sleep(600)
EOP
holders="$holders $!"
eventually grep -q there "$T/sealed"
cat >"$T/stubborn.c" <<'EOP'
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t pwrite(int fd, const void *text, size_t n, off_t at)
{
	return syscall(SYS_pwrite64, fd, n == 8 && !memcmp(text, "1650000", 7) ? "1610000\n" : text, n, at);
}
EOP
it "a kernel that has a will of its own builds" gcc -shared -fPIC -D_GNU_SOURCE -o "$T/stubborn.so" "$T/stubborn.c"
stop
# A sanitizer wants to be the first that is loaded.
LD_PRELOAD="$([ -z "$SAN" ] || gcc -print-file-name=libasan.so) $T/stubborn.so"
export LD_PRELOAD
it "the daemon starts again" start
unset LD_PRELOAD
answers "^lease OK" "OK: the file can still be written" "lease 4 0-0 $lease"
touch "$M/sys/devices/system/cpu/cpufreq/policy4/scaling_max_freq.seal"
eventually grep -q sealed "$T/sealed"
put_khz 3 $low $high
status REFUSED "the kernel does not take it" "lease 3-4 1700000-1700000 $lease"
says "error=1 " "... with its error number" "$T/answer"
is_free 3 && ok "... and the other policy is as it was" || not_ok "... and the other policy is as it was" "$(khz 3)"
status NOT_HELD "the lower bound is not what was written" "lease 5-6 1650000-1700000 $lease" "set 5 1680000-1690000"
says "^lease NOT_HELD lease=[1-9].* khz=1610000-1700000" "... the lease is granted all the same" "$T/answer"
says "^set OK .* khz=1680000-1690000" "... and can be used" "$T/answer"

# One that comes while the daemon ends: it sleeps until both are there.
kill -STOP "$D"
"$T/ask" "$S" "query 0" >"$T/late" &
late=$!
eventually sh -c "grep -q . /proc/net/unix && grep -c '$S' /proc/net/unix | grep -qv '^1$'"
kill -TERM "$D"
kill -CONT "$D"
wait $late
seen="$seen STOPPING "
says '^hello (STOPPING|gone)' "STOPPING: whoever comes when it ends is told" "$T/late"
says '^hello STOPPING' "... by that name" "$T/late"
wait "$D"
[ $? = 0 ] && ok "... and it ends with 0" || not_ok "... and it ends with 0"
D=
for p in "$M"/sys/devices/system/cpu/cpufreq/policy*; do rm -rf "$p"; done
it "the daemon starts where there is no cpufreq" start
status NO_FREQUENCY "a machine without cpufreq" "lease 0 0-0 $lease"
status NO_FREQUENCY "QUERY there" "query 0"
stop

all=$(sed -n 's/^[[:space:]]*X([0-9]*, \([A-Z_]*\),.*/\1/p' include/perseus/ctl.h)
missing=
for name in $all; do
	case $seen in *" $name "*) ;; *) missing="$missing $name" ;; esac
done
[ "$(echo "$all" | wc -l)" -ge 22 ] && [ -z "$missing" ] && ok "no status of ctl.h is left out" ||
	not_ok "no status of ctl.h is left out" "missing:$missing"
finish
