#!/bin/sh
# SPDX-License-Identifier: MIT
# Examples of manual pages whose answer hangs on nothing but the files below: they are run, and print
# what the page shows.  Those that are not are named with the reason; tests/cli/man.sh tries of all
# whether they are usage errors.
. tests/lib.sh
top=$PWD

# left VERB REASON: has examples that are not run here
left() { echo "$1" >>"$T/left"; }
left analyze "figures and phases of eight threads hang on what else runs"
left annotate "a recording of a program with queues, whose waits hang on the machine"
left build "CMake and a Debian package: tests/packages, tests/cli/way.sh"
left calibrate "measures this machine for seconds: tests/cli/calibrate.sh"
left conflicts "eight threads on two quiet cores: tests/cli/pairs.sh, tests/docs/tutorial.sh"
left ctl "needs perseusd: tests/cli/ctl.sh"
left denormals "a program that runs for seven seconds: tests/cli/denormals.sh"
left diff "ten recordings: tests/cli/diff.sh"
left doctor "says what this machine has: tests/cli/doctor.sh"
left energy "a table of real counts and watts, which lies beside the project"
left export "needs other programs' viewers: tests/cli/export.sh"
left monitor "goes on until its program ends: tests/cli/monitor.sh"
left perseus "the whole way: tests/cli/pairs.sh, tests/docs/tutorial.sh"
left prove "measures: tests/docs/tutorial.sh"
left report "eight threads on two quiet cores: tests/cli/report.sh"
left runs "recordings of other days: tests/cli/runs.sh"
left top "a terminal: tests/cli/terminal.sh"
left try "a plan of this machine: tests/codegen/try.sh"
left waits "waits of a queue hang on the machine: tests/cli/waits.sh"

# shows VERB BLOCK...: those dialogues of the page's examples, run in $T/VERB
shows() {
	verb=$1
	shift
	echo "$verb" >>"$T/shown"
	(cd "$T/$verb" && python3 "$top/tests/docs/run.py" "$top/docs/man/perseus-$verb.1.scd" EXAMPLES "$@") >"$T/log" 2>&1
	if [ $? = 0 ]; then ok "the examples of perseus-$verb(1) are as the tool is ($(tail -n 1 "$T/log"))"
	else not_ok "the examples of perseus-$verb(1) are as the tool is" "$(grep '^differs' "$T/log"; tail -n 60 "$T/log")"; fi
}

mkdir "$T/plan" "$T/sites"
cp yaml/examples/model.yaml "$T/plan"
cp tests/planner/models/float.yaml "$T/plan"
shows plan 1 2

# Of lua and of an object that was edited by hand: tests/plugin.
cp examples/pairs/pairs.c "$T/sites"
printf '#include <math.h>\n#include <setjmp.h>\nstatic jmp_buf there;\nvolatile double number;\nint main(void)\n{\n\tnumber = sqrt(number) + _setjmp(there);\n\treturn 0;\n}\n' >"$T/sites/calc.c"
# shellcheck disable=SC2046
(cd "$T/sites" && for c in pairs calc; do gcc -O2 -g $(perseus flags --cflags) -pthread -o $c $c.c -lm || exit 1; done) >"$T/log" 2>&1 ||
	not_ok "pairs and calc are built" "$(cat "$T/log")"
shows sites 1

# The whole way of pairs, of a recording on eight cores, with the id that this build has.
cp -r examples/pairs "$T/codegen" && ln -s codegen "$T/verify"
(
	cd "$T/codegen" || exit 1
	make -s O=probed CFLAGS="-O2 -g $(perseus flags --cflags)" probed/pairs || exit 1
	id=$(perseus sites probed/pairs | sed -n 's/^call \([0-9a-f]*\) .* main -> pthread_create .*/\1/p')
	sed "s/id: \"@\"/id: \"$id\"/" "$top/tests/mutation/models/pairs.yaml" >model.yaml
	perseus plan model.yaml -p xeon-e5320 -o plan.yaml
) >"$T/log" 2>&1 || not_ok "pairs is built and planned" "$(cat "$T/log")"
shows codegen 1
(cd "$T/codegen" && for f in triggers/*_triggers.c triggers/*_linux.c; do gcc -std=c11 -O2 -c -o "${f%.c}.o" "$f" || exit 1; done) >"$T/log" 2>&1 ||
	not_ok "what codegen wrote is compiled" "$(cat "$T/log")"
shows codegen 2
# The third one is of a platform with two cores.
shows verify 1 2

grep -l '^\$ perseus' docs/man/*.1.scd | sed 's,.*/perseus-,,; s,.*/perseus\.1,perseus.1,; s,\.1\.scd,,' | sort >"$T/pages"
it "each page with dialogues is run or named with the reason" sh -c 'sort -u "$1" "$2" | cmp - "$3"' sh "$T/left" "$T/shown" "$T/pages"

# The twin: a page whose figures' words differ.
sed 's/^baseline  spread/baseline  even/' docs/man/perseus-plan.1.scd >"$T/twin.scd"
exits 1 "another word in an example is noticed" sh -c 'cd "$1/plan" && python3 "$2/tests/docs/run.py" "$1/twin.scd" EXAMPLES 1' sh "$T" "$top"
says '^differs: perseus plan model.yaml .*: baseline  even' "and named"
finish
