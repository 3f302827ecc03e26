#!/bin/sh
# SPDX-License-Identifier: MIT
# No cache line of the runtime is written by two threads in steady state:
# shown by Perseus itself.  A second copy of the runtime, built with memory
# probes, serves two threads of a program that is recorded by the ordinary
# runtime in a sharing run.  The twin is a copy with one counter that all
# threads write.
. tests/lib.sh
[ -z "$SAN" ] || { skip "no line of the runtime is fought for" "needs the plugin and a runtime without a sanitizer"; finish; }
S=$(pwd)
machine=$(gcc -dumpmachine | sed "s/-.*//")
flags="-D_GNU_SOURCE -O2 -g -mgeneral-regs-only -ftls-model=initial-exec -fno-stack-protector
 -fno-builtin -fno-tree-loop-distribute-patterns -fexceptions -fcf-protection=none -std=gnu11
 -DRT_OWN_AT=0x200 -D__prs_attach=copy_attach -D__prs_detach=copy_detach"

# copy NAME SOURCE-TREE: the program $T/NAME with a runtime of its own
copy() {
	mkdir -p "$T/$1.o" "$T/$1.dir"
	for c in $(cd "$2" && find runtime -name '*.c' ! -path 'runtime/denormal/*' ! -path 'runtime/flush/*' ! -path 'runtime/trial/*'); do
		case $c in */wrap-*.c | */nop.c | */counters-none.c) continue ;; esac
		# shellcheck disable=SC2086
		(cd "$2" && gcc -I"$2" -I"$2/include" -I"$2/runtime/arch/$machine" $flags -w -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=memory -c \
			-o "$T/$1.o/$(basename "$c" .c).o" "$c") || return 1
	done
	# shellcheck disable=SC2086
	gcc -I"$S" -I"$S/include" -I"$S/runtime/arch/$machine" $flags -o "$T/$1" "$S/tests/runtime/self-drive.c" "$T/$1.o"/*.o -pthread
}

# Probes do not see what assembler text does: the single instructions that
# make a thread safe against its own signal handlers are plain C here.
mkdir "$T/tree" "$T/twin"
cp -r runtime include "$T/tree/"
cat >"$T/tree/runtime/arch/$machine/arch/local.h" <<'E'
#ifndef RUNTIME_ARCH_LOCAL_H
#define RUNTIME_ARCH_LOCAL_H
#include <stdbool.h>
#include <stdint.h>
#define LOCAL(bits)                                                                                          \
	static inline void local_add##bits(uint##bits##_t *p, uint##bits##_t v) { *p += v; }                 \
	static inline bool local_swap##bits(uint##bits##_t *p, uint##bits##_t have, uint##bits##_t want)     \
	{                                                                                                    \
		if (*p != have)                                                                              \
			return false;                                                                        \
		*p = want;                                                                                   \
		return true;                                                                                 \
	}
LOCAL(32)
LOCAL(64)
static inline uint64_t local_fetch_add64(uint64_t *p, uint64_t v)
{
	uint64_t old = *p;

	*p = old + v;
	return old;
}
#endif
E

# The twin's clock counts how often it is read.
cp -r "$T/tree/runtime" "$T/tree/include" "$T/twin/"
clock=$T/twin/runtime/arch/$machine/arch/clock.h
sed '/^static inline uint64_t arch_tsc(void)/{n;s/{/{\n\textern volatile uint64_t planted_reads;\n\n\tplanted_reads++;/}' \
	"$S/runtime/arch/$machine/arch/clock.h" >"$clock"
echo 'volatile unsigned long planted_reads;' >"$T/twin/runtime/planted.c"

exits 0 "the runtime builds as a program under test" copy plain "$T/tree"
exits 0 "... and so does the one with a planted counter" copy planted "$T/twin"
for p in plain planted; do
	exits 0 "$p: it records" perseus record -q --purpose=sharing -o "$T/$p.run" "$T/$p" "$T/$p.dir"
	it "$p: it was really used: the copy has written a record" sh -c 'ls "$1"/*.prec >/dev/null' - "$T/$p.dir"
	it "$p: the watching one was, too" sh -c '[ "$(od -An -tu4 -j124 -N4 "$1"/*.prec | tr -d " ")" -gt 200 ]' - "$T/$p.run"
done
# Also what is too small to matter: how often two threads really meet depends on the machine's load.
found() { grep '^share-' "$T/out" | grep -vE '(file\.|/)(beat|allocated)|heartbeat'; }
perseus conflicts "$T/plain.run" >"$T/out" 2>"$T/err"
it "no line of the runtime is fought for" test $? = 0
perseus conflicts --all "$T/plain.run" >"$T/out" 2>"$T/err"
it "... nothing moves at all but the heartbeat, 100 times a second" test "$(found)" = ""
perseus conflicts --all "$T/planted.run" >"$T/out" 2>"$T/err"
says '^share-.* planted_reads' "the planted counter is found" "$T/out"
it "... and nothing else" test "$(found | wc -l)" = 1
finish
