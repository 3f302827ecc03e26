#!/bin/sh
# SPDX-License-Identifier: MIT
# Bytes that do not change: between two builds, with debug information, and
# between a build without the plugin and one where it has nothing to do.
. tests/lib.sh
. tests/plugin/helpers
P=$PWD/tests/plugin/programs
cd "$T" || exit 1
NONE="-fplugin=$PLUGIN -fplugin-arg-perseus-probe=none"
cp "$P/loops.c" "$P/throws.cc" .
printf '#define ANSWER 42\nstruct box { int width, height; };\nstatic inline int area(struct box b) { return b.width * b.height; }\n' >h.h
printf '#include "h.h"\nint ext(int);\nint use(struct box *b) { return ext(area(*b)) + ANSWER; }\n' >pch.c
cp pch.c pch.cc

# cc FILE: compiler for it
cc() { case $1 in *.cc) echo g++ -w -std=c++17 ;; *) echo gcc -w ;; esac; }

# same TEXT FILE FLAGS...: without the plugin and with probe=none; -o is the same name, as GCC records it
same() {
	text=$1 file=$2
	shift 2
	$(cc "$file") "$@" "$file" -o out && mv out plain && $(cc "$file") "$@" $NONE "$file" -o out && mv out none &&
		cmp plain none >log 2>&1
	if [ $? = 0 ]; then ok "$text"; else not_ok "$text" "$(cat log)"; fi
}

for f in loops.c throws.cc; do
	set -- "-O0" "-O3 -g3 -frecord-gcc-switches" "-O2 -g -flto -frandom-seed=1"
	[ $f = throws.cc ] || set -- "$@" "-O2 -g" "-Os -g -flto -ffat-lto-objects -frandom-seed=1"
	for o; do
		same "$f $o: probe=none gives the object of the build without the plugin" $f $o -c
	done
	same "$f: ... and the same assembler text" $f -O2 -g -S
	same "$f: ... and the same preprocessed text" $f -E -dD
	$(cc $f) -E -dM $f >plain.i
	$(cc $f) -E -dM -fplugin="$PLUGIN" $f >probed.i
	it "$f: preprocessing is the same with probes, too" cmp plain.i probed.i
done
$(cc loops.c) -O2 -c loops.c -o out && mv out plain
probed gcc -O2 -c loops.c -o out
it "with probes the object differs (so these comparisons can fail)" sh -c '! cmp -s plain out'
probed gcc -O2 -g -c loops.c -o g.o
it "with probes the recorded options name them" sh -c "readelf --debug-dump=info g.o | grep -q 'DW_AT_producer.*-fplugin='"
cp "$PLUGIN" "$T/other.so"
gcc -w -O2 -g -c $NONE -fplugin="$T/absent/nothing.so" loops.c -o out 2>err
it "another plugin's failure is not hidden" grep -q nothing.so err

mkdir one two tmp
cp loops.c throws.cc one
cp loops.c throws.cc two
for f in loops.c throws.cc; do
	(cd one && probed $(cc $f) -O2 -g -ffile-prefix-map="$T/one=." -c $f -o x.o)
	(cd two && TMPDIR=$T/tmp probed $(cc $f) -O2 -g -ffile-prefix-map="$T/two=." -c $f -o x.o)
	it "$f: built in another folder, with another TMPDIR: the same bytes" cmp one/x.o two/x.o
	(cd two && setarch -R $(cc $f) -fchecking=2 -fplugin="$PLUGIN" -O2 -g -ffile-prefix-map="$T/two=." -c $f -o x.o)
	it "$f: ... and at fixed addresses" cmp one/x.o two/x.o
	set -- "-O2 -g"
	[ $f = throws.cc ] || set -- "-O0" "-O3" "$@"
	for o; do
		it "$f $o: debug information changes no code" $(cc $f) $o -fcompare-debug -fplugin="$PLUGIN" -c $f -o o.o
	done
done

# Tags of values that stay in registers: two of one function were set to 0 in the order of their addresses.
cat >kept.c <<'E2'
double f(double (*g)(double), double *a, int n)
{
	double x = g(a[0]), y = g(a[1]), z = g(a[2]), w = g(a[3]);
	for (int i = 0; i < n; i++) {
		x = g(x * 0.5);
		y = g(y * 0.25);
		z = x > y ? z * w : z + y;
		w = g(z);
		a[i] = x + y * z - w;
	}
	a[n] = x;
	a[n + 1] = z;
	return y + w;
}
E2
for mode in results full origin; do
	for i in 1 2 3 4 5 6 7 8; do
		gcc -O3 -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:$mode -c kept.c -o "kept.o" && sha256sum <kept.o
	done | sort -u >sums
	it "denormal:$mode: eight times the same bytes" test "$(wc -l <sums)" = 1
done

# Precompiled headers, made and used with and without the plugin
for f in pch.c pch.cc; do
	lang=c-header
	[ $f = pch.c ] || lang=c++-header
	rm -f h.h.gch
	$(cc $f) -O2 -c $f -o direct-without.o
	$(cc $f) -O2 -fplugin="$PLUGIN" -c $f -o direct-with.o
	for made in without with; do
		p= && [ $made = without ] || p=-fplugin=$PLUGIN
		$(cc $f) -O2 $p -x $lang h.h -o h.h.gch
		for used in without with; do
			p= && [ $used = without ] || p=-fplugin=$PLUGIN
			exits 0 "$f: a header precompiled $made the plugin is used $used it" $(cc $f) -O2 -Wall -Winvalid-pch -Werror $p -H -c $f -o out.o
			says '^! .*h\.h\.gch' "... really"
			objcopy -O binary -j .text direct-$used.o a.bin
			objcopy -O binary -j .text out.o b.bin
			it "... and the code is right" cmp a.bin b.bin
		done
	done
done
finish
