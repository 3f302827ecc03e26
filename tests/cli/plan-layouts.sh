#!/bin/sh
# SPDX-License-Identifier: MIT
# The whole way of plan --layouts on a real program: recorded, layouts proposed and weighed, checked, generated,
# built again without a change of its source, and recorded again: the finding is gone.  Its padded twin gets no layout.
. tests/lib.sh
src=$(pwd)/tests/bench/layouts
cp "$src/fields.c" "$src/crew.h" "$T" && cp tests/sharing/platform.yaml "$T/platform.yaml" && cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "layouts of a real program are weighed" "one core only"; finish; exit; }
turns=3000000
# On a busy machine threads that go before others meet all the same.
first=
chrt -f 1 true 2>/dev/null && first="chrt -f 1"
steady_prices platform.yaml
compile() { gcc -std=gnu11 -O2 -g -pthread "$@" fields.c; }
it "the program is built" compile -o plain
it "and with probes" compile -fplugin="$PLUGIN" -o probed
it "so is its twin, which is padded by hand" compile -fplugin="$PLUGIN" -DPADDED -o twin
# finds PROGRAM: a sharing run in which its threads met
finds() {
	for try in 1 2 3 4 5 6; do
		rm -rf sharing
		# shellcheck disable=SC2086
		$first perseus record -q --purpose=sharing --sharing=precise -o sharing "./$1" $turns >said || return 1
		perseus conflicts --all -p platform.yaml sharing >found
		grep -Eq '^share-[0-9]+ false-sharing' found && return 0
	done
	return 1
}
alone() { rm -rf timing && taskset -c "$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')" perseus record -q -o timing "./$1" $turns >said; }
if ! finds probed; then
	if grep -q 'Inconclusive: ' found; then skip "its threads meet" "machine busy: in six recordings other load had the cores"
	else not_ok "its threads meet" "$(cat found)"; fi
	finish
	exit
fi
it "its work is timed on one core" alone probed
it "the model is made" perseus analyze -o model.yaml timing sharing
if ! grep -q '^conflicts:' model.yaml && grep -q inconclusive model.yaml; then
	skip "the model has the conflict" "machine busy: the threads hardly met"
	finish
	exit
fi
exits 0 "layouts are proposed" perseus conflicts --all -p platform.yaml --source . --plan=layouts.yaml sharing
exits 0 "and the layouts are weighed" perseus plan model.yaml -p platform.yaml --layouts -o plan.yaml
says '^layouts +[0-9.]+ .* -[0-9.]+ %  [+]112 bytes' "alone they are said to save"
says '^takes +struct stats.tx .fields.c:[0-9]+.: [0-9]+ bytes, without it' "and are taken"
exits 0 "which the checker computes again" perseus plan check -m model.yaml -p platform.yaml plan.yaml
says '^choices: neither, layouts and both confirmed' "all of it"
exits 0 "the generator takes the plan" perseus codegen plan.yaml -o gen
# Threads that the plan counts call generated code, which is linked; the layout is the flag's alone.
it "its code is compiled" sh -c 'cd gen && for f in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c $f.c || exit 1; done'
flags=$(perseus flags --cc=gcc --plan=gen/perseus_triggers.plan --probe=memory)
# shellcheck disable=SC2086
it "the program is built without a change of its source" compile $flags gen/perseus_triggers.o gen/perseus_platform_linux.o -o mended
it "and prints the same" sh -c './plain 1000 >a && ./mended 1000 >b && cmp a b'
if finds mended; then not_ok "its finding is gone" "$(cat found)"; else ok "its finding is gone"; fi

if finds twin; then not_ok "the twin has no finding" "$(cat found)"; else ok "the twin has no finding"; fi
exits 6 "so nothing is proposed for it" perseus conflicts --all -p platform.yaml --source . --plan=none.yaml sharing
it "the twin is timed" alone twin
it "its model is made" perseus analyze -o model.yaml timing sharing
sed -i 's/^program: "probed"/program: "twin"/' layouts.yaml
exits 0 "layouts of another build are weighed for it" perseus plan model.yaml -p platform.yaml --layouts -o plan.yaml
silent '^takes' "and none is taken"
says '^leaves .*the model has no conflict' "since nobody meets there"
finish
