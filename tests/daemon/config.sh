#!/bin/sh
# SPDX-License-Identifier: MIT
# What perseusd trusts, what it refuses to start with, and what it makes of
# what an earlier one left.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
d=$O/sbin/perseusd
conf=$M/etc/perseus/perseusd.conf
check() { want=$1 c_text=$2; shift 2; exits "$want" "$c_text" "$d" --sysroot "$M" --check "$@"; }

# ---- usage ------------------------------------------------------------------
exits 0 "--help" "$d" --help
says '^usage: perseusd ' "... on stdout" "$T/out"
exits 0 "--version" "$d" --version
exits 2 "an unknown option" "$d" --sysroot "$M" --frob
exits 2 "a word too many" "$d" --sysroot "$M" word
exits 2 "two that exclude each other" "$d" --sysroot "$M" --check --restore
check 0 "--check on a machine without configuration"
says 'frequency  cpufreq' "... says how frequencies are set" "$T/out"
says 'cores      none: no cgroup' "... and why cores cannot be reserved" "$T/out"
[ ! -e "$M/run/perseus" ] && ok "... and makes nothing" || not_ok "... and makes nothing"

# ---- trust ------------------------------------------------------------------
configure 'max-clients 5'
check 0 "a configuration of its own"
chmod g+w "$conf"
check 3 "one that the group can write is not trusted"
says 'not trusted: others than its owner can write it.*|chmod go-w' "... and what to do" "$T/err"
chmod g-w,o+w "$conf"
check 3 "nor one that all can write"
chmod o-w "$conf"
mv "$conf" "$conf.real"
ln -s perseusd.conf.real "$conf"
check 3 "nor a symbolic link"
says 'symbolic link' "... and says that" "$T/err"
rm "$conf"
mkdir "$conf"
check 3 "nor a directory"
rmdir "$conf"
mkfifo "$conf"
check 3 "nor a fifo, without waiting for it"
rm "$conf"
check 3 "one that is named and does not exist" --config "$M/none"
mv "$conf.real" "$conf"
check 0 "(the file itself is fine)"
if [ "$(id -u)" = 0 ]; then
	chown 7702 "$conf"
	check 3 "nor another user's"
	says 'belongs to user 7702' "... and says whose" "$T/err"
	rm "$conf"
	mkdir -p "$T/theirs/ours" "$T/over"
	echo 'max-clients 5' >"$T/theirs/ours/c"
	check 0 "one below directories of ours" --config "$T/theirs/ours/c"
	ln -s "$T/theirs/ours" "$T/over/link"
	check 0 "... and by a link of ours" --config "$T/over/link/c"
	chown -h 7702 "$T/over/link"
	check 3 "nor one by a link of another user's" --config "$T/over/link/c"
	says "link '.*over/link' is not trusted: it belongs to user 7702" "... and says whose" "$T/err"
	chown 7702 "$T/theirs"
	check 3 "nor one with a directory of another user's on the way" --config "$T/theirs/ours/c"
	says "directory '.*theirs' is not trusted: it belongs to user 7702" "... and says whose" "$T/err"
	exits 3 "nor a socket there" timeout 10 "$d" --sysroot "$M" --socket "$T/theirs/ours/s"
	chown 0 "$T/theirs"
	chmod 775 "$T/theirs"
	check 3 "nor one with a directory that a group can write" --config "$T/theirs/ours/c"
	chmod 755 "$T/theirs"
else
	skip "nor another user's" "only root can give files away"
	skip "nor one with a directory of another user's on the way" "only root can give directories away"
fi

# ---- values -----------------------------------------------------------------
bad_line() { configure 'max-clients 5' "$1"; check 4 "refused: $1"; says 'perseusd.conf line 2: ' "... and which line" "$T/err"; }
for line in 'max-clients 0' 'max-clients 99999' 'max-clients many' 'khz 5' 'khz 9-5' 'khz 800000' 'cpus 3-1' 'cpus x' 'cpus' \
	'max-ttl 5' 'max-ttl 99999h' 'frequency-users bob' 'reserve maybe' 'frob 1' 'reservations 17' 'user root' 'max-rate -1'; do bad_line "$line"; done
configure "group nobodys"
check 3 "a group that does not exist"
says 'groupadd' "... and how to make it" "$T/err"
printf 'max-clients %01100d\n' 5 >"$conf"
check 4 "a line without end"
configure '# comment' '' 'max-clients 5   # another' 'khz 1600000-1700000' 'cpus 0-3' 'max-ttl 10min' 'frequency-users 0 alice' 'user perseus' 'group perseus'
check 0 "all that is right"
says 'policy 0   cpus 0, 1600000 to 1700000 kHz' "... its limits narrow the hardware's" "$T/out"
says '^leasable +0-3$' "... its cpus are those that can be leased" "$T/out"
configure 'khz 1-5'
it "limits that leave no frequency" start
answers '^lease NO_FREQUENCY' "... no policy is offered" "lease 0 0-0 frequency"
stop
configure 'frequency off'
it "frequencies turned off" start
answers '^lease NO_FREQUENCY' "... are not offered" "lease 0 0-0 frequency"
stop
rm "$conf"

# ---- state ------------------------------------------------------------------
it "the daemon starts" start
: >"$T/second"
"$d" --sysroot "$M" 2>"$T/second"
[ $? = 3 ] && ok "a second one ends with 3" || not_ok "a second one ends with 3"
says 'another perseusd runs' "... and says why" "$T/second"
hold "lease 1 1600000-1700000 frequency"
kill -STOP "$G" "$D"
kill -9 "$G" "$D"
wait "$D" 2>/dev/null
let_go
is_khz 1 1600000-1700000 && ok "both killed: the range stays" || not_ok "both killed: the range stays" "$(khz 1)"
cp "$M/run/perseus/state" "$T/state"
put_khz 1 1600000 1650000
exits 0 "--restore" "$d" --sysroot "$M" --restore
is_khz 1 $low-1650000 && ok "... puts back what nobody changed, and leaves what somebody did" || not_ok "... puts back what nobody changed" "$(khz 1)"
put_khz 1 1600000 1700000
exits 0 "--restore, once more" "$d" --sysroot "$M" --restore
is_khz 1 1600000-1700000 && ok "... finds nothing to do" || not_ok "... finds nothing to do" "$(khz 1)"

# What others wrote does not rule the terminal.
printf 'group \033[31mx\302\233\n' >"$T/hostile.conf"
"$d" --sysroot "$M" --config "$T/hostile.conf" --check >"$T/out" 2>&1
"$d" --sysroot "$M" --config "$(printf '%s/\033]52;no' "$T")" --check >>"$T/out" 2>&1
"$d" --sysroot "$M" --socket "$(printf '\033[32m.%0200d' 1)" >>"$T/out" 2>&1
"$d" --sysroot "$M" --socket "$(printf '%s/\033[32ms' "$T")" --check >>"$T/out" 2>&1
"$d" "$(printf '\033[33mword')" >>"$T/out" 2>&1
"$d" "$(printf -- '--\033[33mword')" >>"$T/out" 2>&1
[ "$(wc -l <"$T/out")" -ge 6 ] && ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177-\377]')" "$T/out" &&
	ok "control characters of a configuration, a path or a word are not printed" ||
	not_ok "control characters of a configuration, a path or a word are not printed" "$(cat -v "$T/out")"

# The same notes, of an earlier boot; shorter; of another machine; not to be trusted.
mkdir -p "$M/proc/sys/kernel/random"
echo 11111111-2222-3333-4444-555555555555 >"$M/proc/sys/kernel/random/boot_id"
cp "$T/state" "$M/run/perseus/state"
exits 0 "notes of an earlier boot" "$d" --sysroot "$M" --restore
is_khz 1 1600000-1700000 && ok "... are not acted upon" || not_ok "... are not acted upon" "$(khz 1)"
rm "$M/proc/sys/kernel/random/boot_id"
for size in 0 10 1000 100000; do
	head -c "$size" /dev/urandom >"$M/run/perseus/state"
	status=3
	[ "$size" = 0 ] && status=0
	exits $status "notes of $size random bytes" "$d" --sysroot "$M" --restore
	[ "$size" = 0 ] || says 'change=left notes=damaged' "... of which it is said that they are damaged" "$T/err"
	is_khz 1 1600000-1700000 && ok "... are not acted upon" || not_ok "... are not acted upon" "$(khz 1)"
done
cp "$T/state" "$M/run/perseus/state"
mv "$M/sys/devices/system/cpu/cpufreq/policy1" "$T/policy1"
exits 0 "notes about a policy that is not there" "$d" --sysroot "$M" --restore
says 'change=left policy=1 reason=no-such-policy' "... are dropped, and said so" "$T/err"
mv "$T/policy1" "$M/sys/devices/system/cpu/cpufreq/policy1"
cp "$T/state" "$M/run/perseus/state"
chmod 666 "$M/run/perseus/state"
exits 3 "notes that others can write are not trusted" "$d" --sysroot "$M" --restore
is_khz 1 1600000-1700000 && ok "... and not acted upon" || not_ok "... and not acted upon" "$(khz 1)"
rm "$M/run/perseus/state"
ln -s "$T/state" "$M/run/perseus/state"
exits 3 "nor a symbolic link" "$d" --sysroot "$M" --restore
rm "$M/run/perseus/state"
ln "$T/state" "$M/run/perseus/state"
exits 3 "nor a file of two names" "$d" --sysroot "$M" --restore
rm "$M/run/perseus/state"
chmod 777 "$M/run/perseus"
exits 3 "nor a directory that all can write" "$d" --sysroot "$M" --restore
chmod 755 "$M/run/perseus"

# ---- socket -----------------------------------------------------------------
put_khz 1 $low $high
it "the daemon starts where a socket of an earlier one lies" start
[ "$(stat -c '%a %G' "$S" 2>/dev/null | cut -d' ' -f1)" = 660 ] && ok "its socket is for owner and group" || not_ok "its socket is for owner and group" "$(stat -c '%a' "$S")"
stop
rm -f "$S"
: >"$S"
exits 3 "a file that is no socket is not removed" timeout 10 "$d" --sysroot "$M"
[ -f "$S" ] && ok "... it is there" || not_ok "... it is there"
exits 2 "a name too long for a socket" "$d" --sysroot "$M" --socket "$(printf '%0200d' 1)"
rm -f "$S"

# The service manager's socket: python hands it over as descriptor 3.
: >"$T/log"
python3 - "$d" "$M" "$S" >"$T/log" 2>&1 <<'EOP' &
import os, socket, sys
kind = socket.SOCK_SEQPACKET
s = socket.socket(socket.AF_UNIX, kind)
s.bind(sys.argv[3])
s.listen(16)
os.dup2(s.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.argv[1], ["perseusd", "--sysroot", sys.argv[2]])
EOP
D=$!
eventually is_ready
answers '^lease OK' "a socket that the service manager hands over" "lease 1 1600000-1700000 frequency"
stop
LISTEN_FDS=1 sh -c 'LISTEN_PID=$$; export LISTEN_PID; exec "$0" --sysroot "$1" 3</dev/null' "$d" "$M" >"$T/out" 2>"$T/err"
[ $? = 3 ] && ok "... something else is refused" || not_ok "... something else is refused" "$(cat "$T/err")"
mkdir "$T/empty"
exits 3 "no machine there" "$d" --sysroot "$T/empty" --check
says "there is no machine below '.*/empty': no cpu in sys/devices/system/cpu" "... is said" "$T/err"
rmdir "$T/empty"; mkdir -p "$T/bare/sys/devices/system/cpu" && echo 0-1 >"$T/bare/sys/devices/system/cpu/present"
exits 3 "no /run there" "$d" --sysroot "$T/bare"
says "make the directory that it lies in, with mkdir" "... what to do is said" "$T/err"
finish
