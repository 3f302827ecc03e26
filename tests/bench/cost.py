# SPDX-License-Identifier: MIT
"""What programs cost beside the plain build, for cost.sh.

cost.py together ROUNDS SECONDS A... -- B...: CPU time of command B over that of A.
Both run at the same time on the same core, in turns of the scheduler, A again and
again until B has ended: what slows one down slows down the other.
cost.py turns ROUNDS SECONDS A... -- B...: the same, one after the other, on all cores:
for servers, whose threads wait for each other.
Pairs are added up to ROUNDS as long as they have taken less than SECONDS in all.  Prints
"median low high seconds-of-A pairs"; low and high are without the two ends from six pairs on.
A command SERVER:N:PROGRAM... is a server with the key-value protocol, and costs what
it takes for N requests of its own load generator, plain in all cases, $LOAD.

cost.py count PROGRAM...: "instructions bytes", executed, and of lines of its own code
that something of was executed, by callgrind."""
import os, shutil, signal, socket, statistics, subprocess, sys, tempfile, time
from spawn import start

LINE = 64


def seconds(use):
    return use.ru_utime + use.ru_stime


def check(argv, status, seen=[]):
    """Programs may end with any status, but all runs with the same; none by a signal."""
    code = os.waitstatus_to_exitcode(status)
    seen.append(code)
    if code < 0 or code != seen[0]:
        sys.exit("'%s' ended with status %d, the first run with %d" % (" ".join(argv), code, seen[0]))


def together(a, b, cores):
    """Mean of the CPU times of @a, of which at least one run ends, and that of one run of @b meanwhile."""
    watched, other, times, result = start(b, cores), start(a, cores), [], None
    try:
        while result is None or not times:
            pid, status, use = os.wait3(0)
            if pid == watched:
                watched, result = 0, seconds(use)
                check(b, status)
            elif pid == other:
                other = 0
                check(a, status)
                times.append(seconds(use))
                other = start(a, cores) if result is None else 0
    finally:
        for pid in filter(None, (watched, other)):
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return statistics.mean(times), result


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connect(port, pid, argv):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=10)
        except OSError:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                sys.exit("'%s' ended with status %d" % (" ".join(argv), status))
            time.sleep(0.05)
    sys.exit("'%s' does not listen" % " ".join(argv))


def serve(argv, requests):
    """CPU time of the server for so many requests, and of who records it."""
    port = free_port()
    argv = argv + ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--io-threads", "2", "--io-threads-do-reads", "yes"]
    pid = start(argv, os.sched_getaffinity(0))
    connect(port, pid, argv).close()
    load = subprocess.run([os.environ["LOAD"], "-p", str(port), "-t", "set,get", "-r", "10000", "-n", requests, "-c", "20", "-P", "8", "-q"],
                          capture_output=True, text=True)
    with connect(port, pid, argv) as s:
        s.sendall(b"SHUTDOWN NOSAVE\r\n")
    _, status, use = os.wait4(pid, 0)
    check(argv, status)
    if load.returncode or "requests per second" not in load.stdout:
        sys.exit("the load generator failed: " + load.stderr)
    return seconds(use)


def once(argv):
    """CPU time of one run, on all cores."""
    if argv[0].startswith("SERVER:"):
        return serve(argv[1:], argv[0].split(":")[1])
    pid = start(argv, os.sched_getaffinity(0))
    _, status, use = os.wait4(pid, 0)
    check(argv, status)
    return seconds(use)


def pairs(how, rounds, most, a, b):
    cores, base, ratio, begun = sorted(os.sched_getaffinity(0)), [], [], time.monotonic()
    while not ratio or (len(ratio) < rounds and time.monotonic() - begun < most):
        clean()
        x, y = together(a, b, {cores[len(ratio) % len(cores)]}) if how == "together" else (once(a), once(b))
        base.append(x)
        ratio.append(y / x)
    ratio.sort()
    cut = len(ratio) // 6
    print("%.3f %.3f %.3f %.3f %d" % (
        statistics.median(ratio), ratio[cut], ratio[-1 - cut], statistics.median(base), len(ratio)))


def clean():
    """The recording of the pair before: $RUN is where commands are told to put theirs."""
    if "RUN" in os.environ:
        shutil.rmtree(os.environ["RUN"], ignore_errors=True)


def count(argv):
    """Cost lines are "0xADDRESS COUNT"; that behind a line "calls=" is the callee's, at the call."""
    total, lines, mine, skip = 0, set(), False, False
    with tempfile.TemporaryDirectory() as t:
        out = os.path.join(t, "out")
        subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no",
                        "--compress-strings=no", "--callgrind-out-file=" + out] + argv, capture_output=True, stdin=subprocess.DEVNULL)
        for line in open(out, errors="replace"):
            if line.startswith("0x"):
                address, n = line.split()[:2]
                if mine:
                    lines.add(int(address, 16) // LINE)
                if not skip:
                    total += int(n)
                skip = False
            elif line.startswith("ob="):
                mine = os.path.realpath(line[3:].strip()) == os.path.realpath(argv[0])
            elif line.startswith("calls="):
                skip = True
    print(total, LINE * len(lines))


def main():
    if sys.argv[1] == "count":
        return count(sys.argv[2:])
    end = sys.argv.index("--")
    pairs(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:end], sys.argv[end + 1:])


main()
