#!/bin/sh
# SPDX-License-Identifier: MIT
# memcached (libevent, worker threads, gives up root, its own use of SIGUSR1)
# serves clients that check each answer, while the recording begins and ends
# by a signal, by a delay, and by the recorder's death.
. tests/lib.sh
. tests/foreign/common.sh
have "a server is recorded for a while" python3 make || { finish; exit; }
[ -e /usr/include/event.h ] || { skip "a server is recorded for a while" "no libevent headers here"; finish; exit; }
package memcached || { finish; exit; }
cp -r "$tree" "$W/memcached"
(cd "$W/memcached" && ./configure CFLAGS="$level -g $flag" && make -j"$jobs" memcached) >"$T/log" 2>&1 ||
	{ skip "a server is recorded for a while" "memcached does not build: $(tail -n 1 "$T/log")"; finish; exit; }
server=$W/memcached/memcached
chmod 755 "$T"
mkdir -m 777 "$T/s"

# Each client writes and reads its keys for SECONDS; exit 1 at the first wrong answer.  Prints "DONE operations".
cat >"$T/client.py" <<'E'
import socket, sys, threading, time
path, seconds = sys.argv[1], float(sys.argv[2])
done, wrong = [0] * 4, []
def run(n):
    try:
        s = socket.socket(socket.AF_UNIX); s.connect(path); s.settimeout(10)
        f = s.makefile("rb")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            k = "k%d.%d" % (n, done[n] % 500); v = ("v%d" % done[n]) * 3
            s.sendall(("set %s 0 0 %d\r\n%s\r\nget %s\r\n" % (k, len(v), v, k)).encode())
            answer = [f.readline() for _ in range(4)]
            if answer != [b"STORED\r\n", b"VALUE %s 0 %d\r\n" % (k.encode(), len(v)), v.encode() + b"\r\n", b"END\r\n"]:
                wrong.append(answer); return
            done[n] += 1
    except Exception as e:
        wrong.append(repr(e))
t = [threading.Thread(target=run, args=(n,)) for n in range(4)]
[x.start() for x in t]; [x.join() for x in t]
print("DONE", sum(done), wrong[:1])
sys.exit(1 if wrong or not all(done) else 0)
E

# serve OPTIONS...: $recorder; waits for the socket
serve() {
	rm -f "$T/s/sock"
	(cd "$T" && exec perseus record "$@" -- "$server" -u nobody -t 4 -s "$T/s/sock" -a 0777) >"$T/out" 2>"$T/err" &
	recorder=$!
	for _ in $(seq 200); do [ -S "$T/s/sock" ] && break; sleep 0.05; done
}
ops() { sed -n 's/^DONE \([0-9]*\) .*/\1/p' "$T/client.out"; }
calls_of() { (cd "$T" && perseus report --json --calls 9999 "$1") | python3 -c '
import json, sys
print(sum(f["calls"] for f in json.load(sys.stdin)["functions"] if f["name"] == sys.argv[1]))' "$2"; }
sets=process_update_command

serve -o signalled --start-signal=USR1
python3 "$T/client.py" "$T/s/sock" 4 >"$T/client.out" &
client=$!
sleep 1
kill -USR1 $recorder
sleep 1.5
kill -USR1 $recorder
wait $client
it "clients notice nothing of a recording that begins and ends" test $? = 0
for _ in $(seq 100); do grep -q '^next' "$T/err" && break; sleep 0.1; done
says '^run ' "the summary is there while the server runs" "$T/err"
all=$(ops) part=$(calls_of signalled $sets)
it "a part of the requests is recorded ($part of $all)" test "$part" -gt $((all / 10)) -a "$part" -lt $((all * 7 / 10))
(cd "$T" && perseus report signalled) >"$T/report" 2>&1
it "the run is complete" test $? = 0
says 'worker_libevent|start of a thread|threads? ' "the worker threads are known" "$T/report"
python3 "$T/client.py" "$T/s/sock" 1 >"$T/client.out"
it "the server serves on" test $? = 0
it "... and what it does is not recorded any more" test "$(calls_of signalled $sets)" = "$part"
kill -TERM $recorder
wait $recorder
it "it ends as ever" test $? = 0

serve -o timed --delay=0.5 --duration=1
python3 "$T/client.py" "$T/s/sock" 2.5 >"$T/client.out"
it "the same by the clock" test $? = 0
it "... recorded" test "$(calls_of timed $sets)" -gt 0
kill -TERM $recorder
wait $recorder

serve -o orphaned --start-signal=USR1
python3 "$T/client.py" "$T/s/sock" 2 >"$T/client.out" &
client=$!
sleep 0.5
kill -USR1 $recorder
sleep 0.5
kill -9 $recorder
wait $client
it "clients notice nothing of the recorder's death" test $? = 0
victim=$(grep -lsF "$server" /proc/[0-9]*/cmdline | while IFS=/ read -r _ _ pid _; do
	case $(readlink "/proc/$pid/exe") in "$server") echo "$pid" ;; esac
done | head -1)
kill -TERM "$victim"
for _ in $(seq 100); do [ -d /proc/"$victim" ] || break; sleep 0.05; done
it "the server ends when it is told to" test ! -d /proc/"$victim"
it "... and all of its requests since then can be read" test "$(calls_of orphaned $sets)" -gt $(($(ops) / 10))
finish
