#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-daemon: round trips to perseusd, on a machine of files, beside an
# empty SEQPACKET round trip in the same run, interleaved; thousands of clients
# one after another and a hundred at once; and restores after SIGKILL.
. tests/bench/lib.sh
load_note
M=$T/m S=$T/m/run/perseus/control
tests/sysroot/make xeon-8 "$M"
mkdir -p "$M/run" "$M/etc/perseus"
echo 'perseus:x:7701:7701::/:/bin/false' >"$M/etc/passwd"
echo "max-rate 100000000" >"$M/etc/perseus/perseusd.conf"
gcc -std=gnu11 -O2 -D_GNU_SOURCE -I. -Iinclude -o "$T/crowd" tests/daemon/crowd.c "$O/daemon.a" || exit 3
# All on one core: a round trip is two switches and the work, wherever the kernel would have put them.
core=$(awk '/^Cpus_allowed_list/ { sub(/[-,].*/, "", $2); print $2 }' /proc/self/status)
taskset -c "$core" "$O/sbin/perseusd" --sysroot "$M" 2>"$T/log" &
daemon=$!
trap 'kill $daemon; rm -rf "$T"' EXIT
for _ in $(seq 100); do grep -q ready "$T/log" && break; sleep 0.1; done

taskset -c "$core" "$O/tests/bench/daemon" "$S" "${ROUNDS:-100}" >"$T/prices" || exit 3
value() { awk -v n="$1" '$1 == n { print $2 }' "$T/prices"; }
for what in lease set query; do
	figure daemon.$what.ratio "$(awk -v a="$(value $what)" -v b="$(value echo)" 'BEGIN { printf "%.1f", a / b }')" 20 \
		"$(value $what) ns beside an empty round trip of $(value echo) ns"
done
"$T/crowd" "$S" sequence "${CLIENTS:-10000}" >"$T/sequence"
figure daemon.sequence.not_served "$(awk -F '[= ]' '{ print $4 + $6 }' "$T/sequence")" 0 "of ${CLIENTS:-10000} clients: $(cat "$T/sequence")"
"$T/crowd" "$S" once 100 >"$T/once"
figure daemon.once.hung "$(awk -F '[= ]' '{ print $6 }' "$T/once")" 0 "of 100 at once, 64 a user: $(cat "$T/once")"
finish_bench
