#!/bin/sh
# SPDX-License-Identifier: MIT
# Cores for one process: by cpusets of cgroup v1 for real, in a group of its own
# below the top, and by what is written to the files of a fake cgroup v2.
. tests/lib.sh
. tests/daemon/common.inc
build_ask
new_machine
own=
clean_up() {
	exec 9>&-
	end_ours
	for g in $own/perseusd-* $own/neighbour $own; do
		[ -d "$g" ] || continue
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			for pid in $(cat "$g/cgroup.procs"); do echo "$pid" >"${own%/*}/cgroup.procs"; done 2>/dev/null
			rmdir "$g" 2>/dev/null && break
			sleep 0.1
		done
	done
	rm -rf "$T"
}
[ -d "$T" ] && trap clean_up EXIT
members() { sort -n "$1/cgroup.procs" | tr '\n' ' '; }
cpus_of() { awk '/^Cpus_allowed_list/ { print $2 }' "/proc/$1/status"; }
# is TEXT WANTED FOUND
is() { [ "$2" = "$3" ] && ok "$1" || not_ok "$1" "wanted '$2', found '$3'"; }

# ---- a fake cgroup v2: what is written, in which order it must be ------------
fake_cgroup
# The groups of an earlier daemon are removed; a directory of files cannot be, which is said and does no harm.
it "the daemon starts on a fake cgroup v2" start
silent 'cores=none' "... and reserves by it" "$T/log"
is "cpusets are passed on to groups" "+cpuset" "$(cat "$v2/cgroup.subtree_control")"
hold "lease 2-3 0-0 reserve plan=66"
says '^lease OK .*flags=0x2 .*cpus=2-3' "a reservation" "$T/held"
is "its cpus" 2-3 "$(head -n 1 "$v2/perseusd-0/cpuset.cpus")"
is "its partition is isolated" isolated "$(head -n 1 "$v2/perseusd-0/cpuset.cpus.partition")"
answers "^lease BUSY .*cpu=3 .*holder=$H " "a core has one lease" "lease 3 0-0 reserve"
answers '^lease OK .*flags=0x6 ' "balanced, beside it" "lease 4 0-0 reserve balanced" "query 4 reserve"
says '^query OK lease=[1-9].*flags=0x6 .*cpus=4$' "... QUERY says who has the core" "$T/answer"
mkfifo "$T/second"
"$T/ask" "$S" "lease 4 0-0 reserve balanced" hold <"$T/second" >"$T/answer" &
holders="$holders $!"
exec 8>"$T/second"
eventually grep -q '^lease' "$T/answer"
is "... its partition is a root" root "$(head -n 1 "$v2/perseusd-1/cpuset.cpus.partition")"
exec 8>&-
no_second() { answers '^query OK lease=0 ' "" "query 4 reserve" | grep -q '^ok'; }
eventually no_second
answers '^lease OK' "the same user may lease the frequency of a reserved core" "lease 3 1600000-1700000 frequency"
answers '^lease REFUSED .*error=28 ' "one cpu stays with the others" "lease 0-1,4-7 0-0 reserve"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --reuid 7702 --regid 7701 --clear-groups "$T/ask" "$S" "lease 3 1600000-1700000 frequency" "lease 5 1600000-1700000 frequency" >"$T/answer"
	says '^lease BUSY .*cpu=3 ' "another user may not" "$T/answer"
	says '^lease OK .*cpus=5' "... but that of another core" "$T/answer"
	setpriv --reuid 7702 --regid 7701 --clear-groups "$T/ask" "$S" "lease 6 0-0 reserve" >"$T/answer"
	says '^lease NOT_ALLOWED' "cores are for root only, unless the configuration says otherwise" "$T/answer"
else
	skip "another user may not" "only root can be several users"
	skip "cores are for root only, unless the configuration says otherwise" "the same"
fi
let_go
member() { [ "$(head -n 1 "$v2/perseusd-0/cpuset.cpus.partition" | cut -c1-6)" = member ]; }
eventually member && ok "at the end its partition is a member again" || not_ok "at the end its partition is a member again" "$(cat "$v2/perseusd-0/cpuset.cpus.partition")"
says 'change=leased cpus=2-3 frequency=no min=0 max=0 cores=yes lease=[0-9]+ pid=[0-9]+ uid=[0-9]+ person=[0-9]+ plan=(66){32}$' "the audit says who reserved what" "$T/log"
says 'change=given-back slot=0 cpus=2-3 error=0' "... and that it was given back" "$T/log"
answers '^lease LIMIT' "five at once, of four groups" "lease 0 0-0 reserve" "lease 1 0-0 reserve" "lease 2 0-0 reserve" "lease 3 0-0 reserve" "lease 4 0-0 reserve"
# One slot stays free for root.
is "... all but root's last were granted" "$([ "$(id -u)" = 0 ] && echo 4 || echo 3)" "$(grep -c '^lease OK' "$T/answer")"
hold "lease 2-3 0-0 reserve"
kill -9 "$D"
wait "$D" 2>/dev/null
eventually gone "$G"
member && ok "SIGKILL of the daemon: the guard ends the partition" || not_ok "SIGKILL of the daemon: the guard ends the partition" "$(cat "$v2/perseusd-0/cpuset.cpus.partition")"
let_go
# What the kernel calls invalid: the file says more than was written.
ln -sf /dev/null "$v2/perseusd-0/cpuset.cpus.partition"
it "the daemon starts again" start
answers '^lease REFUSED .*error=16 ' "a partition that the kernel calls invalid" "lease 2 0-0 reserve"
says 'given-back slot=0' "... is given back" "$T/log"
configure 'reserve-users 4711' "frequency-users $(id -u)"
stop
it "the daemon starts again" start
answers '^lease NOT_ALLOWED' "reservations for other users only" "lease 2 0-0 reserve" "lease 2 0-0 frequency"
says '^lease OK' "... frequencies for this one" "$T/answer"
stop
rm "$M/etc/perseus/perseusd.conf"

# ---- cgroup v1, for real ----------------------------------------------------
none() {
	skip "it keeps CAP_SYS_NICE, and nothing else" "$1"
	skip "SIGKILL of both: the others have their cpus again" "$1"
	finish
}
top=/sys/fs/cgroup/cpuset
own=$top/perseus-test-$$
[ -e $top/cpuset.cpu_exclusive ] && exec 3<$top || none "no cgroup v1 cpusets here"
# An exclusive cpuset overlaps with none beside it: one test at a time.
flock -w 200 3 || none "another test has been using the cpusets for minutes"
mkdir "$own" 2>/dev/null || { own=; none "no writable cgroup v1 cpusets here"; }
last=$(sed 's/.*[-,]//' $top/cpuset.cpus)
if [ "$last" = 0 ] || ! cat $top/cpuset.cpus >"$own/cpuset.cpus" || ! cat $top/cpuset.mems >"$own/cpuset.mems" ||
	! echo 1 >"$own/cpuset.cpu_exclusive"; then
	none "one cpu only, or cpusets beside this one use its cpus"
fi 2>/dev/null
all=$(cat "$own/cpuset.cpus")
rest=$(cpus_of self | cut -d- -f1)
[ "$last" -gt 1 ] && rest=$rest-$((last - 1))
sleep 1000 &
other=$!
sleep 1000 &
outside=$!
holders="$holders $other $outside"
echo $other >"$own/cgroup.procs"
rm -rf "$M/sys/fs"
it "the daemon starts on cpusets" start --cgroup-root "$own"
says 'cores=cgroup1' "... and reserves by them" "$T/log"
nice_bit=$(awk '/^CapEff/ { print $2 }' "/proc/$D/status")
is "it keeps CAP_SYS_NICE, and nothing else" 0000000000800000 "$nice_bit"
is "... so does its guard" 0000000000800000 "$(awk '/^CapEff/ { print $2 }' "/proc/$G/status")"

mkdir "$own/neighbour"
"$O/sbin/perseusd" --sysroot "$M" --cgroup-root "$own/neighbour" --check >"$T/out"
rmdir "$own/neighbour"
says 'cores      none: the top group.s cpuset.cpu_exclusive is not 1' "a group that cannot exclude others is not offered" "$T/out"

# The fake machine has eight cpus, this one fewer: those that the group has are what counts.
hold "lease $last 0-0 reserve"
says "^lease OK .*flags=0x6 .*cpus=$last\$" "a reservation, balanced since there is no other" "$T/held"
is "its process runs there, and nowhere else" "$last" "$(cpus_of "$H")"
is "... one of the others in the group does not" "$rest" "$(cpus_of $other)"
is "... what is outside the group is not touched" "$all" "$(cpus_of $outside)"
is "... its cpuset is exclusive" 1 "$(cat "$own/perseusd-0/cpuset.cpu_exclusive")"
answers '^lease BUSY' "a core has one lease" "lease $last 0-0 reserve"
let_go
whole() { [ "$(cpus_of $other)" = "$all" ]; }
eventually whole && ok "at the end the others have it again" || not_ok "at the end the others have it again" "$(cpus_of $other)"
home() { [ "$(members "$own")" = "$other " ]; }
eventually home && ok "... and are in their group" || not_ok "... and are in their group" "$(members "$own")"
is "... nobody is left in ours" " " "$(members "$own/perseusd-0") $(members "$own/perseusd-rest")"
answers '^lease BAD_CPUS' "a cpu that the group does not have" "lease 7 0-0 reserve"
answers '^lease REFUSED .*error=28 ' "one cpu stays with the others" "lease $all 0-0 reserve"

# A child of the process that reserved lives longer than the lease: it goes back, too.
mkfifo "$T/keep"
"$T/ask" "$S" "lease $last 0-0 reserve" child "release" <"$T/keep" >"$T/parent" &
exec 8>"$T/keep"
eventually grep -q '^release' "$T/parent"
child=$(sed -n 's/^child //p' "$T/parent")
is "a child that outlives the lease has all cpus again" "$all" "$(cpus_of "$child")"
exec 8>&-

# Processes that fork and end faster than they can be moved: nobody else gets them into his cores.
strangers=0
for _ in 1 2 3 4 5; do
	ask "lease $last 0-0 reserve" "chain 400" >/dev/null
	ask "lease $last 0-0 reserve" pid "sleep 30" hold <"$T/keep" >"$T/next" &
	next=$!
	holders="$holders $next"
	exec 8>"$T/keep"
	eventually grep -q '^pid' "$T/next"
	next=$(sed -n 's/^pid //p' "$T/next")
	for g in "$own"/perseusd-[0-9]; do
		case " $(members "$g")" in
		" $next ") ;;
		*" $next "*) strangers=$((strangers + 1)) ;;
		esac
	done
	exec 8>&-
	eventually gone "$next"
done
is "a chain of processes that fork and end is in nobody else's cores" 0 "$strangers"
empty() { [ -z "$(cat "$own"/perseusd-*/cgroup.procs)" ]; }
eventually empty && ok "... and all groups are empty in the end" || not_ok "... and all groups are empty in the end" "$(cat "$own"/perseusd-*/cgroup.procs)"

eventually home && ok "... nor in ours, when it has ended" || not_ok "... nor in ours, when it has ended" "$(members "$own")"
count_groups() { find "$own" -mindepth 1 -type d | wc -l; }
groups=$(count_groups)
answers '^each ok=100 of=100' "a hundred reservations" "lease $last 0-0 reserve" release "each 100"
is "... as many groups as before" "$groups" "$(count_groups)"
is "... all back in place" "$other " "$(members "$own")"

restored=0
for who in client daemon guard both; do
	[ -n "$D" ] || start --cgroup-root "$own"
	hold "lease $last 0-0 reserve"
	[ "$(cpus_of $other)" = "$rest" ] || not_ok "a reservation before SIGKILL of $who" "$(cat "$T/held")"
	case $who in
	client) kill -9 "$H" ;;
	daemon) kill -9 "$D" ;;
	guard) kill -9 "$G" ;;
	both)
		kill -STOP "$G" "$D"
		kill -9 "$G" "$D"
		;;
	esac
	if [ $who != client ]; then
		wait "$D" 2>/dev/null
		eventually gone "$G"
		D=
	fi
	if [ $who = both ]; then
		is "(both killed: the reservation stays)" "$rest" "$(cpus_of $other)"
		"$O/sbin/perseusd" --sysroot "$M" --cgroup-root "$own" --restore 2>>"$T/log"
	fi
	eventually whole && ok "SIGKILL of $who: the others have their cpus again" || not_ok "SIGKILL of $who: the others have their cpus again" "$(cpus_of $other)"
	let_go
done
is "after --restore no group is left" 0 "$(count_groups)"
finish
