#!/bin/sh
# SPDX-License-Identifier: MIT
# The rights that daemon and guard have while they serve, as the kernel tells
# them, and that the filter of system calls is no ornament.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
it "the daemon starts" start
[ -n "$SAN" ] && filtered=0 || filtered=2

# has PID FIELD VALUE TEXT
has() {
	value=$(awk -v f="$2:" '$1 == f { $1 = ""; print substr($0, 2) }' "/proc/$1/status")
	[ "$value" = "$3" ] && ok "$4" || not_ok "$4" "$2 is '$value', not '$3'"
}
none=0000000000000000
for who in daemon guard; do
	[ $who = daemon ] && pid=$D || pid=$G
	has "$pid" NoNewPrivs 1 "$who: no new privileges"
	has "$pid" Seccomp $filtered "$who: system calls are filtered"
	has "$pid" CapEff $none "$who: no capability"
	has "$pid" CapPrm $none "$who: ... none that it could turn on"
	if [ "$(id -u)" = 0 ]; then
		has "$pid" Uid "7701 7701 7701 7701" "$who: is another user"
		has "$pid" Gid "7701 7701 7701 7701" "$who: ... and group"
		has "$pid" Groups "" "$who: ... and in no other group"
		has "$pid" CapBnd $none "$who: ... what it executed could not get any back"
	else
		skip "$who: is another user" "only root can become one"
	fi
	grep -Eq '^Max core file size +0 +0 ' "/proc/$pid/limits" && grep -Eq '^Max processes +0 +0 ' "/proc/$pid/limits" &&
		ok "$who: no core dump, no process" || not_ok "$who: no core dump, no process" "$(cat "/proc/$pid/limits")"
done
awk '$1 == "CapEff:" { exit $2 != "'$none'" }' /proc/self/status && [ "$(id -u)" = 0 ] && not_ok "(root has capabilities, so the figures mean something)" ||
	ok "(root has capabilities, so the figures mean something)"
[ "$(awk '/^Seccomp:/ { print $2 }' /proc/$$/status)" != "2" ] || [ -n "$SAN" ] && ok "(this shell has no filter)" || skip "(this shell has no filter)" "it has one itself"
answers '^lease OK' "it serves like that" "lease 1 1600000-1700000 frequency" "set 1 1650000-1650000" "release"
stop

# A call that it never makes, made by a library that is loaded into it: the filter ends it, and the guard restores.
cat >"$T/curious.c" <<'EOP'
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
/* The third SET to 1650000 brings the call that WHAT names. */
ssize_t pwrite(int fd, const void *text, size_t n, off_t at)
{
	static int seen;
	if (n == 8 && !memcmp(text, "1650000", 7) && ++seen == 3)
		syscall(WHAT);
	return syscall(SYS_pwrite64, fd, text, n, at);
}
EOP
curious() {
	gcc -shared -fPIC -D_GNU_SOURCE -DWHAT="$1" -o "$T/curious.so" "$T/curious.c" || return 1
	LD_PRELOAD=$T/curious.so
	export LD_PRELOAD
	start
	unset LD_PRELOAD
	ask "lease 1 1600000-1700000 frequency" "set 1 1650000-1690000" "set 1 1650000-1680000" "set 1 1650000-1670000" >"$T/answer"
	eventually gone "$G"
}
it_is_ended_by() {
	if [ -n "$SAN" ]; then
		skip "it is ended by: $1" "the sanitizer makes calls of its own"
		skip "... and the guard restores" "the same"
		return
	fi
	curious "$1"
	wait "$D"
	[ $? = 159 ] && ok "it is ended by: $1" || not_ok "it is ended by: $1" "$(cat "$T/answer")"
	is_free 1 && ok "... and the guard restores" || not_ok "... and the guard restores" "$(khz 1)"
}
for call in 'SYS_openat, -100, "/etc/passwd", 0' 'SYS_openat, -100, "cgroup.procs", O_CLOEXEC' 'SYS_execve, "/bin/true", 0, 0' 'SYS_socket, 2, 1, 0' \
	'SYS_ioctl, 0, 0x5401, 0' 'SYS_setuid, 0' 'SYS_ptrace, 16, 1, 0, 0' 'SYS_mprotect, 0, 4096, 7'; do
	it_is_ended_by "$call"
done
D=
[ -z "$SAN" ] || finish
# The twin: a call that is listed.
gcc -shared -fPIC -D_GNU_SOURCE -DWHAT='SYS_read, -1, 0, 0' -o "$T/curious.so" "$T/curious.c"
LD_PRELOAD=$T/curious.so
export LD_PRELOAD
start
unset LD_PRELOAD
answers '^set OK.*' "a call that is listed does not end it" "lease 1 1600000-1700000 frequency" "set 1 1650000-1690000" "set 1 1650000-1680000" "set 1 1650000-1670000"
[ "$(grep -c '^set OK' "$T/answer")" = 3 ] && ok "... all is answered" || not_ok "... all is answered" "$(cat "$T/answer")"
stop
finish
