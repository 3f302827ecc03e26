#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile plans, platforms, executables and objects never crash the verifiers.
. tests/lib.sh
plan=tests/codegen/golden/plan.yaml
times=${FUZZ_TIMES:-1} few=$((400 * ${FUZZ_TIMES:-1}))
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
exits 0 "$((2000 * times)) damaged files" "$T/fuzz" $((2000 * times)) "$plan" tests/verify/platform.yaml "$T/planned" "$T/perseus_triggers.o"
says "^[0-9]{3,} refused, [0-9]{3,} judged" "many were refused, many judged"
# Tables of lines: as another reader has them, and damaged.
it "builds the reader of lines" gcc -std=gnu11 -O1 -g $san -I. -Iinclude -o "$T/lines" tests/verify/programs/lines.c "$T"/obj/*.o
for cc in "gcc -gdwarf-5 -O2" "gcc -gdwarf-4 -O3" "gcc -gdwarf-2 -O1 -no-pie" "clang -g -O2"; do
	command -v ${cc%% *} >/dev/null || { skip "lines: $cc" "not installed"; continue; }
	it "lines: $cc, builds" $cc -pthread -o "$T/lined" tests/codegen/programs/stages.c
	"$T/lines" "$T/lined" >"$T/got"
	cut -d' ' -f1 "$T/got" | addr2line -e "$T/lined" | sed 's,.*/,,; s, (disc.*,,' >"$T/want"
	it "lines: $cc, are those of addr2line" sh -c "[ -s '$T/got' ] && cut -d' ' -f2 '$T/got' | cmp - '$T/want'"
	exits 0 "lines: $cc, $few damaged tables" "$T/lines" $few "$T/lined"
	says "^[1-9][0-9]* answers" "lines: $cc, some answers were left"
done
# Debug information: places of members as another reader has them, and damaged.
it "builds the reader of types" gcc -std=gnu11 -O1 -g $san -I. -Iinclude -o "$T/members" tests/verify/programs/layouts.c "$T"/obj/*.o
cat >"$T/t.cc" <<-'EOC'
	#include <map>
	#include <string>
	struct pair { long left; long right; } pairs[2] = {{1, 2}};
	int main(int n, char **) { std::map<std::string, long> m; return (int)(m["a"] + pairs[n & 1].right) & 0; }
EOC
(. tests/codegen/plan.inc && . tests/verify/layouts.inc && { field pair right t.cc 3 64 16 8 128 64; variable pairs - t.cc 3 64 32 64; } | layouts_plan >"$T/layouts.yaml")
for cc in "g++ -g -O2" "g++ -gdwarf-4 -O0" "g++ -gdwarf-2 -O2" "g++ -gdwarf-4 -fdebug-types-section -O1" "g++ -g -gdwarf64" "clang++ -gdwarf-5 -O1"; do
	command -v ${cc%% *} >/dev/null || { skip "types: $cc" "not installed"; continue; }
	it "types: $cc, builds" $cc -o "$T/typed" "$T/t.cc"
	it "types: $cc, are read" sh -c "'$T/members' '$T/typed' >'$T/got'"
	readelf -wi "$T/typed" 2>/dev/null | awk '
		function tell() { if (member && name != "" && place != "") print name, place }
		/^ *<[0-9a-f]+><[0-9a-f]+>: Abbrev Number/ { tell(); member = /DW_TAG_member/; name = place = "" }
		member && /DW_AT_name/ { name = $NF }
		member && /DW_AT_data_member_location/ { place = $NF; sub(/\)$/, "", place) }
		END { tell() }' >"$T/want"
	it "types: $cc, are those of readelf" sh -c "[ $(wc -l <"$T/got") -gt 50 ] && cmp '$T/got' '$T/want'"
	exits 0 "types: $cc, $few damaged trees" "$T/members" $few "$T/layouts.yaml" "$T/typed"
	says "^[1-9][0-9]* findings" "types: $cc, something was found"
done
it "builds the one that damages texts" gcc -std=gnu11 -O1 -g $san -I. -Iinclude -o "$T/texts" tests/verify/programs/fuzz-texts.c "$T"/obj/*.o
(cd "$T" && sha256sum user.c planned gen/perseus_triggers.h >list)
exits 0 "$few damaged sources and manifests" "$T/texts" $few "$plan" "$T/gen/perseus_triggers.c" "$T/list"
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
