#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus gate: verdicts on programs whose time is simulated, and every form of output.
. tests/lib.sh
cd "$T" || exit 1
prog() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
# Time is what the programs say it is: each adds what it takes to the number in `time`, which is the monotonic clock here.
cat >clock.c <<'E2'
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
E2
gcc -shared -fPIC -O1 -o clock.so clock.c || { echo "Bail out! cannot build"; exit 1; }
# What `cs` says, in hundredths of a second, and what the machine adds, which rises and falls.
cat >takes <<'E2'
read -r t <time
read -r n <count
n=$((n + 1))
echo $n >count
echo $((t + cs * (1000 + n * 7919 % 13 + n % 40) / 1000)) >time
E2
echo 0 >time
echo 0 >count
prog same 'cs=10000 . ./takes; echo same'
prog twin 'cs=10000 . ./takes; echo same'
prog slower 'cs=10500 . ./takes; echo same'
prog little 'cs=10200 . ./takes; echo same'
prog faster 'cs=7000 . ./takes; echo same'
prog loud 'read -r n <count; cs=$((10000 + n * 7919 % 97 * 200)) . ./takes; echo same'
prog other 'cs=10000 . ./takes; echo other'
prog fails 'cs=10000 . ./takes; echo same; exit 3'
prog varies 'echo $$'
prog stack 'echo ${#PERSEUS_STACK} >>stacks; cs=10000 . ./takes'
gate() { LD_PRELOAD=$T/clock.so perseus gate --max-load=100 --max-uneven=1000 "$@"; }

exits 0 "an equal program passes" gate --base ./same -- ./twin
says "^ok: ./twin takes (1\.0|0\.9)[0-9]* of the time of ./same \(0\.[0-9]* to 1\.0[0-9]*, 24 pairs; limit 1\.050\)$" \
	"after the first look, with the interval and the limit"
exits 1 "what is slower by the limit is slower" gate --base ./same -- ./slower
says "^slower: ./slower takes 1\.0[45][0-9]* of the time of ./same" "in the first line"
says "^next: .*perseus diff" "with the next step"
exits 0 "what is slower by less passes" gate --base ./same ./little
exits 1 "a limit can be asked for" gate --limit=2 --base ./same ./little
exits 0 "what is faster passes" gate --base ./same ./faster
says "^ok: ./faster takes 0\.[67]" "with its ratio"
exits 5 "noise beyond measure gives no verdict" gate --base ./loud -- ./loud
says "^cannot tell: " "in the first line"
says "  .--max-pairs., more work in each run" "and what would decide"
says "60 pairs; limit" "after all pairs"

exits 1 "different output is a mismatch" gate --base ./same -- ./other
says "^mismatch: ./same and ./other print different results" "and says so"
exits 1 "a different status is a mismatch" gate --base ./same -- ./fails
exits 4 "a program that fails cannot be judged" gate --base ./fails -- ./fails
exits 4 "output that varies cannot be compared" gate --base ./varies -- ./varies
says "^perseus gate: the output of './varies' differs from run to run" "and the verb is named" "$T/err"
exits 4 "a missing program is named" gate --base ./missing -- ./same
says "missing" "by name" "$T/err"
exits 4 "... also the one to judge" gate --base ./same -- ./missing
exits 2 "without a base there is nothing to compare with" perseus gate ./same
says "--base=PROGRAM" "and how to name one is said" "$T/err"
exits 2 "without a program there is nothing to judge" perseus gate --base ./same
exits 2 "too few pairs are a usage error" perseus gate --base ./same --max-pairs=10 ./same
exits 2 "no limit is a usage error" perseus gate --base ./same --limit=0 ./same

# Both programs of a pair see one stack, each pair another.
exits 0 "the stack lies elsewhere in each pair" gate --base ./stack -- ./stack
it "... for both alike" sh -c 'paste - - <stacks | awk "\$1 != \$2 { bad = 1 } { seen[\$1] = 1 } END { for (s in seen) n++; exit bad || n < 20 }"'

prog first 'echo A >>order; . ./step'
prog second 'echo B >>order; . ./step'
echo 'cs=10000; . ./takes' >step
exits 0 "the order" gate --base ./first -- ./second
# The warm-up is not one of them.
it "is A B B A or B A A B, and both occur" sh -c 'tail -n +3 order | paste -sd" \n" | paste - - | tr "\t" " " | sort | uniq -c | awk "
	\$2 \$3 \$4 \$5 !~ /^(ABBA|BAAB)\$/ || \$1 < 2 { bad = 1 } END { exit bad || NR != 2 }"'

exits 1 "files are written beside the text" gate --base ./same --junit=r.xml --markdown=r.md -- ./slower
it "JUnit: one test, failed, with the sentence" python3 -c '
import xml.etree.ElementTree as e
s = e.parse("r.xml").getroot()[0]
assert s.get("tests") == "1" and s.get("failures") == "1" and s.get("skipped") == "0"
assert s[0].get("name") == "./slower" and "takes 1.0" in s[0].find("failure").get("message")'
says "^### perseus gate: slower$" "Markdown: the verdict as a heading" r.md
says "^\| ratio \| 1 \| 1\.0[0-9]* \(" "and the ratio in a table" r.md
exits 5 "what cannot be told" gate --base ./loud --junit=r.xml --json -- ./loud
it "... is skipped in JUnit, never passed" python3 -c '
import xml.etree.ElementTree as e
s = e.parse("r.xml").getroot()[0]
assert s.get("failures") == "0" and s.get("skipped") == "1" and s[0].find("skipped") is not None'
it "and says why in JSON" python3 -c '
import json
d = json.load(open("out"))
assert d["schema"] == 1 and d["verdict"] == "cannot tell" and d["why"] and d["pairs"] == 60'
exits 1 "a mismatch leaves JSON whole" gate --base ./same --json -- ./other
it "... with its own verdict" python3 -c 'import json; assert json.load(open("out"))["verdict"] == "mismatch"'
name=$(printf './<b>&"|\033]')
cp same "$name"
exits 0 "a hostile name" gate --base ./same --junit=r.xml --markdown=r.md -- "$name"
it "... is text in XML" python3 -c '
import xml.etree.ElementTree as e
assert e.parse("r.xml").getroot()[0][0].get("name") == "./<b>&\"|?]"'
silent '<b>|\|\?' "and in Markdown" r.md
exits 3 "a file that cannot be written is no pass" gate --base ./same --junit=no/r.xml -- ./twin

# Findings that are new: none of a run against itself.
cat >share.c <<'E2'
#include <pthread.h>
static struct { volatile long rx, tx; } stats;
static void *receive(void *a) { for (int i = 0; i < 200000; i++) stats.rx++; return a; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, receive, 0);
	for (int i = 0; i < 200000; i++) stats.tx++;
	return pthread_join(t, 0);
}
E2
gcc -O1 -g $(perseus flags) -o share share.c -pthread
perseus record --purpose=sharing -o run ./share >/dev/null 2>&1
exits 0 "sharing runs beside the times" gate --base ./same --sarif=new.sarif --sharing-base=run --sharing-new=run ./twin
says "^sharing: 0 new findings, written to new.sarif$" "a run against itself has nothing new"
it "the file is SARIF, and empty" python3 -c '
import json
d = json.load(open("new.sarif"))
assert d["version"] == "2.1.0" and d["runs"][0]["results"] == []'
says "^  the findings of the program are not priced: " "that nothing is priced is said"
says "^  the findings of the base are not priced: " "... of both runs"
it "... and in the file" python3 -c '
import json
notes = json.load(open("new.sarif"))["runs"][0]["invocations"][0]["toolExecutionNotifications"]
assert any(n["level"] == "warning" and "not priced: " in n["message"]["text"] for n in notes), notes'
exits 0 "with prices" gate --base ./same --sarif=new.sarif --platform=xeon-e5320 --sharing-base=run --sharing-new=run ./twin
silent "not priced" "nothing of the kind is said"
exits 4 "a missing sharing run is named" gate --base ./same --sarif=new.sarif --sharing-base=run --sharing-new=gone ./twin
exits 2 "one run alone is a usage error" perseus gate --base ./same --sarif=new.sarif --sharing-new=run ./twin

# What hangs is ended with all that it started, and is called what it is.
prog hangs 'sleep 300 & echo $! >sleeper; wait'
for pair in "./hangs ./same" "./same ./hangs"; do
	# shellcheck disable=SC2086
	set -- $pair
	exits 4 "a run that hangs: $pair" perseus gate --timeout=1 --base "$1" "$2"
	says "'./hangs' did not end within 1 s .--timeout." "it is named, with the limit"
	it "what it started is gone" sh -c '! grep -q "^State:.[^ZX]" "/proc/$(cat sleeper)/status" 2>/dev/null'
done

# A loaded machine gives no verdict, whatever the figures say.
prog naps 'sleep 0.01; echo same'
prog sleeps 'sleep 0.03; echo same'
for i in $(seq "$(nproc)"); do sh -c 'while :; do :; done' & burners="$burners $!"; done
exits 5 "a loaded machine is never a pass" perseus gate --max-uneven=1000 --base ./naps -- ./naps
says "^  others used [0-9.]* % of the machine .at most 5.0 %.: measure again when it is quiet" "and the load is the reason given"
exits 5 "nor an accusation" perseus gate --max-uneven=1000 --base ./naps -- ./sleeps
kill $burners
finish
