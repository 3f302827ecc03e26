#!/bin/sh
# SPDX-License-Identifier: MIT
# Under -flto counters are put in at the link: a link without the plugin, or with other arguments, is told of; a proper one says nothing.
. tests/lib.sh
. tests/denormal/common.inc

cat >"$T/half.c" <<'C'
void half(float *a, int n) { for (int i = 0; i < n; i++) a[i] *= 0.5f; }
C
cat >"$T/main.c" <<'C'
#include <stdio.h>
void half(float *a, int n);
static float a[1000];
int main(void) {
	for (int i = 0; i < 1000; i++) a[i] = 1.2e-38f;
	half(a, 1000);
	printf("%g\n", (double)a[7]);
}
C
cc() { gcc -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:full "$@"; }
for f in half main; do
  cc -flto -c "$T/$f.c" -o "$T/$f.o"
  cc -flto -ffat-lto-objects -c "$T/$f.c" -o "$T/$f.fat.o"
  cc -c "$T/$f.c" -o "$T/$f.plain.o"
done
W='Warning: perseus: compiled with -flto and the plugin, linked without it, so there are no counters of denormals: add -fplugin=perseus.so and its arguments to the link step'
forgotten() { # TEXT COMMAND...: a link
  text=$1
  shift
  exits 0 "$text" "$@" -o "$T/prog"
  it "... one warning, whatever the number of units" test "$(grep -c "$W" "$T/err")" -eq 1
  exits 125 "... and record" perseus record --purpose=denormal -o "$T/run" "$T/prog"
  says '^perseus record: .*: 2 units were compiled with -flto and$' "... says at once why nothing can be counted"
  says 'nothing was counted, so nothing is known of its denormals: 2 units of$' "... and in the end"
  says 'add -fplugin=perseus.so and its arguments to the link step$' "... with the remedy"
}
proper() { # TEXT COMMAND...
  text=$1
  shift
  exits 0 "$text" "$@" -o "$T/prog"
  it "... no word" test ! -s "$T/err"
  rm -rf "$T/run"
  exits 0 "... and it counts" perseus record --purpose=denormal -o "$T/run" "$T/prog"
  says '1,000 births' "... all of it"
  exits 0 "... and the report" perseus denormals "$T/run"
  says '^trust +good' "... trusts it"
}
slim="$T/half.o $T/main.o" fat="$T/half.fat.o $T/main.fat.o"
forgotten "without the plugin" gcc -O2 -flto $slim
forgotten "... fat objects" gcc -O2 -flto $fat
forgotten "with the plugin, for calls" gcc -O2 -flto -fplugin="$PLUGIN" $slim
proper "with the plugin" cc -flto $slim
proper "... fat objects" cc -flto $fat
proper "fat objects without LTO" gcc -fno-lto $fat
exits 0 "probe=none at the link is no mistake" gcc -O2 -flto -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=none $slim -o "$T/prog"
it "... no word" test ! -s "$T/err"

# A part of it.
gcc -O2 -flto "$T/half.o" "$T/main.plain.o" -o "$T/prog" 2>/dev/null
rm -rf "$T/run"
exits 0 "one unit of two" perseus record --purpose=denormal -o "$T/run" "$T/prog"
exits 0 "... the report" perseus denormals "$T/run"
says '^trust +limited' "... does not trust it"
says '1 unit was compiled with -flto and the plugin but linked$' "... and says why"
exits 0 "... in JSON, too" perseus denormals --json "$T/run"
says '1 unit was compiled with -flto' "... with the reason"

# Units whose denormals nobody counts lose nothing.
gcc -O2 -ffast-math -flto -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:full -c "$T/half.c" -o "$T/fast.o" 2>/dev/null
exits 0 "a unit of -ffast-math" gcc -O2 -flto "$T/fast.o" "$T/main.plain.o" -o "$T/prog"
it "... is not missed" test ! -s "$T/err"
finish
