#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile plans, platforms, executables and objects never crash the verifiers.
. tests/lib.sh
plan=tests/codegen/golden/plan.yaml
san="-fsanitize=address,undefined -fno-sanitize-recover=all"
it "builds the readers with sanitizers" gcc -std=gnu11 -O1 -g $san -I. -Iinclude -o "$T/fuzz" tests/verify/programs/fuzz.c \
	$(ls verify/*.c | grep -v -e verify/verify- -e verify/check-)
cat >"$T/user.c" <<-EOC
	#include <pthread.h>
	#include "perseus_triggers.h"
	void *worker(void *p) { perseus_trigger_0118(); perseus_trigger_0120(); return p; }
	__attribute__((noinline)) void _ZNSt6threadC2IRFvvEJEvEEOT_DpOT0_(void)
	{
		perseus_create_2_begin();
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
it "builds it" sh -c "cd '$T' && gcc -O1 -Igen -c user.c gen/*.c && gcc -o planned *.o && strip --strip-debug planned"
exits 0 "undamaged, it is equal" perseus verify "$plan" "$T/planned" --objects "$T/user.o" "$T/perseus_triggers.o" "$T/perseus_platform_linux.o"
exits 0 "6000 damaged files" "$T/fuzz" 6000 "$plan" tests/verify/platform.yaml "$T/planned" "$T/perseus_triggers.o"
says "^[0-9]{3,} refused, [0-9]{3,} judged" "many were refused, many judged"
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
