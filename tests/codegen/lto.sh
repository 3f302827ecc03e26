#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of several units under -flto: every creation and call that the plan
# names is marked, wherever the units were compiled and whoever inlined them.
. tests/lib.sh
. tests/codegen/plan.inc
if [ -z "$B" ]; then
	skip "a planned program of two units" "needs two cores"
	finish
fi
mkdir -p "$T/src" && cd "$T/src" || exit 1

cat >launch.h <<'X'
#include <pthread.h>
void launch_pair(pthread_t *t, void *(*fn)(void *), long first);
int launch_one(pthread_t *t, void *(*fn)(void *), long n);
X
cat >launch.c <<'X'
#include "launch.h"
void launch_pair(pthread_t *t, void *(*fn)(void *), long first)
{
	pthread_create(&t[0], NULL, fn, (void *)first);
	pthread_create(&t[1], NULL, fn, (void *)(first + 1));
}
int launch_one(pthread_t *t, void *(*fn)(void *), long n)
{
	return pthread_create(t, NULL, fn, (void *)n);
}
X
cat >main.c <<'X'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include "launch.h"
static int core[5];
static void *work(void *p)
{
	core[(long)p] = sched_getcpu();
	return NULL;
}
int main(void)
{
	pthread_t t[5];

	launch_pair(t, work, 0);
	launch_one(&t[2], work, 2);
	pthread_create(&t[3], NULL, work, (void *)3L);
	pthread_create(&t[4], NULL, work, (void *)4L);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 5; i++)
		printf("%d%s", core[i], i < 4 ? " " : "\n");
	return 0;
}
X
cat >launch.cc <<'X'
#include <thread>
#include <vector>
void launch(std::vector<std::thread> &v, int *p);
void launch(std::vector<std::thread> &v, int *p)
{
	v.emplace_back([p] { p[0]++; });
	v.push_back(std::thread([p] { p[1]++; }));
}
X
cat >main.cc <<'X'
#include <cstdio>
#include <thread>
#include <vector>
void launch(std::vector<std::thread> &v, int *p);
static int n[8];
int main()
{
	std::vector<std::thread> v;
	std::thread own([] { n[2]++; });
	launch(v, n);
	for (auto &t : v)
		t.join();
	own.join();
	printf("%d %d %d\n", n[0], n[1], n[2]);
	return 0;
}
X
cd "$T" || exit 1
mkdir -p far/away

# creations PROGRAM: "ID INSTANCE UNIT FUNCTION CALLEE LINE", one a creating site, in the order of lines
creations() {
	sites "$1" | awk -F'\t' '
		$1 == "U" { unit = $7; split("", name) }
		$1 == "N" { name[$2] = $3 }
		$1 == "C" && $11 ~ /(^|,)create(,|$)/ { print $3, $4, unit, name[$5], $6, $8 }' | sort -k4,4 -k6,6n
}

# plan_of LIST: one thread a creating site, on A and B in turn
plan_of() {
	plan_head
	echo threads:
	plan_thread 0 main - - 0 -
	n=0
	while read -r line; do
		[ $((n % 2)) = 0 ] && core=$A || core=$B
		plan_thread $((n + 1)) "work $n" 0 $n 0 "$core"
		n=$((n + 1))
	done <"$1"
	echo sites:
	n=0
	while read -r id instance unit function callee line; do
		INSTANCE=$instance plan_site $n "$id" "$unit" "$function" "$callee" "$line"
		n=$((n + 1))
	done <"$1"
}

generate() {
	plan_of "$1" | sed 's/file: "-"/file: "launch.c"/' >plan.yaml # as the analyzer writes it
	perseus codegen plan.yaml -o gen >gen.out &&
		gcc -std=c11 -O2 -c -o gen/t.o gen/perseus_triggers.c &&
		gcc -std=c11 -O2 -c -o gen/p.o gen/perseus_platform_linux.c
}
planned_flags() { echo "-fplugin=$PLUGIN -fplugin-arg-perseus-plan=$T/gen/perseus_triggers.plan"; }

# build COMPILER FLAGS FOLDER OUT MORE...: units compiled among the sources, linked in FOLDER
build() {
	b_cc=$1 b_flags=$2 b_dir=$3 b_out=$T/$4 b_ext=c
	shift 4
	case $b_cc in g++*) b_ext=cc ;; esac
	(cd src && rm -f ./*.o && $b_cc $b_flags $plugin -c main.$b_ext launch.$b_ext) &&
		(cd "$b_dir" && $b_cc $b_flags $plugin "$T/src/main.o" "$T/src/launch.o" "$@" -o "$b_out" 2>link.err)
}

# whole COMPILER FLAGS COUNT: recorded and planned with the same flags, linked in the folder of the sources and in others
whole() {
	what="$1 $2" plugin="-fplugin=$PLUGIN"
	it "$what: the measurement build" build "$1" "$2" src measured
	creations measured >list
	it "$what: each creation is a site of its own" test "$(cut -d' ' -f1,2 list | sort -u | wc -l)" = "$3"
	for dir in . far/away; do
		it "$what: linked in $dir" build "$1" "$2" $dir measured2
		creations measured2 >list2
		it "$what: linked in $dir, the sites are the same" cmp list list2
	done
	it "$what: codegen" generate list
	plugin=$(planned_flags)
	for dir in src .; do
		it "$what: the planned build, linked in $dir" build "$1" "$2" $dir planned "$T/gen/t.o" "$T/gen/p.o"
		exits 0 "$what: ... is the plan" perseus verify plan.yaml planned --sources gen
		says "[ (]$3 of $3 thread starts" "$what: ... with all threads"
	done
	exits 0 "$what: ... and runs" ./planned
}

for flags in "-O2 -flto" "-O2 -flto=auto" "-O3 -flto" "-O2 -flto -flto-partition=max" "-O2 -flto -flto-partition=none" \
	"-O2 -flto -fno-fat-lto-objects" "-O2 -flto -ffat-lto-objects" "-O2 -flto -fno-inline"; do
	whole gcc "$flags" 5
	it "gcc $flags: threads run where they are planned" grep -qx "$B $A $A $B $A" out
done
whole g++ "-O2 -flto -pthread" 3
if command -v gcc-11 >/dev/null && [ -e "$(dirname "$PLUGIN")/perseus-gcc11.so" ]; then
	whole gcc-11 "-O2 -flto" 5
else skip "gcc-11 -O2 -flto" "gcc-11 or its back end is not there"; fi

# Names of sources that are neither those of the compiler nor those of the link.
whole gcc "-O2 -flto -ffile-prefix-map=$T/src=/usr/src" 5
(cd far/away && gcc -O2 -flto $plugin -c ../../src/main.c ../../src/launch.c)
it "named from two folders away: links" gcc -O2 -flto $plugin far/away/main.o far/away/launch.o gen/t.o gen/p.o -o planned
exits 0 "named from two folders away: is the plan" perseus verify plan.yaml planned

# Twins: each is wrong in one way, and verify must say so.
plugin="-fplugin=$PLUGIN"
build gcc "-O2 -flto" . measured && creations measured >list && generate list
plugin=$(planned_flags)
build gcc "-O2 -flto" . planned gen/t.o gen/p.o && cp link.err src/link.err
exits 0 "the right one is the plan" perseus verify plan.yaml planned
silent "^hint" "... without a hint"
silent "perseus-lto-link" "... and without a warning of the link" src/link.err
gcc -O2 -flto src/main.o src/launch.o gen/t.o gen/p.o -o bare 2>bare.err
says "linked without it, so there are no triggers: .*-fplugin=perseus.so and its arguments .*-Wperseus-lto-link" \
	"twin: linked without the plugin, the link says so" bare.err
exits 1 "... and so does verify" perseus verify plan.yaml bare
(cd src && gcc -O2 -flto $plugin -c main.c && gcc -O2 -flto -c launch.c)
gcc -O2 -flto $plugin src/main.o src/launch.o gen/t.o gen/p.o -o half
exits 1 "twin: a unit compiled without the plan" perseus verify plan.yaml half
says "creating site [0-9] is not marked: .*launch_pair. .launch.c" "... is named by its function and file"
(cd src && gcc -O2 -flto $plugin -fno-inline -c main.c launch.c)
gcc -O2 -flto $plugin -fno-inline src/main.o src/launch.o gen/t.o gen/p.o -o other
exits 1 "twin: inlined otherwise than in the recorded build" perseus verify plan.yaml other
says "before the call of .pthread_create. in .launch_pair. .launch.c., inlined copy [0-9a-f]{8}$" "... which names the copy"
says "^hint: .*as it was inlined in the recorded build: .*-flto in both" "... and what to look at"

# The generated files under -flto, too: nothing refers to them before the triggers are put in.
it "generated files under -flto: links" gcc -O2 -flto $plugin src/main.c src/launch.c gen/perseus_triggers.c \
	gen/perseus_platform_linux.c -o planned
exits 0 "generated files under -flto: is the plan" perseus verify plan.yaml planned
exits 0 "generated files under -flto: runs" ./planned
it "generated files under -flto: threads run where they are planned" grep -qx "$(cat out)" out
finish
