#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile plans, platforms, executables and objects never crash the verifiers.
. tests/lib.sh
plan=tests/codegen/golden/plan.yaml
san="-fsanitize=address,undefined -fno-sanitize-recover=all"
mkdir "$T/obj"
readers=$(echo "$(pwd)"/verify/*/*.c "$(pwd)"/verify/arch/*/*.c "$(pwd)"/verify/*/arch/*/*.c)
here=$(pwd)
it "builds the readers with sanitizers" sh -c "cd '$T/obj' && gcc -std=gnu11 -O1 -g $san -I'$here' -I'$here/include' -c $(echo $readers)"
it "builds the program that damages files" gcc -std=gnu11 -O1 -g $san -I. -Iinclude -o "$T/fuzz" tests/verify/programs/fuzz.c "$T"/obj/*.o
cat >"$T/user.c" <<-EOC
	#include <pthread.h>
	#include "perseus_triggers.h"
	static pthread_barrier_t barrier;
	__attribute__((noinline)) void fir(void) { __asm__ volatile(""); }
	__attribute__((noinline))
	void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(void)
	{
		__asm__ volatile("");
	}
	void *worker(void *p)
	{
		perseus_trigger_0118();
		fir();
		pthread_barrier_wait(&barrier);
		perseus_trigger_0120();
		return p;
	}
	__attribute__((noinline)) void _ZNSt6threadC2IRFvvEJEvEEOT_DpOT0_(void)
	{
		perseus_create_2_begin();
		_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE();
		perseus_create_end();
	}
	int main(void)
	{
		pthread_t t;
		perseus_program_start();
		perseus_create_1_begin();
		pthread_create(&t, 0, worker, 0);
		perseus_create_end();
		_ZNSt6threadC2IRFvvEJEvEEOT_DpOT0_();
		return 0;
	}
EOC
it "codegen makes a program to damage" perseus codegen "$plan" -o "$T/gen"
it "builds it" sh -c "cd '$T' && gcc -O1 -Igen -c user.c gen/perseus_triggers.c gen/perseus_platform_linux.c && gcc -o planned *.o && strip --strip-debug planned"
exits 0 "undamaged, it is equal" perseus verify "$plan" "$T/planned" --objects "$T/user.o" "$T/perseus_triggers.o" "$T/perseus_platform_linux.o"
exits 0 "2000 damaged files" "$T/fuzz" 2000 "$plan" tests/verify/platform.yaml "$T/planned" "$T/perseus_triggers.o"
says "^[0-9]{3,} refused, [0-9]{3,} judged" "many were refused, many judged"
# Tables of lines: as another reader has them, and damaged.
it "builds the reader of lines" gcc -std=gnu11 -O1 -g $san -I. -Iinclude -o "$T/lines" tests/verify/programs/lines.c "$T"/obj/*.o
for cc in "gcc -gdwarf-5 -O2" "gcc -gdwarf-4 -O3" "gcc -gdwarf-2 -O1 -no-pie" "clang -g -O2"; do
	command -v ${cc%% *} >/dev/null || { skip "lines: $cc" "not installed"; continue; }
	it "lines: $cc, builds" $cc -pthread -o "$T/lined" tests/codegen/programs/stages.c
	"$T/lines" "$T/lined" >"$T/got"
	cut -d' ' -f1 "$T/got" | addr2line -e "$T/lined" | sed 's,.*/,,; s, (disc.*,,' >"$T/want"
	it "lines: $cc, are those of addr2line" sh -c "[ -s '$T/got' ] && cut -d' ' -f2 '$T/got' | cmp - '$T/want'"
	exits 0 "lines: $cc, 400 damaged tables" "$T/lines" 400 "$T/lined"
	says "^[1-9][0-9]* answers" "lines: $cc, some answers were left"
done
it "builds the one that damages texts" gcc -std=gnu11 -O1 -g $san -I. -Iinclude -o "$T/texts" tests/verify/programs/fuzz-texts.c "$T"/obj/*.o
(cd "$T" && sha256sum user.c planned gen/perseus_triggers.h >list)
exits 0 "400 damaged sources and manifests" "$T/texts" 400 "$plan" "$T/gen/perseus_triggers.c" "$T/list"
says "^[0-9]{2,} refused, [0-9]{2,} different, [0-9]+ equal" "some were refused, some differed"
for depth in 100 100000; do
	{ cat "$plan"; echo "phases2:"; awk -v n=$depth 'BEGIN { for (i = 0; i < n; i++) printf "["; print "" }'; } >"$T/deep.yaml"
	exits 4 "a plan nested $depth levels deep" perseus verify "$T/deep.yaml" "$T/planned"
done
exits 4 "a directory as plan" perseus verify "$T" "$T/planned"
mkfifo "$T/fifo"
exits 4 "a pipe as program" perseus verify "$plan" "$T/fifo"
: >"$T/empty"
exits 4 "an empty program" perseus verify "$plan" "$T/empty"
exits 4 "an empty plan" perseus verify "$T/empty" "$T/planned"
finish
