#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus tune: how settings reach a program, what is refused, verdicts on values that the programs make up.
. tests/lib.sh
include=$(pwd)/include
cd "$T" || exit 1
prog() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
space() { printf 'perseus: tunables\nversion: 1\ntunables:\n%s\n' "$2" >"$1"; }
A='  - {name: a, kind: integer, low: 1, high: 16, default: 16, environment: A}'
B='  - {name: b, kind: power, low: 1, high: 64}'
W='  - {name: way, kind: list, values: [plain, fast, wrong]}'
space a.yaml "$A"
space ab.yaml "$A
$B"
space aw.yaml "$A
$W"
tune() { perseus tune --trials=36 --confirm=8 --worth=0 "$@"; }

# cost = 100 + distance from 5, and some noise that hangs on the number of the run
prog cost 'read -r n <count; echo $((n + 1)) >count; d=$((A - 5)); d=${d#-}; echo "cost $((1000 + 100 * d + n * 7919 % 13))"'
echo 0 >count
exits 0 "a gain is found and shown" tune --space=a.yaml --figure=cost ./cost
says '^gain: the best found takes 0\.4[0-9]* of the default \(0\.4[0-9]* to 0\.[45][0-9]*, 8 fresh pairs, 1 % of error on each side\)$' "with its interval"
says '^setting: a=5$' "the setting"
says '^matters: a [0-9]+ % \(by the model; a run differs by [0-9.]+ %\)$' "what matters"
says '^search: [0-9]+ runs of [0-9]+ settings of 16; ' "and what it took"
prog same 'read -r n <count; echo $((n + 1)) >count; echo "cost $((1000 + n * 7919 % 97))"'
exits 5 "settings that do nothing are no gain" tune --space=a.yaml --figure=cost ./same
says '^cannot tell: ' "in the first line"
says '^setting: a=16 \(the default\)$' "the default stays"
prog mine 'd=$((A - 16)); d=${d#-}; echo "cost $((1000 + 100 * d))"'
exits 0 "a default that is the best stays" tune --space=a.yaml --figure=cost ./mine
says '^default: ' "and it says so"
prog speed 'd=$((A - 5)); d=${d#-}; echo "speed=$((2000 - 100 * d))"'
exits 0 "of a figure more can be better" tune --space=a.yaml --figure=speed --more ./speed
says '^setting: a=5$' "... the most"
says '^gain: the best found has 2\.2[0-9]* times the speed of the default \(2\.2[0-9]* to 2\.2[0-9]*, ' "... with a ratio of the figure"
says '^values: speed 900 by default, speed 2000 with the best found' "in its own unit"
space idle.yaml "$A
  - {name: b, kind: power, low: 1, high: 64, default: 8}
  - {name: loops, kind: order, values: [i, j, k], default: 'i,j,k'}"
prog still 'd=$((A - 5)); d=${d#-}; echo "cost $((1000 + 100 * d))"'
exits 0 "what does nothing" perseus tune --trials=60 --confirm=7 --worth=0 --space=idle.yaml --figure=cost ./still
says '^setting: a=5 b=8 loops=i,j,k$' "... keeps its default"
says '^matters: a [0-9]+ %; below the noise: b, loops ' "... and does not matter"
prog all 'd=$((A - 5)); d=${d#-}; case $PERSEUS_TUNE_b in 64) m=0 ;; *) m=300 ;; esac; echo "cost $((1000 + 100 * d + m))"'
exits 0 "the twin, which does something" perseus tune --trials=60 --confirm=7 --worth=0 --space=idle.yaml --figure=cost ./all
says '^setting: a=[4-6] b=64 loops=i,j,k$' "... is set"

# the ways into a program
prog ways 'echo "cost $((100 + (PERSEUS_TUNE_a + A + $1 + $(cat made)) / 4))"; [ "$2" = "{c}" ]'
echo '{a}' >template
exits 0 "arguments, variables and templates carry the setting" tune --space=a.yaml --figure=cost --template=template:made ./ways {a} {c}
says '^setting: a=1$' "all of them the same"
it "a template keeps the setting that is printed" grep -qx 1 made
cp template template.whole
exits 2 "a template is not written over" tune --space=a.yaml --figure=cost --template=template:./template ./ways {a} {c}
says "'./template' would be written over" "it says which" err
it "... and is as it was" cmp template template.whole
exits 2 "nor are the tunables" tune --space=a.yaml --figure=cost --settings=a.yaml ./cost
exits 2 "no file is written twice" tune --space=a.yaml --figure=cost --template=template:made --template=a.yaml:made ./ways
says "'made' would be written twice" "it says which" err
exits 0 "two files in one folder" tune --space=a.yaml --figure=cost --template=template:made --settings=set1 --environment=set2 ./ways {a} {c}
says '^perseus tune: \{c\} in the arguments is no tunable: it stays as it is$' "a name that is no tunable is told" err
silent '\{a\} in' "and no other" err
echo '{a} {no} ${a1}' >template2
tune --space=a.yaml --figure=cost --template=template2:made2 ./ways {a} {c} >out 2>err
says '^perseus tune: \{no\} in template2 is no tunable' "... of a template" err
silent 'a1' "a variable of a shell is none" err
exits 4 "a template without an output is refused" tune --space=a.yaml --template=x ./ways
cat >tunable.c <<'E2'
#include <perseus/tunable.h>
#include <stdio.h>
static const char check[perseus_tunable("other", 1, 9, 3)];
int main(void)
{
	long a = perseus_tunable("a", 1, 16, 16), d = a > 5 ? a - 5 : 5 - a;
	printf("cost %ld\n", 1000 + 100 * d);
	printf("%s a=%ld other=%d\n", __func__, a, (int)sizeof(check));
	return 0;
}
E2
sed -i 's/^static const char check.*/#ifdef PERSEUS_TUNE\nstatic char check[3];\n#else\n&\n#endif/; s/const char check/char check/' tunable.c
cc="gcc -std=c11 -Wall -I$include"
it "perseus_tunable() compiles in a build to tune" $cc -O2 -DPERSEUS_TUNE -o tuning tunable.c
it "... and in a plain one, as a constant" $cc -O2 -pedantic-errors -o plain tunable.c
it "a plain one has its default" sh -c './plain | grep -qx "main a=16 other=3"'
it "... and reads nothing" sh -c 'PERSEUS_TUNE_a=4 ./plain | grep -qx "main a=16 other=3"'
it "a value out of the range is not taken" sh -c 'PERSEUS_TUNE_a=17 ./tuning | grep -q "a=16"'
exits 0 "perseus_tunable() is tuned" tune --space=a.yaml --figure=cost --header=tuned.h --settings=set --environment=env ./tuning
it "a header makes it a constant" $cc -O2 -DPERSEUS_TUNED='"tuned.h"' -I. -o tuned tunable.c
it "... the one that was found" sh -c './tuned | grep -qx "main a=5 other=3"'
it "... in C++ as well" g++ -Wall -I"$include" -I. -DPERSEUS_TUNED='"tuned.h"' -x c++ -o tuned-cc tunable.c
it "settings are lines" grep -qx 'a=5' set
it "an environment is a script" sh -c '. ./env; [ "$A$PERSEUS_TUNE_a" = 55 ]'

# what is refused
prog breaks '[ "$PERSEUS_TUNE_way" != fast ] || exit 7; [ "$PERSEUS_TUNE_way" != wrong ] && echo right || echo bad'
# Which settings are fast is the machine's business here.
tune --space=aw.yaml --slow=0 ./breaks >out 2>err
it "what crashes or prints something else is refused" sh -c 'case $1 in 0 | 5) ;; *) exit 1 ;; esac' - $?
says 'failed \(status 7\) with a=[0-9]+ way=fast$' "what fails, with its status and setting"
says 'wrong with a=[0-9]+ way=wrong$' "another output"
silent '^setting: .*way=(fast|wrong)' "neither is chosen"
silent 'crash' "and none is called a crash"
prog dies '[ "$PERSEUS_TUNE_way" != fast ] || kill -SEGV $$; [ "$PERSEUS_TUNE_way" = fast ] || echo right'
tune --space=aw.yaml --slow=0 ./dies >out 2>err
says 'crash \(signal 11, Segmentation fault\) with a=[0-9]+ way=fast$' "a crash is what a signal ends"
silent 'failed' "... and not called a failure"
prog checked 'echo "cost $((1000 + A))"'
exits 0 "a check decides" tune --space=a.yaml --figure=cost --check='read -r w n && [ "$n" -gt 1008 ]' ./checked
says '^setting: a=9$' "... what is right"
says 'wrong with a=[0-9]+$' "... and what is not"
prog hangs '[ "$A" -gt 8 ] || exec sleep 60; echo x'
space few.yaml '  - {name: a, kind: list, values: [16, 2], environment: A}'
perseus tune --space=few.yaml --trials=20 --confirm=7 --slow=0 --timeout=1 ./hangs >out 2>&1
says 'timeout with a=2$' "what hangs is killed and refused" out
prog leaves '[ "$A" -gt 8 ] || { sleep 1007 & echo $! >>left; wait; }; echo x'
perseus tune --space=few.yaml --trials=20 --confirm=7 --slow=0 --timeout=1 ./leaves >out 2>&1
# Ended, or not reaped yet by whoever inherited it.
gone() { for p in $(cat left); do for _ in $(seq 100); do case $(cut -d' ' -f3 "/proc/$p/stat" 2>/dev/null) in '' | Z) break ;; esac; sleep 0.1; done
	case $(cut -d' ' -f3 "/proc/$p/stat" 2>/dev/null) in '' | Z) ;; *) return 1 ;; esac; done; }
it "... with what it started" sh -c 'test -s left'
it "... all of it" gone
exits 4 "a default that fails ends it" tune --space=aw.yaml sh -c 'exit 3'
says 'the default setting fails$' "and says so"
says 'failed \(status 3\) with a=16 way=plain' "with which status"
exits 4 "an output that varies cannot be compared" tune --space=a.yaml sh -c 'echo $$'
says "prints varies from run to run" "it says why"
prog units 'echo "cost ${A}x"'
exits 4 "a figure with something behind it is none" tune --space=a.yaml --figure=cost ./units
says "prints no line 'cost VALUE' with a value above 0 and nothing behind it" "... and what is expected is said"
exits 4 "a figure that is not printed is missed" tune --space=a.yaml --figure=cost true
says "prints no line 'cost VALUE'" "by name"
exits 4 "an empty space is refused" tune --space=/dev/stdin ./cost
space bad.yaml "$A
constraints: [\"a > 99\"]"
exits 4 "a space that contradicts itself is refused" tune --space=bad.yaml ./cost
says 'bad.yaml line 5, column [0-9]+: the space is empty' "with its place"
exits 4 "a program that is not there is missed" tune --space=a.yaml ./not-there
exits 2 "no program is an error of usage" tune --space=a.yaml
exits 2 "so are no tunables" tune ./cost
exits 2 "--more needs a figure" tune --space=a.yaml --more ./cost
exits 2 "--resume needs a log" tune --space=a.yaml --resume ./cost

# the log
echo 0 >count
exits 0 "a log is kept" tune --space=ab.yaml --figure=cost --log=whole ./mine
exits 4 "... and not written over" tune --space=ab.yaml --figure=cost --log=whole ./mine
head -20 whole >part
printf '{"round": 3, "en' >>part
exits 0 "a log that was cut off goes on" tune --space=ab.yaml --figure=cost --log=part --resume ./mine
it "... to the same end" cmp whole part
# ... also where the next trial is one whose output is wrong: what is right is the default's
tune --space=aw.yaml --slow=0 --log=outputs ./breaks >out 2>err
sed '/"wrong"/,$d' outputs >begun
left=$(($(wc -l <begun) + 1))
tune --space=aw.yaml --slow=0 --log=begun --resume ./breaks >out 2>err
it "after a resume an output is wrong that differs from the default's" sh -c 'sed -n "$1p" begun | grep -q "\"wrong\""' - "$left"
prog never 'exit 9'
exits 4 "a log of another program is refused" tune --space=ab.yaml --figure=cost --log=part --resume ./never
says 'other options' "it says why"
exits 3 "a log that cannot be written" tune --space=a.yaml --figure=cost --log=nodir/log ./mine
exits 3 "... or a file of a template" tune --space=a.yaml --figure=cost --template=template:nodir/x ./mine
exits 3 "... or settings" tune --space=a.yaml --figure=cost --settings=nodir/x ./mine
exits 4 "a log that is not there does not go on" tune --space=a.yaml --figure=cost --log=nolog --resume ./mine
exits 0 "all as JSON" tune --space=ab.yaml --figure=cost --json ./mine
it "... that is JSON" python3 -c 'import json; d = json.load(open("out")); assert d["schema"] == 1 and d["verdict"] == "default" and d["setting"]["a"] == "16", d'
prog stops '[ "$(wc -l <log)" -lt 12 ] || kill -TERM $PPID; echo "cost $A"'
exits 143 "a signal ends it" tune --space=a.yaml --figure=cost --log=log ./stops
says 'resume goes on' "and says how it goes on"
finish
