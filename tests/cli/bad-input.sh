#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad input of every verb is answered with a message and the right exit code,
# and nothing is overwritten.
. tests/lib.sh
. tests/soon.inc
root=$(pwd)
cd "$T" || exit 1
printf 'int main(void) { return 0; }\n' >plain.c
gcc -o plain plain.c
cat >work.c <<'E'
#include <stdio.h>
__attribute__((noinline)) static int work(int n) { return n * 3; }
int main(int argc, char **argv) { (void)argv; printf("%d\n", work(argc)); return 0; }
E
gcc -O1 -g -fplugin="$PLUGIN" -o work work.c
perseus record -q -o good ./work >/dev/null 2>&1
unchanged() { it "$1" cmp -s "$2" "$2.before"; }
keep() { cp "$1" "$1.before"; }

# Runs
for verb in report conflicts analyze sites; do
	exits 4 "$verb: a run that is not there is data error 4" perseus $verb ./no-such-run
	says "no-such-run" "$verb: and is named" "$T/err"
done
exits 4 "report: without any run there is no @last" sh -c 'mkdir -p void && cd void && perseus report'
mkdir nothing
exits 4 "report: an empty directory is not a run" perseus report nothing
cp -r good cut
for f in cut/*.prec; do truncate -s 5000 "$f"; done
exits 4 "report: a truncated record is data error 4" perseus report cut
cp -r good torn
for f in torn/*.prec; do dd if=/dev/urandom of="$f" bs=4096 seek=0 count=1 conv=notrunc 2>/dev/null; done
exits 4 "report: a record with a destroyed header is data error 4" perseus report torn
cp -r good bare
rm bare/manifest.yaml
exits 4 "report: a run without a manifest is marked" perseus report bare
cp -r good broken
sed -i 's/^status: .*/status: [/' broken/manifest.yaml
exits 4 "report: a manifest that is not YAML is data error 4" perseus report broken
says "line [0-9]+, column [0-9]+" "report: with line and column" "$T/err"
cp -r good old
for f in old/*.prec; do printf '\377\377' | dd of="$f" bs=1 seek=8 conv=notrunc 2>/dev/null; done
exits 4 "report: a record of another major version is refused" perseus report old
says "65535" "report: the version is named" "$T/err"


# The same run twice is not two runs
ln -s good alias
cp -r good copy
for other in good ./good "$T/good" alias copy; do
	exits 4 "analyze: a run named again, as ${other##*/}" perseus analyze good "$other" -o twice.yaml
	says "are the same run" "analyze: says so" "$T/err"
done
it "analyze: no model was written" test ! -e twice.yaml
perseus record -q -o second ./work >/dev/null 2>&1
exits 0 "analyze: another run of the same program is one" perseus analyze good second -o two.yaml

# A run that ended early
cat >long.c <<'E'
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) static int work(int n) { return n * 3; }
int main(int argc, char **argv) { (void)argv; work(argc); close(creat("worked", 0600)); for (;;) pause(); }
E
gcc -O1 -g -fplugin="$PLUGIN" -o long long.c
perseus record -q -o killed ./long >/dev/null 2>&1 &
recorder=$!
soon test -e worked
victim=$(ps -o pid= --ppid $recorder | head -1)
[ -z "$victim" ] || kill -9 $victim
wait $recorder
exits 4 "analyze: an incomplete run is refused" perseus analyze killed -o part.yaml
it "analyze: without a model" test ! -e part.yaml
exits 4 "analyze --partial: never 0 on partial data" perseus analyze --partial killed -o part.yaml
says "killed.*SIGKILL" "analyze --partial: says what is missing" "$T/err"
says "^wrote +part.yaml" "analyze --partial: writes the model all the same" "$T/out"
it "analyze --partial: and it is one" grep -q "^perseus: model" part.yaml

# Without the name of a run
mkdir runs
cd runs || exit 1
exits 4 "analyze: without any run there is no @last-timing" perseus analyze
exits 4 "conflicts: without any run there is no @last-sharing" perseus conflicts
says "purpose=sharing" "conflicts: and the way to one is shown" "$T/err"
perseus record -q ../work >/dev/null 2>&1
exits 0 "analyze: the last timing run is taken" perseus analyze
says "^runs +work-1$" "analyze: and named"
perseus record -q --purpose=sharing ../work >/dev/null 2>&1
exits 0 "analyze: with the last sharing run" perseus analyze
says "^ +work-2$" "analyze: which is named, too"
perseus record -q ../work >/dev/null 2>&1
exits 0 "conflicts: after a timing run the last sharing run is meant" perseus conflicts
sed 's/n \* 3/n * 5/' ../work.c >other.c
gcc -O1 -g -fplugin="$PLUGIN" -o other other.c
perseus record -q ./other >/dev/null 2>&1
exits 0 "analyze: a sharing run of another program is left out" perseus analyze
says "@last-sharing is left out" "analyze: and that is said" "$T/err"
says "^model of other from 1 timing run and 0 sharing runs" "analyze: the model is of the timing run"
cd ..

# YAML
cp "$root"/yaml/examples/*.yaml .
echo mine >out.yaml
keep out.yaml
sed 's/^objective: .*/objective: speed/' plan.yaml >bad-plan.yaml
exits 4 "codegen: a wrong word in a plan" perseus codegen bad-plan.yaml -o triggers
says "line [0-9]+, column [0-9]+.*speed" "codegen: line, column, word" "$T/err"
it "codegen: no file was written" test ! -e triggers/perseus_triggers.c
sed 's/core: 1$/core: 12/' plan.yaml >core-plan.yaml
exits 4 "plan check: an unknown core" perseus plan check core-plan.yaml --platform platform.yaml
says "line [0-9]+, column [0-9]+.*unknown core 12" "plan check: line, column, core" "$T/err"
printf 'perseus: model\n\tversion: 1\n' >tab.yaml
exits 4 "plan: a tab in YAML" perseus plan tab.yaml -o out.yaml
says "line 2, column" "plan: line and column" "$T/err"
exits 4 "plan: a plan is not a model" perseus plan plan.yaml -o out.yaml
exits 4 "plan: a missing model" perseus plan missing.yaml -o out.yaml
exits 4 "plan: a model for a missing platform" perseus plan model.yaml -p missing.yaml -o out.yaml
exits 4 "plan: an unknown platform name" perseus plan model.yaml -p no-such-machine -o out.yaml
says "xeon-e5320" "plan: the known ones are named" "$T/err"
exits 4 "analyze: a missing run" perseus analyze missing -o out.yaml
unchanged "a failed verb does not touch its output" out.yaml

# Under a deadline or a cap a plan may be worse than a baseline that breaks it.
sed -e 's/^energy_nj: .*/energy_nj: 999999999999/' -e '/^ *deadline_ns: /d' -e '/^cap_mw: /d' plan.yaml >worse.yaml
exits 1 "plan check: figures that contradict each other" perseus plan check worse.yaml -p platform.yaml
says "between 'worse.yaml' and 'platform.yaml'" "plan check: both files by the names given" "$T/out"
says "is worse than the baseline" "plan check: the figure is named" "$T/out"

# Programs
exits 4 "sites: a program without probes" perseus sites ./plain
says "built without -fplugin=perseus.so" "sites: says so" "$T/err"
exits 125 "record: a program without probes" perseus record ./plain
says "built without -fplugin=perseus.so" "record: says so" "$T/err"
exits 1 "verify: a plan for another program" perseus verify plan.yaml ./plain
exits 4 "verify: not a program" perseus verify plan.yaml plan.yaml
exits 4 "verify: a missing plan" perseus verify missing.yaml ./plain

# Directories that cannot be written
exits 3 "analyze: into a missing directory" perseus analyze good -o void2/model.yaml
exits 3 "plan: into a missing directory" perseus plan model.yaml -p platform.yaml -o void2/plan.yaml
exits 3 "calibrate: into a missing directory" perseus calibrate --quick -o void2/platform.yaml
exits 3 "codegen: where no directory can be made" perseus codegen plan.yaml -o /proc/void2
if [ "$(id -u)" = 0 ]; then
	mkdir ro && mount -t tmpfs none ro && cp plan.yaml model.yaml ro/ && mount -o remount,ro ro && mounted=1
fi
if [ -n "$mounted" ]; then
	exits 3 "codegen: a read-only directory" perseus codegen plan.yaml -o ro/triggers
	exits 3 "plan: a read-only directory" perseus plan model.yaml -p platform.yaml -o ro/plan.yaml
	exits 3 "calibrate: a read-only directory" perseus calibrate --quick -o ro/platform.yaml
	says "Read-only" "calibrate: the reason" "$T/err"
	umount ro
else
	skip "read-only directories" "needs root"
fi

# Plugin
exits 1 "plugin: an unknown argument" gcc -fplugin="$PLUGIN" -fplugin-arg-perseus-speed=9 -c -o x.o plain.c
says "speed" "plugin: is named" "$T/err"
exits 1 "plugin: an unknown value" gcc -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=speed -c -o x.o plain.c
it "plugin: no object was written" test ! -e x.o
mkdir alone && cp "$PLUGIN" alone/perseus.so
exits 1 "plugin: no back end for this GCC" gcc -fplugin="$T/alone/perseus.so" -c -o x.o plain.c
says "$(gcc -dumpversion | cut -d. -f1)" "plugin: the version is named" "$T/err"
printf 'perseus-triggers 9\n' >other.plan
exits 1 "plugin: a plan file of another version" gcc -fplugin="$PLUGIN" -fplugin-arg-perseus-plan="$T/other.plan" -c -o x.o plain.c
cat >foreign.plan <<'E'
perseus-triggers 2
plan 0000000000000000000000000000000000000000000000000000000000000000
start
call 0001 0123456789abcdef 00000000 before work.c main gone 7
end 3 0552dca8f6d7486c
E
exits 1 "plugin: a plan for other code" gcc -fplugin="$PLUGIN" -fplugin-arg-perseus-plan="$T/foreign.plan" -c -o x.o work.c
says "gone" "plugin: the missing call is named" "$T/err"

# The command line
exits 2 "an unknown verb" perseus frobnicate
it "... that is like none" test "$(grep -c "did you mean" "$T/err")" = 0
exits 2 "a verb with a typing error" perseus confilcts
says "did you mean 'conflicts'?" "... has the one that was meant" "$T/err"
exits 2 "an option with a typing error" perseus conflicts --paltform=x good
says "unknown option '--paltform=x'; did you mean --platform?" "... has the one that was meant" "$T/err"
exits 0 "-V is --version" perseus -V
says "^perseus [0-9.]+$" "... and says it" "$T/out"
exits 2 "no verb" perseus
for verb in doctor flags record report sites conflicts calibrate analyze plan codegen verify prove explain; do
	exits 2 "$verb: an unknown option" perseus $verb --no-such-option
	[ $verb = explain ] || says "no-such-option" "$verb: is named" "$T/err"
	exits 0 "$verb: --help" perseus $verb --help
	says "^usage: perseus $verb" "$verb: shows how it is used" "$T/out"
	[ $verb = record ] || exits 0 "$verb: --help behind an operand" perseus $verb good --help
	exits 0 "help $verb" perseus help $verb
done
exits 0 "plan check: --help" perseus plan check plan.yaml --help
exits 0 "report: -h behind an operand and an option" perseus report --threads good -h
says "^usage: perseus report" "report: shows how it is used" "$T/out"
exits 0 "record: --help behind the program is the program's own" perseus record -q -o helped ./work --help
says "^6$" "record: which ran with it" "$T/out"
exits 2 "prove: --help as the value of an option is that" perseus prove --args --help ./plain
for words in "analyze -xq" "analyze --partial -xq" "record -qx ./work" "plan -xp y" "conflicts --json -xt"; do
	exits 2 "an unknown short option in a cluster: $words" perseus $words
	says "unknown option '-x'" "... is named" "$T/err"
done
exits 2 "a value that is not wanted" perseus analyze --partial=3 good
says "'--partial' takes no value" "is named" "$T/err"
exits 2 "a value that is missing" perseus analyze good -o
says "'-o' needs a value" "is asked for" "$T/err"
exits 0 "help" perseus help
it "fits into 80 columns" sh -c "! grep -nE '^.{81}' '$T/out'"
exits 3 "a full disk behind stdout is not success" sh -c 'perseus explain share >/dev/full'
finish
