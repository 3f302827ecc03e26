#!/bin/sh
# SPDX-License-Identifier: MIT
# From a plan to a planned program: the plugin inserts the calls, the program
# runs as planned without any library of Perseus, and perseus-verify agrees,
# or names what was changed.
. tests/lib.sh
. tests/codegen/plan.inc
progs=$(pwd)/tests/codegen/programs
if [ -z "$B" ]; then
	skip "a planned program runs as planned" "needs two cores"
	finish
fi
cp "$progs"/stages.c* "$T"
cd "$T" || exit 1

objects() {
	gcc -std=c11 -O2 -c -o "$1/perseus_triggers.o" "$1/perseus_triggers.c" &&
		gcc -std=c11 -O2 -c -o "$1/perseus_platform_linux.o" "$1/perseus_platform_linux.c"
}
planned_flags() { echo "-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -fplugin-arg-perseus-plan-hash=$(sha256sum <plan.yaml | cut -c1-64)"; }
line_is() { if grep -qx "$1" out; then ok "$2"; else not_ok "$2" "expected '$1' in: $(cat out)"; fi; }

# one LANGUAGE COMPILER SOURCE FUNCTION CALLEE FLAGS
one() {
	what="$1 '$6'"
	it "$what: the measurement build" $2 $6 -fplugin="$PLUGIN" -o measured "$3"
	stages_plan ./measured "$4" "$5" >plan.yaml
	exits 0 "$what: codegen" perseus codegen plan.yaml -o gen
	it "$what: the generated files compile" objects gen
	it "$what: the planned build" $2 $6 $(planned_flags) -c -o user.o "$3"
	it "$what: links" $2 $6 -o planned user.o gen/perseus_triggers.o gen/perseus_platform_linux.o
	exits 0 "$what: runs" ./planned
	line_is "w0 $A $B $A" "$what: a thread goes where the plan says, stage by stage"
	line_is "w1 $B $A $A" "$what: another one too"
	line_is "w2 $A $A $A" "$what: a thread without triggers stays where it started"
	exits 0 "$what: verify" perseus verify plan.yaml planned
	says "^equal in threads and calls(, as far as shown)?: 5 of 5 thread starts, 3 of 3 call triggers,$" "$what: verify says equal"
	says "^by ([2-9] calls|1 call) of trigger functions" "$what: ... and by how many calls"
}

one C gcc stages.c work pthread_barrier_wait -O0
one C gcc stages.c work pthread_barrier_wait "-O2 -no-pie"
one C gcc stages.c work pthread_barrier_wait -O3
one C++ g++ stages.cc meet pthread_barrier_wait -O0
one C++ g++ stages.cc meet pthread_barrier_wait -O2
one C gcc stages.c work pthread_barrier_wait -O2
exits 0 "verify with the objects" perseus verify plan.yaml planned --objects user.o gen/perseus_triggers.o gen/perseus_platform_linux.o
says "[0-9]+ functions and [0-9]+ variables are those of the objects" "the generated code is what the objects hold"

it "links with -flto" sh -c "gcc -O2 -flto $(planned_flags) -c -o lto.o stages.c && gcc -O2 -flto $(planned_flags) -o lto lto.o gen/*.o"
exits 0 "an -flto program" ./lto
line_is "w0 $A $B $A" "an -flto program runs as planned"
exits 0 "verify an -flto program" perseus verify plan.yaml lto

# Everything below is wrong in one way; verify must name it.
wrong() { exits 1 "$1" perseus verify plan.yaml "$2"; says "$3" "... and says what"; }
cp plan.yaml good.yaml
sed 's/core: '"$B"'$/core: '"$A"'/' good.yaml >plan.yaml
wrong "a changed plan is another plan" planned "another plan"
says "thread 2 \(worker\): core $B, planned $A" "a changed core is named"
sed 's/^seed: 1$/seed: 2/' good.yaml >plan.yaml
wrong "a changed seed is another plan" planned "another plan"
cp good.yaml plan.yaml
exits 0 "the twin: the plan as it was" perseus verify plan.yaml planned

sed 's/function: "work"/function: "other"/' good.yaml >plan.yaml
exits 0 "a plan with a wrong function is generated" perseus codegen plan.yaml -o named
says "^note +site 1: [0-9a-f]{16} is not the id of a call of .pthread_barrier_wait. in .other.: .*by hand" "... with a note"
exits 1 "... and not compiled" gcc -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=named/perseus_triggers.plan -c -o named.o stages.c
says "trigger 0007: site [0-9a-f]{16} is the call of .pthread_barrier_wait. in .work., .* in .other." "... which names both functions"
cp good.yaml plan.yaml
exits 0 "the twin: the plan as it was" perseus codegen plan.yaml -o named
silent "^note .*is not the id" "... has no such note"
exits 0 "... and is compiled" gcc -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=named/perseus_triggers.plan -c -o named.o stages.c

gcc -O2 -c -o plain.o stages.c
gcc -O2 -o untriggered plain.o gen/*.o
wrong "a program whose units were compiled without the plan" untriggered "trigger 0007 is never called"
says "perseus_program_start is never called" "the missing start is named"
says "creating site 1 is not marked" "the missing mark is named"
exits 1 "the objects show it too" perseus verify plan.yaml untriggered --objects plain.o gen/perseus_triggers.o
says "no object calls trigger 0007: was stages.c compiled with the plan" "the unit is named"

sed 's/perseus_trigger_0007/perseus_trigger_0017/' gen/perseus_triggers.c >extra.c
cat >>extra.c <<-EOC
	void perseus_trigger_0007(void);
	void perseus_trigger_0007(void) { perseus_trigger_0017(); }
EOC
sed 's/perseus_trigger_0007/perseus_trigger_0017/' gen/perseus_triggers.h >perseus_triggers.h
cp gen/perseus_platform.h gen/perseus_status.h gen/perseus_support.h .
it "a program with one more trigger" sh -c "gcc -O2 -I. -c extra.c && gcc -O2 -o more user.o extra.o gen/perseus_platform_linux.o"
wrong "an additional trigger function" more "perseus_trigger_0017 is not in the plan"

gcc -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=calls -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -c -o probed.o stages.c
gcc -O2 -o probed probed.o gen/*.o
wrong "a probe left in" probed "measurement build"
wrong "a program without Perseus" measured "carries no plan"

cat >pointer.c <<-EOC
	void perseus_trigger_0007(void);
	void (*volatile hidden)(void) = perseus_trigger_0007;
EOC
it "a program with a pointer to a trigger" sh -c "gcc -O2 -c pointer.c && gcc -O2 -o indirect user.o pointer.o gen/*.o"
wrong "a way to call it indirectly" indirect "address of perseus_trigger_0007 is taken"
it "the same without PIE" sh -c "gcc -O2 -fno-pie -c pointer.c && gcc -O2 -no-pie -o indirect user.o pointer.o gen/*.o"
wrong "the pointer in a fixed-address program" indirect "address of perseus_trigger_0007 is taken"

sed 's/\[THREAD_WORKER_1\] = {THREAD_MAIN, CREATE_1, 1u/[THREAD_WORKER_1] = {THREAD_MAIN, CREATE_1, 2u/' gen/perseus_triggers.c >gen2.c
it "a program whose table was edited" sh -c "gcc -O2 -Igen -c gen2.c && gcc -O2 -o edited user.o gen2.o gen/perseus_platform_linux.o"
wrong "an edited table of threads" edited "thread 2 \(worker\): ordinal 2, planned 1"
sed "s/\(perseus_pin([A-Z0-9_]*, \)CORE_$B);/\1CORE_$A);/" gen/perseus_triggers.c >gen3.c
it "a program whose triggers were edited" sh -c "gcc -std=c11 -O2 -Igen -c gen3.c && gcc -O2 -o edited user.o gen3.o gen/perseus_platform_linux.o"
exits 1 "edited code is not the code of the objects" perseus verify plan.yaml edited --objects user.o gen/perseus_triggers.o gen/perseus_platform_linux.o
says "perseus_trigger_0007 in the binary is not the code of" "the function is named"

# Where the plan knows the call in the function's own body, it must be there; inlined copies may be anywhere.
cat >elsewhere.c <<-EOC
	void perseus_trigger_0007(void);
	void elsewhere(void);
	void elsewhere(void) { perseus_trigger_0007(); }
EOC
it "a program with one more call, put there by hand" sh -c "gcc -O2 -c elsewhere.c && gcc -O2 -o byhand user.o elsewhere.o gen/*.o"
wrong "a call that stands beside no call of its callee" byhand "perseus_trigger_0007 is called in .elsewhere. .*not after a call of"
INSTANCE=00000000
stages_plan ./measured work pthread_barrier_wait >plan.yaml
unset INSTANCE
perseus codegen plan.yaml -o gen >gen.out && objects gen
for flags in -O0 -O2 -O3 "-O2 -flto" "-O3 -flto -no-pie"; do
	it "a plan for the call in the function itself, '$flags'" sh -c "gcc $flags $(planned_flags) -c -o own.o stages.c && gcc $flags $(planned_flags) -o own own.o gen/*.o"
	exits 0 "... is found there" perseus verify plan.yaml own
	silent "outside the function" "... and nowhere else"
done
it "the same with one more call" sh -c "gcc -O2 $(planned_flags) -c -o own.o stages.c && gcc -O2 -o byhand own.o elsewhere.o gen/*.o"
wrong "a call in another function" byhand "perseus_trigger_0007 is called in .elsewhere., the plan has it in .work."
stages_plan ./measured main pthread_join >plan.yaml
perseus codegen plan.yaml -o gen >gen.out && objects gen
gcc -O2 -o byhand plain.o elsewhere.o gen/*.o
wrong "a call that is in another function only" byhand "perseus_trigger_0007 is not called in .main. .stages.c., only elsewhere"
cp good.yaml plan.yaml

cp planned stripped && strip stripped
exits 4 "a stripped program cannot be judged" perseus verify plan.yaml stripped
says "no symbol table" "the reason is given"
exits 4 "a missing plan" perseus verify none.yaml planned
exits 4 "a plan that is no plan" perseus verify stages.c planned
exits 4 "a program that is none" perseus verify plan.yaml stages.c
exits 2 "no arguments" perseus verify
exits 2 "one file is missing" perseus-verify plan.yaml
says "BINARY is missing behind 'plan.yaml'" "... and is named"
exits 2 "an object that does not stand behind --objects" perseus-verify plan.yaml planned user.o
says "behind --objects, not 'user.o'" "... is named"
exits 2 "--objects without objects" perseus-verify plan.yaml planned --objects
says "names no object" "... is told"
exits 2 "an unknown option" perseus-verify plan.yaml planned --bogus
says "unknown option '--bogus'" "... is named"
exits 0 "--help behind the operands" perseus-verify plan.yaml planned --help

it "is linked without the generated objects" sh -c "! gcc -O2 -o none user.o 2>link.err"
says "perseus_(trigger_0007|program_start|create_1_begin)" "leaving them out is a link error that names the function" link.err
finish
