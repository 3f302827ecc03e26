#!/bin/sh
# SPDX-License-Identifier: MIT
# The generated code in running programs: every planned thread finds itself on
# its core at its first instruction, everything else stays as it was.
. tests/lib.sh
. tests/codegen/plan.inc
progs=$(pwd)/tests/codegen/programs
if [ -z "$B" ]; then
	skip "planned threads start on their cores" "needs two cores"
	finish
fi

threads_plan >"$T/plan.yaml"
exits 0 "codegen accepts the plan" perseus codegen "$T/plan.yaml" -o "$T/gen"
build_objects() {
	gcc -std=c11 -O2 -c -o "$1/perseus_triggers.o" "$1/perseus_triggers.c" &&
		gcc -std=c11 -O2 -c -o "$1/perseus_platform_linux.o" "$1/perseus_platform_linux.c" &&
		gcc -std=c11 -O2 -DPERSEUS_STATIC -c -o "$1/static.o" "$1/perseus_platform_linux.c"
}
it "the generated files compile" build_objects "$T/gen"

# expect FILE NAME MASK: a thread of the program has exactly this mask
on() { grep -qx "$1 $2" "$T/out" || { not_ok "$3" "expected '$1 $2' in: $(cat "$T/out")"; return 1; }; }
all_on_cores() {
	on main "$A" "$1" && on worker0 "$A" "$1" && on worker1 "$B" "$1" && on worker2 "$A" "$1" && on worker3 "$B" "$1" && ok "$1"
}

objs="$T/gen/perseus_triggers.o $T/gen/perseus_platform_linux.o"
for flags in "" "-O2 -no-pie" "-O2 -fpie -pie" "-O2 -flto" "-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections" "-O2 -fvisibility=hidden"; do
	it "C builds with '$flags'" gcc $flags -I"$T/gen" -o "$T/c" "$progs/threads.c" $objs -pthread
	exits 0 "C runs, $flags" "$T/c"
	all_on_cores "C threads start on their planned cores, '$flags'"
	it "C++ builds with '$flags'" g++ $flags -I"$T/gen" -o "$T/cc" "$progs/threads.cc" $objs -pthread
	exits 0 "C++ runs, $flags" "$T/cc"
	all_on_cores "std::thread starts on its planned core, '$flags'"
done

static_objs="$T/gen/perseus_triggers.o $T/gen/static.o"
it "C builds -static" gcc -O2 -static -Wl,--wrap=pthread_create -I"$T/gen" -o "$T/c-static" "$progs/threads.c" $static_objs
exits 0 "the static C program runs" "$T/c-static"
all_on_cores "threads of a static C program start on their planned cores"
it "C++ builds -static" g++ -O2 -static -Wl,--wrap=pthread_create -I"$T/gen" -o "$T/cc-static" "$progs/threads.cc" $static_objs
exits 0 "the static C++ program runs" "$T/cc-static"
all_on_cores "std::thread in a static program starts on its planned core"

it "builds for the further cases" gcc -O2 -I"$T/gen" -o "$T/c" "$progs/threads.c" $objs -pthread
exits 0 "more threads than planned" "$T/c" more
all_on_cores "the planned ones keep their cores"
says "^worker4 $start_mask\$" "a thread beyond the plan keeps the program's mask, though main is pinned"
says "started 4 unplanned 2 not_created 0" "threads beyond the plan are counted"
says "^main-after $A\$" "main is back on its core afterwards"
exits 0 "a worker that creates" "$T/c" nested
says "^child $B\$" "a thread created by a worker starts on its planned core"
says "started 5 unplanned 0 not_created 0" "every instance was found"
exits 0 "creations that fail" "$T/c" fail
says "^failed 1" "the system refused a creation"
all_on_cores "a failed creation gives its ordinal back"
says "started 4 unplanned 0 not_created 4" "failed creations are counted"
exits 0 "detached threads" "$T/c" detached
all_on_cores "detached threads start on their planned cores"

exits 0 "a narrower mask" taskset -c "$A" "$T/c"
says "^worker1 $A\$" "a planned core outside the mask is not forced"
says "^pins 3 not_held 0 refused 0 outside 2 suppressed 0" "cores outside the mask are counted"

for foreign in "cores $((cores + 1))" "cpu Another"; do
	threads_plan $foreign >"$T/foreign.yaml"
	exits 0 "codegen for another machine, $foreign" perseus codegen "$T/foreign.yaml" -o "$T/foreign"
	it "compiles, $foreign" build_objects "$T/foreign"
	it "builds, $foreign" gcc -O2 -I"$T/foreign" -o "$T/f" "$progs/threads.c" "$T/foreign/perseus_triggers.o" "$T/foreign/perseus_platform_linux.o"
	exits 0 "runs on a machine it was not planned for, $foreign" "$T/f"
	says "^worker1 $start_mask\$" "no trigger acts there, $foreign"
	says "^pins 0 not_held 0 refused 0 outside 0 suppressed 5" "the settings left out are counted, $foreign"
	says "^machine 2" "the status says it is foreign, $foreign"
done

it "links objects of two plans" gcc -O2 -I"$T/gen" -o "$T/mixed" "$progs/threads.c" "$T/gen/perseus_triggers.o" "$T/foreign/perseus_platform_linux.o"
exits 0 "runs with objects of two plans" "$T/mixed"
says "^machine 2" "objects of two plans are distinguished, and no trigger acts"
finish
