#!/bin/sh
# SPDX-License-Identifier: MIT
# A loop in which nothing is denormal does not count, and none that is goes unnoticed.
. tests/lib.sh
. tests/denormal/common.inc

for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"} "-O2 -flto" "-O2 -fPIC"; do
  build full gcc -ffp-contract=off $o $P/gates.c && run
  as_plain "$o"
  grep '^site' "$T/facts" >"$T/sites"
  [ "$o" != -O0 ] || cp "$T/sites" "$T/wanted"
  it "$o: each count is that of -O0, which has no gates" cmp "$T/wanted" "$T/sites"
  for flush in daz ftz; do
    run $flush
    as_plain "$o $flush"
  done
  run
  "$T/prog" >"$T/got"
  echo "status $?" >>"$T/got"
  as_plain "$o, without the library"
done
it "births that nothing notes are among them" grep -q "mul type=1 bears() '' root birth=[1-9]" "$T/sites"
run clean
as_plain "clean"
same "without denormals there are none" "" "$(grep -E '(birth|death|result|operand.)=[1-9]' "$T/facts")"
for o in -O1 -O2 -O3; do
  gcc -ffp-contract=off -DCALM $o -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:full -o "$T/calm" $P/gates.c -lm
  it "$o: with denormals there are loops that count" sh -c "'$T/calm' | grep -q '^some loops'"
done
# Where arrays meet there is but one version: it counts always.
gcc -ffp-contract=off -DCALM -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:full -o "$T/calm" \
  -x c - -lm <<X || not_ok "builds"
#define shifts(to, from, n) ((void)0)
$(sed '/^NOINLINE void shifts/,/^}/d' $P/gates.c)
X
it "without them none does" sh -c "'$T/calm' clean | grep -q '^no loop'"
it "... and they are recorded as such" sh -c "mkdir '$T/r' && PERSEUS_RUN_DIR='$T/r' LD_PRELOAD='$O/lib/libperseus-denormal.so' '$T/calm' clean | grep -q '^no loop'"

# Over 0 a denormal raises ZE, and not DE.
cat >"$T/over.c" <<'X'
__attribute__((noinline)) static void over(float *to, const float *a, const float *b, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = a[i] / b[i];
}
static float a[1000], b[1000], to[1000];
int main(void)
{
	for (int i = 0; i < 1000; i++) {
		a[i] = i % 10 == 3 ? 1e-40f : 1;
		b[i] = i % 10 != 3;
	}
	over(to, a, b, 1000);
	return !(to[3] > 1e38f);
}
X
for o in -O0 -O1 -O2 -O3; do
  build full gcc $o "$T/over.c"
  run
  as_plain "$o, over 0"
  same "$o: denormals over 0 are operands" "100 100" "$(total div operand0) $(total div death)"
done
# What is stored over in the same turn is not computed for the program's sake, and counted all the same.
cat >"$T/again.c" <<'X'
#define N 1000
static float a[N], h[N], d[N];
#define TWICE(name, second) \
	__attribute__((noinline)) static void name(float *to, const float *h, int n) \
	{ \
		for (int i = 1; i < n - 1; i++) { \
			to[i] = h[i] / 3.0f + 1.0f; \
			to[i] = second; \
		} \
	}
TWICE(before, to[i - 1])
TWICE(behind, to[i + 1] * 0.5f)
TWICE(fixed, 2.0f)
TWICE(other, h[i])
__attribute__((noinline)) static void either(float *to, const float *h, int n)
{
	for (int i = 1; i < n - 1; i++) {
		to[i] = h[i] * 0.25f;
		if (i % 3)
			to[i] = to[i - 1];
	}
}
int main(void)
{
	for (int i = 0; i < N; i++)
		h[i] = i % 7 ? 1 : 3e-38f;
	before(a, h, N);
	behind(a, h, N);
	fixed(a, h, N);
	other(d, h, N);
	either(d, h, N);
	return !(a[5] > 1);
}
X
for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"}; do
  build full gcc -ffp-contract=off $o "$T/again.c"
  run
  grep '^site' "$T/facts" >"$T/sites"
  [ "$o" != -O0 ] || cp "$T/sites" "$T/wanted"
  it "$o: what is stored over counts as with -O0" cmp "$T/wanted" "$T/sites"
done
it "142 quotients in each of four loops" test "$(grep -c 'div .*birth=142' "$T/wanted")" = 4
finish
