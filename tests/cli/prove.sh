#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus prove: verdicts on programs whose truth is known.
. tests/lib.sh
cd "$T" || exit 1
prog() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
# Time is what the programs say it is: each adds what it takes to the number in `time`, which is the monotonic clock here.
cat >clock.c <<'E'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *t)
{
	long cs = 0;
	FILE *f = clock == CLOCK_MONOTONIC ? fopen("time", "r") : NULL;

	if (!f || fscanf(f, "%ld", &cs) != 1)
		return (int)syscall(SYS_clock_gettime, clock, t);
	fclose(f);
	*t = (struct timespec){1000 + cs / 100, cs % 100 * 10000000};
	return 0;
}
E
gcc -shared -fPIC -O1 -o clock.so clock.c || { echo "Bail out! cannot build"; exit 1; }
cat >takes <<'E'
#!/bin/sh
read -r t <time
echo $((t + $1)) >time
E
chmod +x takes
echo 0 >time
prog slow './takes 1600; echo same'
prog fast './takes 300; echo same'
prog other 'echo different'
prog fails 'echo same; exit 3'
echo 0 >count
prog alternates 'n=$(cat count); echo $((n + 1)) >count; ./takes $((200 + 400 * (n % 2)))'
prog idles 'sleep 0.1; ./takes 100; echo same'
prog varies 'echo $$'
prove() { LD_PRELOAD=$T/clock.so perseus prove "$@"; }
quiet="--max-load=100 --max-uneven=1000 --pairs=9"

exits 0 "half the time is proven" prove $quiet ./slow ./fast
says "^proven: ./fast takes 0\.[1-7]" "with the ratio"
says "interval" "and the interval"
says "^that is [0-9]+[.][0-9]+x faster \([0-9.]+ to [0-9.]+\)$" "... and how many times faster it is"
says "^machine: load" "and the machine"
exits 1 "twice the time is refuted" prove $quiet ./fast ./slow
says "^refuted" "in a word"
silent "x faster" "what is slower is not called faster"
exits 5 "a program against itself, now slow, now fast, is inconclusive" \
	prove --max-load=100 --max-uneven=1000 --pairs=9 ./alternates ./alternates
says "^inconclusive" "in a word"
exits 0 "a limit can be asked for" prove $quiet --expect-ratio=1.5 ./slow ./slow
exits 1 "different output is a mismatch, however fast" prove $quiet ./slow ./other
says "^mismatch" "and says so"
exits 1 "a different status is a mismatch" prove $quiet ./slow ./fails
exits 4 "a program that fails proves nothing" prove $quiet ./fails ./fails
exits 4 "output that varies cannot be compared" prove $quiet ./varies ./varies
says "--ignore-output" "and the way out is named" "$T/err"
exits 0 "a third program is compared" prove $quiet --pad=./fast ./slow ./fast
says "^padded: ./fast takes" "in a line of its own"
exits 0 "arguments reach the programs" prove $quiet --expect-ratio=50 --args="takes 100" sh sh
exits 0 "also behind --" prove $quiet --expect-ratio=50 sh sh -- takes 100
prog still 'echo same'
exits 3 "with a clock that stands still there is no verdict" prove $quiet ./still ./still
says "the clock .CLOCK_MONOTONIC. did not advance while './still' ran" "and the clock is the reason given" "$T/err"
silent "nan" "no figure is printed"
exits 4 "a missing program is named" prove $quiet ./slow ./missing
exits 2 "one program is a usage error" prove slow
exits 2 "too few pairs are a usage error" prove --pairs=2 slow fast
exits 0 "JSON comes with a schema number" prove $quiet --json ./slow ./fast
says '"schema": 1' "first" "$T/out"
it "and the time of every run" sh -c '[ $(sed -n "/seconds_a/,/]/p" "$1" | grep -c "^ *16\(\.0*\)\?,*\$") = 9 ]' - "$T/out"

# A loaded machine gives no verdict, whatever the figures say.
for i in $(seq "$(nproc)"); do sh -c 'while :; do :; done' & burners="$burners $!"; done
exits 5 "a loaded machine is never a pass" prove --max-load=0 --max-uneven=1000 --pairs=5 ./idles ./idles
says "not quiet" "and the load is the reason given"
kill $burners

# Nor does one whose cores do not run alike: no two are alike to the last nanosecond.
if [ "$(nproc)" -gt 1 ]; then
	exits 5 "uneven cores are never a pass" prove $quiet --max-uneven=0 ./slow ./fast
	says "^  core [0-9]* took [0-9]*\.[0-9]* of the time of core [0-9]*" "and the cores are named"
else
	skip "uneven cores are never a pass" "one core"
fi
exits 2 "a limit below zero is a usage error" prove --max-uneven=-1 ./slow ./fast

# The same as a page.
printf 'a <b>&"c"\n\tline 2\n' >'plan<i>.yaml'
exits 0 "a page" prove $quiet --json --html=proof.html --attach='plan<i>.yaml' ./slow ./fast
it "holds what --json prints, and the hashes of all files" python3 -c "
import hashlib, json, re
page = open('proof.html').read()
assert json.loads(re.search('id=\"proof\">(.*?)</script>', page, re.S).group(1)) == json.load(open('out'))
for name in 'slow', 'fast', 'plan<i>.yaml':
    assert hashlib.sha256(open(name, 'rb').read()).hexdigest() in page, name
assert 'a &lt;b&gt;&amp;&quot;c&quot;' in page and '<i>' not in page
assert page.count('<circle') == 9
"
exits 4 "an attached file that is missing" prove $quiet --html=no.html --attach=missing ./slow ./fast
it "leaves no page" test ! -e no.html
exits 3 "a page that cannot be written" prove $quiet --html=none/p.html ./slow ./fast
finish
