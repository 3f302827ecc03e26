#!/bin/sh
# SPDX-License-Identifier: MIT
# The gate of the evidence pack over the flown program: its trigger code is the
# reviewed code, compiled by the line that is given; a program whose triggers
# set other cores never passes, and without that line nothing is said to.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/evidence/pairs.inc
W=$T/work
mkdir -p "$W" "$T/bin"
perseus=$(command -v perseus)
# A compiler and nothing that checks.
for tool in gcc as ld sh objdump objcopy awk sed grep head tr mkdir cp cat cut dirname basename sha256sum; do ln -s "/usr/bin/$tool" "$T/bin/$tool"; done
planned_pairs

# pack_of PROGRAM_DIR PACK OPTION...: of the program and the generated objects in that folder
pack_of() {
	dir=$1 pack=$2
	shift 2
	PATH=$T/bin "$perseus" codegen "$W/plan.yaml" -o "$W/again" --evidence="$W/$pack" --binary="$dir/pairs" --objects="$W/planned/pairs.o" \
		--objects="$dir/perseus_triggers.o" --objects="$dir/perseus_platform_linux.o" "$@"
}
link_pairs() { gcc -o "$1/pairs" "$W/planned/pairs.o" "$1/perseus_triggers.o" "$1/perseus_platform_linux.o" -pthread; }
gate() { says "^\"perseus-verify\",\"$1\",\"$2" "$3" "$W/$4/gates.csv"; }

cp "$W/planned/pairs" "$W/gen/pairs"
exits 0 "the right program, with the compiler line" pack_of "$W/gen" right --cc="$gen_cc"
says "compiled form of the reviewed sources" "verify says that the code was compared" "$W/right/verify.txt"
gate "(passed|partial)" "equal" "the gate is passed, or partial where verify leaves a point open" right
it "partial exactly where verify leaves a point open" sh -c "if grep -qE '^not (judged|shown): ' '$W/right/verify.txt'; then grep -q 'verify\",\"partial' '$W/right/gates.csv'; else grep -q 'verify\",\"passed' '$W/right/gates.csv'; fi"
says "perseus_triggers.o perseus_triggers.c" "how it was compiled stands in the pack" "$W/right/verify.txt"
says "compiler of --cc\",\"[^\"]*\",\"$gen_cc\"" "... and among the tools" "$W/right/tools.csv"
exits 0 "without the line" pack_of "$W/gen" without
gate "not run" ".*no compiler line was given \(--cc=LINE\)" "the gate is not run" without
says "not run: perseus-verify" "... and the terminal says so"
silent "holds nothing else" "no page claims more" "$W/without/amc-20-193.md"
says '"unit test on the flown object","partial","all cases pass on the object that was given' "the test is of an object that was given, no more" "$W/without/gates.csv"

# Both objects run under their unit tests, and each decision in them is watched.
for what in object "platform object"; do
	says "\"unit test on the flown $what\",\"passed\"" "the unit test passes on the flown $what" "$W/right/gates.csv"
	says "\"branch coverage of the flown $what\",(\"(passed|partial)\",\"[1-9][0-9]* of [1-9][0-9]* decisions all ways .[0-9]+ jumps, [0-9]+ moves or sets by a condition, [0-9]+ tables|\"not run\",\"the test cannot be watched here)" \
		"... and its decisions are watched, where ptrace is allowed" "$W/right/gates.csv"
done

# What flies sets other cores, and neither checks the machine nor knows the plan's.
mkdir "$W/bad" && cp "$W"/gen/perseus_*.[ch] "$W/bad"
sed -i "/^void perseus_trigger_0007/,/^}/s/CORE_$B/(0u + CORE_$A)/; /^void perseus_trigger_0009/,/^}/s/CORE_$A/CORE_$B/" "$W/bad/perseus_triggers.c"
sed -i 's/CPU_SET(core/CPU_SET(0u/; s/if (perseus_same_plan() == 0u)/if (1 == 0)/' "$W/bad/perseus_platform_linux.c"
it "a program whose triggers set other cores" sh -c "! cmp -s '$W/gen/perseus_platform_linux.c' '$W/bad/perseus_platform_linux.c'"
it "... is compiled" compile_gen "$W/bad"
it "... and linked" link_pairs "$W/bad"
exits 1 "with the line: a gate fails" pack_of "$W/bad" attacked --cc="$gen_cc"
gate "failed" "exit status 1" "... that of perseus-verify" attacked
says "perseus_platform_pin|perseus_set_mask|perseus_platform_start" "... which names the function" "$W/attacked/verify.txt"
says '"unit test on the flown object","failed"' "the unit test finds it in the object, too" "$W/attacked/gates.csv"
says '"unit test on the flown platform object","failed"' "... and in that of the platform file" "$W/attacked/gates.csv"
exits 1 "without the line that test fails still" pack_of "$W/bad" unknown
says '"unit test on the flown object","failed"' "... as the gates say" "$W/unknown/gates.csv"
gate "not run" "" "... and perseus-verify is not said to have passed" unknown

# A line that is not that of the build is no proof of anything.
exits 1 "another line than that of the build" pack_of "$W/gen" other --cc="gcc -std=c11 -O0"
gate "failed" "" "... fails the gate" other
says "^hint: --cc" "... with a hint" "$W/other/verify.txt"
exits 1 "a line that does not compile" pack_of "$W/gen" none --cc="gcc -std=c11 -include nowhere.h"
gate "failed" "the generated files do not compile with the line of --cc" "... fails the gate" none
exits 2 "a line without a program" perseus codegen "$W/plan.yaml" -o "$W/again" --evidence="$W/no" --cc=gcc
exits 2 "a line without a pack" perseus codegen "$W/plan.yaml" -o "$W/again" --cc=gcc
# Fewer objects: equal as far as shown.
exits 0 "without objects" perseus codegen "$W/plan.yaml" -o "$W/again" --evidence="$W/fewer" --binary="$W/gen/pairs" --cc="$gen_cc"
gate "partial" "equal as far as shown; [0-9]+ not: not judged: whether it is linked from given object files" "... the gate is partial" fewer
says "partial: perseus-verify" "... and the terminal says so"
finish
