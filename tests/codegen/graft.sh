#!/bin/sh
# SPDX-License-Identifier: MIT
# Two ways in: the plugin inserts the calls, or a diff does it in the sources.  The same program both ways makes the
# same calls in the same order in each thread; what the diff cannot do for certain, it lists and leaves alone.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/codegen/graft.inc
progs=$(pwd)/tests/codegen/programs
examples=$(pwd)/examples
if [ -z "$B" ]; then
	skip "grafted and planned programs are the same" "needs two cores"
	finish
fi
cd "$T" || exit 1
clang=$(command -v clang) clangxx=$(command -v clang++)

# planned NAME CC FLAGS SOURCE OBJECT...: with the plugin; grafted NAME CC FLAGS SOURCE OBJECT...: from the patched source
planned() {
	p_out=$1 p_cc=$2 p_flags=$3 p_source=$4
	shift 4
	$p_cc $p_flags -pthread -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=gen/perseus_triggers.plan \
		-fplugin-arg-perseus-plan-hash="$(sha256sum <plan.yaml | cut -c1-64)" -o "$p_out" "$p_source" "$@"
}
grafted() {
	p_out=$1 p_cc=$2 p_flags=$3 p_source=$4
	shift 4
	$p_cc $p_flags -Wall -Werror -Wno-unused-function -Wno-address -pthread -Igen -o "$p_out" "patched/$p_source" "$@"
}
patched() {
	rm -rf patched && mkdir patched && cp "$1" patched && (cd patched && patch -s -p1 <../gen/perseus_graft.patch)
}
trace_of() { ./"$1" $arguments >"$1.out" && mv trace.out "$1.trace" && [ -s "$1.trace" ]; }

build_both() {
	case $1 in *++) plugin_cc=g++ ;; *) plugin_cc=gcc ;; esac
	rm -f planned grafted *.trace
	planned planned "$plugin_cc" "$2" "$3" gen/trace.o && grafted grafted "$1" "$2" "$3" gen/trace.o
}
run_both() { trace_of planned && trace_of grafted; }

# same TEXT CC FLAGS SOURCE: gcc with the plugin at these flags, CC without it
same() {
	it "$1: both build" build_both "$2" "$3" "$4"
	it "$1: both run" run_both
	it "$1: and print the same" cmp planned.out grafted.out
	it "$1: and make the same calls in each thread" cmp planned.trace grafted.trace
}
arguments=

# forms LANGUAGE CC SOURCE [COMPILER FLAGS]...
forms() {
	what=$1 cc=$2 source=$3
	shift 3
	cp "$progs/$source" .
	it "$what: the recorded build" $cc -O0 -g -pthread -fplugin="$PLUGIN" -o recorded "$source"
	all_plan ./recorded "$source" >plan.yaml
	exits 0 "$what: codegen --graft" perseus codegen plan.yaml -o gen --graft=. --program=recorded
	says "^graft +[0-9]+ of [0-9]+ places in 1 file" "$what: it says what it did"
	silent "by hand" "$what: nothing is left to do by hand"
	trace_object gen
	it "$what: patch takes it" patched "$source"
	it "$what: so does git apply" sh -c "mkdir git && cp $source git && cd git && git apply ../gen/perseus_graft.patch && cmp $source ../patched/$source && rm -r ../git"
	it "$what: and takes it back" sh -c "cp -r patched back && cd back && patch -s -R -p1 <../gen/perseus_graft.patch && cmp $source ../$source && rm -r ../back"
	while [ $# -gt 0 ]; do
		same "$what, $1 $2" "$1" "$2" "$source"
		shift 2
	done
	all_plan ./recorded "$source" all >plan.yaml
	exits 1 "$what: with all calls in the plan something is left" perseus codegen plan.yaml -o gen --graft=. --program=recorded
	sed -n "s/^by hand: $source:\([0-9]*\) .*/\1/p" out | sort -nu >left
	grep -n 'by hand' "$source" | cut -d: -f1 | sort -nu >marked
	it "$what: just the lines that are marked so" diff marked left
	says "^# by hand: $source:" "$what: the head of the patch lists them, too" gen/perseus_graft.patch
	it "$what: the rest of the patch is good" patched "$source"
}
forms C gcc forms.c gcc -O0 gcc "-O2 -flto" ${clang:+clang -O2}
forms C++ g++ forms.cc g++ -O0 g++ -O2 ${clangxx:+clang++ -O1}
says "^by hand: /usr/include/.* std::thread::thread.*in a header of the C\+\+ library outside of the directory of the sources, .*compile forms.cc with the plugin.*; there belongs perseus_create_[0-9]_begin\(\) before, perseus_create_end\(\) after" \
	"a thread of the library is created in the library's header" out

# The negative twin: a call that is put elsewhere is seen.
cp "$progs/forms.c" . && gcc -O0 -pthread -fplugin="$PLUGIN" -o recorded forms.c && all_plan ./recorded forms.c >plan.yaml
perseus codegen plan.yaml -o gen --graft=. --program=recorded >out && trace_object gen && patched forms.c
awk '/perseus_trigger_0001\(\);/ && !done { done = 1; next } { print } /int perseus_result_0001/ { print "perseus_trigger_0001();" }' patched/forms.c >moved.c
planned planned gcc -O1 forms.c gen/trace.o && mv moved.c patched/forms.c && grafted grafted gcc -O1 forms.c gen/trace.o
trace_of planned && trace_of grafted
it "a call in another place makes another trace" sh -c "! cmp -s planned.trace grafted.trace"

# The examples, with the plans' own placement in the end.
for example in pairs imgapp; do
	cp "$examples/$example/$example.c" .
	arguments=0.01
	gcc -O2 -pthread -fplugin="$PLUGIN" -o recorded "$example.c"
	unset INSTANCE
	{
		plan_head && echo threads: && plan_thread 0 main - - 0 "$A" && plan_thread 1 worker 0 0 0 "$B" &&
			plan_thread 2 worker 0 0 1 "$A" && plan_thread 3 worker 0 0 2 "$B" && echo sites: &&
			set -- $(site_line ./recorded . create) && INSTANCE=$2 && plan_site 0 "$1" "$3" "$4" "$5" "$6" && unset INSTANCE
	} >plan.yaml
	[ $example = pairs ] && program= || program=--program=recorded
	exits 0 "$example: codegen --graft" perseus codegen plan.yaml -o gen --graft=. $program
	says "^next +patch -d . -p1 <gen/perseus_graft.patch" "$example: the way to apply it"
	says "^ +perseus verify plan.yaml PROGRAM --grafted --sources gen" "$example: and to verify it"
	silent "fplugin" "$example: nothing of the plugin"
	mkdir pasted && cp $example.c pasted
	exits 0 "$example: the same below another directory" perseus codegen plan.yaml -o "its gen" --graft=pasted $program
	sed -n 's/^next *//p' out >pasted.sh
	it "$example: the printed command applies the patch" sh pasted.sh
	it "$example: it is in the source" grep -q perseus_program_start pasted/$example.c
	rm -rf pasted
	trace_object gen
	it "$example: patch" patched $example.c
	same "$example, -O2" gcc -O2 $example.c
	for o in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o gen/$o.o gen/$o.c; done
	cat >told.c <<-EOC
		#include "perseus_triggers.h"
		#include <stdio.h>
		__attribute__((destructor)) static void tell(void) { fprintf(stderr, "started %u unplanned %u pins %u\n", perseus_status.started, perseus_status.unplanned, perseus_status.pins[0]); }
	EOC
	gcc -Igen -c -o gen/told.o told.c
	it "$example: the planned program" planned planned gcc -O2 $example.c gen/perseus_*.o gen/told.o
	it "$example: the grafted program" grafted grafted gcc -O2 $example.c gen/perseus_*.o gen/told.o
	./planned 0.01 >planned.out 2>planned.err
	./grafted 0.01 >grafted.out 2>grafted.err
	it "$example: the same placements are made ($(cat grafted.err))" cmp planned.err grafted.err
	exits 0 "$example: verify takes the grafted program" perseus verify plan.yaml grafted --grafted --sources gen
	says "^equal in threads, calls and code, as far as shown: " "$example: as equal"
done
exits 1 "imgapp without the recorded program" perseus codegen plan.yaml -o gen --graft=.
says "inlining may have made several: name the recorded program with --program" "the reason is given"
mkdir headless && sed 's/int main(/int maim(/' imgapp.c >headless/imgapp.c
exits 1 "sources without main, and without the recorded program" perseus codegen plan.yaml -o gen --graft=headless
says "^graft +0 of " "nothing could be done"
silent "^next|perseus verify" "and no way to build it is shown"
arguments=
finish
