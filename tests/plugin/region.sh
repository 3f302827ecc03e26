#!/bin/sh
# SPDX-License-Identifier: MIT
# Between the enter probe and the call there is nothing that costs time: the
# computation of an argument stays before the clock is read.  The expander moves
# a value with a single use to that use; a probe that does not take the argument
# as an input has 10 of these divisions behind it at -O2.
. tests/lib.sh
. tests/plugin/helpers

cat >"$T/region.c" <<'C'
extern long sink(long), sink2(long, double), sinkf(float), many(long, long, long, long, long, long, long, long);
extern long (*pointer)(long);
struct big { long a[6]; };
extern long by_value(struct big, long);
extern long pure_fn(long) __attribute__((pure));
long integer(long x, long y) { return sink(x / y); }
long used_result(long x, long y) { return sink(x / y) + 1; }
long real(double x, double y) { return sink2(3, x / y); }
long single(float x, float y) { return sinkf(x / y); }
long indirect(long x, long y) { return pointer(x % y); }
long eight(long x, long y, long z) { return many(x / y, x % y, x / z, y / z, z / x, z / y, y / x, y % x); }
long structure(struct big b, long x, long y) { return by_value(b, x / y); }
long loop(long *p, long y) { long s = 0; for (int i = 0; i < 9; i++) s += sink(p[i] / y); return s; }
long narrow(int x, int y) { return sink((char)(x / y)) + 2; }
long pure_callee(long x, long y) { return pure_fn(x / y) + 2; }
long nested(long x, long y) { return sink(pure_fn(x / y) / 7); }
C

# sunk FILE: divisions between the end of an enter probe and its call; the count of calls goes last
sunk() {
	awk '
	/^[a-z_]+:/ { fn = $1; inside = 0 }
	/^\.LprsB[0-9]+:/ { inside = 1; n = 0; next }
	/^\t(i?div[lq]|divs[sd])\t/ && inside { held[n++] = fn " " $0 }
	/^\tcall\t/ && !/\.Lprs/ { calls++; for (i = 0; i < n; i++) print held[i]; n = inside = 0 }
	END { print calls + 0 }' "$1"
}

# A leave probe ends in a label, too; what follows it belongs to nobody until the next enter probe.
for level in -O0 -Og -O1 -O2 -O3 -Os; do
	exits 0 "$level: compiles" probed gcc $level -fplugin-arg-perseus-probe=calls -S -o "$T/region.s" "$T/region.c"
	sunk "$T/region.s" >"$T/sunk"
	says '^(1[1-9]|2[0-9])$' "$level: the calls are there" "$T/sunk"
	silent 'div' "$level: no division between the probe and the call" "$T/sunk"
done

# The judge itself sees one that has sunk.
printf 'f:\n.LprsB1:\n\tidivq\t%%rsi\n\tcall\tsink@PLT\n' >"$T/naive.s"
sunk "$T/naive.s" >"$T/sunk"
says 'f: .idivq' "a division that has sunk is seen" "$T/sunk"
finish
