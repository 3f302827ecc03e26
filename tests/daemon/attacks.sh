#!/bin/sh
# SPDX-License-Identifier: MIT
# What a review by attack found, each with the way in which it was shown.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
d=$O/sbin/perseusd
p1=$M/sys/devices/system/cpu/cpufreq/policy1
some=1600000-1700000
say_khz() { is_khz "$1" "$2" && ok "$3" || not_ok "$3" "policy $1 says $(khz "$1"); $(tail -n 3 "$T/log")"; }
# become CPU RANGE TEXT: sooner or later
become() { eventually is_khz "$1" "$2" && ok "$3" || not_ok "$3" "policy $1 says $(khz "$1"); $(tail -n 3 "$T/log")"; }

# ---- started without standard output ------------------------------------------
"$d" --sysroot "$M" 0<&- 1>&- 2>&- &
D=$!
reached() { ask "query 0" | grep -q '^query OK'; }
eventually reached
answers '^lease OK' "started with descriptors 0 to 2 closed, it serves" "lease 0-7 $some frequency" release
wrong=
for cpu in 0 1 2 3 4 5 6 7; do is_free $cpu || wrong="$wrong $cpu"; done
[ -z "$wrong" ] && ok "... and no line of the audit gets into a file that it opened" || not_ok "... and no line of the audit gets into a file that it opened" "$wrong"
stop

# ---- a policy that cannot be put back when it should be -------------------------
it "the daemon starts" start
hold "lease 1-2 $some frequency"
mv "$p1/scaling_min_freq" "$T/min"
cp "$T/min" "$T/full"
# The file that the daemon has open is empty: reading it fails, as that of a cpu that is offline does.
: >"$T/min"
let_go
eventually grep -q 'change=pending policy=1' "$T/log" && ok "a policy that cannot be read at the end of its lease stays noted, and is said to" ||
	not_ok "a policy that cannot be read at the end of its lease stays noted, and is said to" "$(tail -n 3 "$T/log")"
become 2 $low-$high "... the other one is put back"
cat "$T/full" >"$T/min"
mv "$T/min" "$p1/scaling_min_freq"
become 1 $low-$high "... when it can be read again it is put back, too"
[ "$(grep -c 'change=pending' "$T/log")" = 1 ] && ok "... and was spoken of once" || not_ok "... and was spoken of once" "$(grep pending "$T/log")"
hold "lease 1 $some frequency"
mv "$p1/scaling_min_freq" "$T/min"
: >"$T/min"
let_go
second_time() { [ "$(grep -c 'pending policy=1 min=1587000 max=1853000' "$T/log")" = 2 ]; }
eventually second_time
answers '^lease REFUSED' "a lease of such a policy is refused" "lease 1 $some frequency"
cat "$T/full" >"$T/min"
mv "$T/min" "$p1/scaling_min_freq"
become 1 $low-$high "... and what is put back is what was there before the first"

# ---- both killed, and one policy's file is unusable -----------------------------
hold "lease 1-3 $some frequency"
kill -STOP "$G" "$D"
kill -9 "$G" "$D"
wait "$D" 2>/dev/null
let_go
cp "$p1/scaling_min_freq" "$T/min"
: >"$p1/scaling_min_freq"
exits 3 "--restore, and one policy's file is unusable" "$d" --sysroot "$M" --restore
says '1 policies could not be put back' "... says so" "$T/err"
say_khz 2 $low-$high "... puts the others back"
say_khz 3 $low-$high "... all of them"
cat "$T/min" >"$p1/scaling_min_freq"
echo 'maxclients 12' >"$M/etc/perseus/perseusd.conf"
exits 0 "--restore, later, with a configuration that is wrong" "$d" --sysroot "$M" --restore
say_khz 1 $low-$high "... puts that one back, too"
says 'no such key' "... and says what is wrong" "$T/err"
exits 4 "(serving needs one that is right)" "$d" --sysroot "$M"
rm "$M/etc/perseus/perseusd.conf"
: >"$p1/scaling_min_freq"
it "a daemon starts where one policy's file is unusable" start
answers '^lease NO_FREQUENCY' "... it is not offered" "lease 1 0-0 frequency" "lease 2 0-0 frequency"
says '^lease OK' "... the others are" "$T/answer"
stop
cat "$T/min" >"$p1/scaling_min_freq"
put_khz 1 $low $high

# ---- notes that somebody has written into ---------------------------------------
it "the daemon starts" start
hold "lease 1 $some frequency"
kill -STOP "$G" "$D"
kill -9 "$G" "$D"
wait "$D" 2>/dev/null
let_go
python3 - "$M/run/perseus/state" <<'EOP'
import struct, sys
with open(sys.argv[1], "r+b") as f:
    # Behind the head is an entry of 48 bytes for each cpu: held, pending, then both bounds, saved first.
    f.seek(56 + 48 + 8)
    assert struct.unpack("I", f.read(4))[0] == 1587000
    for at in (0, 20):
        f.seek(56 + 48 + 8 + at)
        f.write(struct.pack("I", 4200000000))
EOP
exits 3 "--restore with impossible notes: something stays changed" "$d" --sysroot "$M" --restore
says 'change=left policy=1 min=4200000000 .*reason=impossible' "... are not written, and said so" "$T/err"
say_khz 1 $some "... the policy is as it was"
put_khz 1 $low $high

# ---- surroundings ---------------------------------------------------------------
(ulimit -Sn 20 && exec "$d" --sysroot "$M" --check) >"$T/out" 2>&1
[ "$(grep -c '^  policy' "$T/out")" = 8 ] && ok "a low limit of descriptors hides no policy" || not_ok "a low limit of descriptors hides no policy" "$(cat "$T/out")"
rm -rf "$M/run/perseus"
umask 077
it "the daemon starts under umask 077" start
umask 022
[ "$(stat -c %a "$M/run/perseus")" = 755 ] && [ "$(stat -c %a "$S")" = 660 ] && ok "... the group reaches its socket" ||
	not_ok "... the group reaches its socket" "$(stat -c '%a %n' "$M/run/perseus" "$S")"
mkdir -p "$T/m2/run"
cp -r "$M/sys" "$T/m2/sys"
cp -r "$M/etc" "$T/m2/etc"
exits 3 "a second daemon on the socket of one that lives" timeout 20 "$d" --sysroot "$T/m2" --socket "$S"
answers '^lease OK' "... the first one goes on" "lease 1 0-0 frequency"
mkdir "$T/open"
chmod 777 "$T/open"
exits 3 "a socket in a directory that all can write" timeout 20 "$d" --sysroot "$T/m2" --socket "$T/open/s"
says 'not trusted' "... is refused for that" "$T/err"

# ---- the guard is stopped -------------------------------------------------------
kill -STOP "$G"
kill -TERM "$D"
eventually sh -c "grep -q 'change=stopping' '$T/log'"
answers '^hello (gone|STOPPING)' "the guard is stopped, the daemon ends: clients do not wait" "query 0"
wait "$D"
[ $? = 0 ] && ok "... and it does end" || not_ok "... and it does end"
D=
exits 3 "the next one says who is in its way" "$d" --sysroot "$M"
says "its guard $G\\)" "... by its number" "$T/err"
kill -CONT "$G"
eventually gone "$G" && ok "... which ends when it may" || not_ok "... which ends when it may"

# ---- what others write meanwhile ------------------------------------------------
it "the daemon starts" start
mkfifo "$T/go"
"$T/ask" "$S" "lease 1 $some frequency" hold "set 1 1650000-1690000" <"$T/go" >"$T/held" 2>&1 &
holders="$holders $!"
exec 9>"$T/go"
eventually grep -q '^lease' "$T/held"
put_khz 1 1600000 1640000
let_go
eventually grep -q 'change=noted policy=1 bound=max found=1640000' "$T/log" && ok "a bound that somebody changed before a SET is noted" ||
	not_ok "a bound that somebody changed before a SET is noted" "$(tail -n 4 "$T/log")"
become 1 $low-1640000 "... and is what comes back"
put_khz 1 $low $high
stop
cat >"$T/steps.c" <<'EOP'
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
/* A driver with steps of 100 MHz: upper bounds go up to the next. */
ssize_t pwrite(int fd, const void *text, size_t n, off_t at)
{
	long khz = atol(text);
	char step[32];
	int length = snprintf(step, sizeof(step), "%ld\n", khz % 1000 || khz == 1587000 || khz == 1853000 ? khz : (khz + 99999) / 100000 * 100000);

	return syscall(SYS_pwrite64, fd, step, length, at) == length ? (ssize_t)n : -1;
}
EOP
it "a driver with steps builds" gcc -shared -fPIC -D_GNU_SOURCE -o "$T/steps.so" "$T/steps.c"
LD_PRELOAD="$([ -z "$SAN" ] || gcc -print-file-name=libasan.so) $T/steps.so"
export LD_PRELOAD
it "the daemon starts on it" start
unset LD_PRELOAD
hold "lease 1 1600000-1620000 frequency"
says '^lease NOT_HELD' "a range between its steps is not held" "$T/held"
let_go
become 1 $low-$high "... what the driver made of it is put back all the same"
hold "lease 1 1600000-1620000 frequency"
put_khz 1 1590000 1800000
let_go
eventually grep -q 'change=left policy=1 bound=max found=1800000' "$T/log" && ok "... and what somebody else writes then is left alone" ||
	not_ok "... and what somebody else writes then is left alone" "$(khz 1) $(tail -n 4 "$T/log")"
stop
put_khz 1 $low $high

# ---- a terminal that nobody reads -----------------------------------------------
echo 'max-rate 100000000' >"$M/etc/perseus/perseusd.conf"
python3 - "$d" "$M" <<'EOP' &
import os, pty, sys, time
master, slave = pty.openpty()
if os.fork() == 0:
    os.close(master)
    os.dup2(slave, 2)
    os.execv(sys.argv[1], ["perseusd", "--sysroot", sys.argv[2]])
os.wait()
EOP
holders="$holders $!"
eventually reached
answers '^each ok=300 of=300' "a terminal that nobody reads holds nothing up" "lease 0-7 $some frequency" release "each 300"
kill -TERM "$(od -An -tu4 -j8 -N4 "$M/run/perseus/state" | tr -d ' ')"
eventually sh -c "! '$T/ask' '$S' 'query 0' | grep -q '^query OK'" && ok "... and it ends as it is told" || not_ok "... and it ends as it is told"
finish
