#!/bin/sh
# SPDX-License-Identifier: MIT
# Which of several equal calls a trigger stands at: shown by the lines of the
# debug information, in all its versions, or not shown; another one differs.
. tests/lib.sh
. tests/codegen/plan.inc
if [ -z "$B" ]; then
	skip "lines" "needs two cores"
	finish
fi
cd "$T" || exit 1
cat >three.c <<-'EOC'
	#include <pthread.h>
	static pthread_barrier_t barrier;
	__attribute__((noinline)) static void look(int n) { __asm__ volatile("" : : "r"(n)); }
	void perseus_program_start(void), perseus_create_1_begin(void), perseus_create_end(void), perseus_trigger_0007(void);
	#ifndef POINTS
	#define POINTS 0
	#endif
	static void *work(void *arg)
	{
		look(0);
		pthread_barrier_wait(&barrier);
	#if POINTS & 1
		perseus_trigger_0007();
	#endif
		look(1);
		pthread_barrier_wait(&barrier);
	#if POINTS & 2
		perseus_trigger_0007();
	#endif
		look(2);
		pthread_barrier_wait(&barrier);
	#if POINTS & 4
		perseus_trigger_0007();
	#endif
		look(3); pthread_barrier_wait(&barrier);
	#if POINTS & 8
		perseus_trigger_0007();
	#endif
		look(4);
		return arg;
	}
	int main(void)
	{
		pthread_t thread[4];
	#if POINTS
		perseus_program_start();
	#endif
		pthread_barrier_init(&barrier, NULL, 4);
		for (long i = 0; i < 4; i++) {
	#if POINTS
			perseus_create_1_begin();
	#endif
			int bad = pthread_create(&thread[i], NULL, work, (void *)i);
	#if POINTS
			perseus_create_end();
	#endif
			if (bad)
				return 2;
		}
		for (int i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
		return 0;
	}
EOC
it "a measured program" gcc -O2 -fplugin="$PLUGIN" -o measured three.c
second=$(sites measured | awk -F'\t' '$1 == "U" { unit = $7 } $1 == "C" && $6 == "pthread_barrier_wait" && $10 == 1 { print $3, $4, unit, "work", $6, $8 }')
{
	plan_head
	echo threads:
	plan_thread 0 main - - 0 "$A"
	for i in 0 1 2 3; do plan_thread $((i + 1)) worker 0 0 $i "$A"; done
	echo sites:
	plan_site_of 0 $(site_line measured . create)
	plan_site_of 1 $second
	echo triggers:
	plan_trigger 7 1 1 true 1 0 "$B"
} >plan.yaml
line=$(grep -n 'pthread_barrier_wait' three.c | sed -n '2s/:.*//p')
exits 0 "its plan's code" perseus codegen plan.yaml -o gen
it "compiles" sh -c "gcc -O2 -c -o t.o gen/perseus_triggers.c && gcc -O2 -c -o p.o gen/perseus_platform_linux.c"

# planned NAME FLAGS [LINK-FLAGS]; planned as it is, or by hand at the calls of POINTS
planned() { it "build: $1" gcc $2 -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -o x three.c t.o p.o $3; }
by_hand() { it "build: $1" gcc -O2 $2 -o x three.c t.o p.o; }
# shown NAME, open NAME PATTERN
shown() {
	exits 0 "$1" perseus-verify plan.yaml x
	says "^which call: perseus_trigger_0007 is at line $line of three.c, by the debug information .4 calls of .pthread_barrier_wait. in .work.[);]" "$1: shown by its line"
	silent "not shown: which" "$1: nothing is open"
}
open() {
	exits 0 "$1" perseus-verify plan.yaml x
	says "not shown: which of 4 calls of .pthread_barrier_wait. in .work. perseus_trigger_0007 belongs to .the plan means that of line $line.: $2" "$1: not shown"
	silent "^which call" "$1: and nothing else is said"
}
for how in "-g -O2" "-g -O0" "-g1 -O3" "-gdwarf-5 -O2" "-gdwarf-4 -O2" "-gdwarf-3 -O1" "-gdwarf-2 -O2" "-gdwarf-5 -gdwarf64 -O2" "-g -gsplit-dwarf -O2" "-g -gno-as-loc-support -O2" "-g -O2 -ffunction-sections"; do
	planned "$how" "$how"
	shown "$how"
done
planned "-flto" "-g -O2 -flto"
shown "-flto"
for how in gold lld mold; do
	if ! command -v ld.$how >/dev/null; then skip "$how" "not installed"; continue; fi
	planned "$how" "-g -O2" -fuse-ld=$how
	shown "$how"
done
planned "no debug information" -O2
open "no debug information" "there is no debug information"
planned "compressed" "-g -gz -O2"
open "compressed" "the debug information is compressed"

by_hand "by hand" "-g -DPOINTS=2"
shown "by hand"
by_hand "at the first one" "-g -DPOINTS=1"
exits 1 "at the first one" perseus-verify plan.yaml x --grafted
says "perseus_trigger_0007 in .work. stands at the call of .pthread_barrier_wait. in line $((line - 5)), not at that of line $line" "at the first one: both lines are named"
by_hand "at the first one, without -g" "-DPOINTS=1"
open "at the first one, without -g" "there is no debug information"
by_hand "at two" "-g -DPOINTS=6"
exits 0 "at two" perseus-verify plan.yaml x --grafted
says "not shown: which of 4 .*: no line of the debug information tells" "at two: not shown"

# Lines that moved: together with the only call of another site, or nobody knows.
cp three.c kept.c
sed '1s/^/\n\n/' kept.c >three.c
by_hand "moved together" "-g -DPOINTS=2"
exits 0 "moved together" perseus-verify plan.yaml x --grafted
says "^which call: perseus_trigger_0007 is at line $((line + 2)) .*the plan has line $line, and another call of the file moved as far" "moved together: shown"
sed "$line s/^.*$//;$((line - 1))s/$/ pthread_barrier_wait(\&barrier);/" kept.c >three.c
by_hand "moved onto another line" "-g -DPOINTS=2"
open "moved onto another line" "it stands at that of line $((line - 1))"
sed "s/^\tlook(0);/\tpthread_barrier_wait(\&barrier); look(9);/;${line}s/^/\tpthread_barrier_wait(\&barrier);/" kept.c >three.c
by_hand "two on its line" "-g -DPOINTS=2"
exits 0 "two on its line" perseus-verify plan.yaml x --grafted
says "not shown: which of 5 .*: the debug information has several on one line, or without one" "two on its line: not shown"
finish
