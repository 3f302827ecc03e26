#!/bin/sh
# SPDX-License-Identifier: MIT
# One perseus.so for every compiler: each back end that was built loads into
# every language of its GCC and passes a part of the tests of this folder (all
# of them by `make check-versions`); what is missing or damaged is said in one line.
. tests/lib.sh
. tests/plugin/helpers
LIB=$(dirname "$PLUGIN")
major=$(gcc -dumpversion)
major=${major%%.*}
echo 'int f(int); int main(void) { return f(1); } int f(int x) { return x - 1; }' >"$T/a.c"
echo 'int g(int x) { return x; } int main() { return g(0); }' >"$T/a.cc"
printf 'program p\n  integer, external :: twice\n  print *, twice(21)\nend program\ninteger function twice(i)\n  integer, intent(in) :: i\n  twice = 2 * i\nend function\n' >"$T/a.f90"
cat >"$T/hello.adb" <<'X'
with Ada.Text_IO; use Ada.Text_IO;
procedure Hello is
   Bad : exception;
   task type Worker is
      entry Go (N : Integer);
      entry Done;
   end Worker;
   task body Worker is
      M : Integer;
   begin
      accept Go (N : Integer) do
         M := N;
      end Go;
      Put_Line ("worker" & Integer'Image (M));
      accept Done;
   end Worker;
   W : Worker;
   procedure Step (X : Integer) is
   begin
      if X > 90 then
         raise Bad;
      end if;
      Put_Line (Integer'Image (X));
   end Step;
begin
   W.Go (7);
   W.Done; -- else two tasks write at once
   for X in 89 .. 99 loop
      Step (X);
   end loop;
exception
   when Bad => Put_Line ("bad");
end Hello;
X
fake_runtime

majors=$(for f in "$LIB"/perseus-gcc*.so; do basename "$f" .so | tr -dc 0-9; echo; done)
it "there is at least one back end" test -n "$majors"

# undefined MAJOR FILE: symbols that the back end takes from the compiler
undefined() { nm -D --undefined-only "$LIB/perseus-gcc$1.so" | awk '$1 == "U" && $2 !~ /@/ { print $2 }' | sort; }

for n in $majors; do
	gcc=gcc-$n
	command -v "$gcc" >/dev/null || { skip "GCC $n" "$gcc is not installed"; continue; }
	undefined $n >"$T/wanted"
	for program in cc1 cc1plus lto1 f951 gnat1; do
		path=$($gcc -print-prog-name=$program)
		[ -x "$path" ] || { skip "GCC $n: $program" "it is not installed"; continue; }
		nm -D --defined-only "$path" | awk '{ print $NF }' | sort >"$T/has"
		it "GCC $n: $program has all that the back end uses" sh -c "! comm -23 '$T/wanted' '$T/has' | grep ."
	done
	it "GCC $n: the back end loads no C++ library" sh -c "! readelf -dW '$LIB/perseus-gcc$n.so' | grep -q 'NEEDED.*stdc'"
	id=$(readelf -nW "$LIB/perseus-gcc$n.so" | sed -n 's/.*Build ID: //p')
	exits 0 "GCC $n: id= of this back end is accepted" $gcc -fplugin="$PLUGIN" -fplugin-arg-perseus-id=$id -c "$T/a.c" -o "$T/a.o"
	exits 1 "GCC $n: ... another one is an error" $gcc -fplugin="$PLUGIN" -fplugin-arg-perseus-id=${id%?}x -c "$T/a.c" -o "$T/a.o"
	says "id=${id%?}x.*$id.*perseus flags" "... that tells both and what to do"
	[ "$n" = "$major" ] && continue # the scripts run with it anyway
	for script in fire ids triggers; do
		PERSEUS_TEST_CC=$gcc tests/plugin/$script.sh >"$T/log" 2>&1
		it "GCC $n passes $script.sh" sh -c "grep -q '^1\.\.' '$T/log' && ! grep '^not ok' '$T/log'"
	done
done

# other TEXT BUILD...: a program in another language with probes live behaves as the plain one
other() {
	text=$1
	shift
	(cd "$T" && "$@" -o plain && ./plain >want && "$@" -fchecking=2 -fplugin="$PLUGIN" -o probed && ./probed >got &&
		LD_PRELOAD=$FAKE ./probed >live 2>/dev/null) >"$T/log" 2>&1
	it "$text: does the same" sh -c "test -s '$T/want' && cmp '$T/want' '$T/got' && cmp '$T/want' '$T/live'"
	it "$text: has probes" sh -c "readelf -SW '$T/probed' | grep -q perseus.sites"
}
for o in -O0 -O2; do
	if command -v gfortran >/dev/null; then other "Fortran $o" gfortran $o a.f90
	else skip "Fortran" "gfortran is not installed"; fi
	if command -v gnatmake >/dev/null; then other "Ada $o" gnatmake -q -f $o hello.adb
	else skip "Ada" "gnatmake is not installed"; fi
done

ln -s "$PLUGIN" "$T/perseus.so"
exits 0 "a link elsewhere finds the back end" gcc -fplugin="$T/perseus.so" -c "$T/a.c" -o "$T/linked.o"
gcc -fplugin="$PLUGIN" -c "$T/a.c" -o "$T/direct.o"
it "... and does the same" cmp "$T/linked.o" "$T/direct.o"
exits 0 "given twice under one name it works" gcc -fplugin="$PLUGIN" -fplugin="$PLUGIN" -c "$T/a.c" -o "$T/twice.o"
it "... once" cmp "$T/twice.o" "$T/direct.o"
LD_LIBRARY_PATH=$LIB exits 0 "-fplugin=perseus.so is found by the dynamic loader" gcc -fplugin=perseus.so -c "$T/a.c" -o "$T/byname.o"
it "... and does the same" cmp "$T/byname.o" "$T/direct.o"
exits 0 "-fplugin=perseus is found in a folder of plugins" gcc -iplugindir="$LIB" -fplugin=perseus -c "$T/a.c" -o "$T/short.o"
it "... and does the same" cmp "$T/short.o" "$T/direct.o"

# one_line TEXT PATTERN: the compiler said this and nothing else
one_line() {
	it "$1: in one line" sh -c "wc -l <'$T/err' | grep -qx 1"
	says "$2" "$1: names both versions and what to do"
}
mkdir "$T/bare"
cp "$PLUGIN" "$T/bare/"
if [ -e "/usr/local/lib/perseus/perseus-gcc$major.so" ]; then
	skip "a missing back end" "one is installed on this machine"
else
	for o in "-O2" "-pipe" "-flto"; do
		exits 1 "$o: a missing back end" gcc $o -fplugin="$T/bare/perseus.so" -c "$T/a.c" -o "$T/none.o"
		one_line "... is told" "no back end perseus-gcc$major.so for this compiler, GCC $major\..*built for GCC .*$major.*package gcc-$major-plugin-dev"
	done
	it "... and nothing is left behind" test ! -e "$T/none.o"
fi
for n in 0 10 3000 60000 100000; do
	head -c $n "$LIB/perseus-gcc$major.so" >"$T/bare/perseus-gcc$major.so"
	exits 1 "a back end cut off after $n bytes" gcc -fplugin="$T/bare/perseus.so" -c "$T/a.c" -o "$T/none.o"
	one_line "... is told" "perseus-gcc$major.so for this compiler, GCC $major\..*built for GCC.*damaged.*make install"
done
cp "$FAKE" "$T/bare/perseus-gcc$major.so"
exits 1 "some other library under its name" gcc -fplugin="$T/bare/perseus.so" -c "$T/a.c" -o "$T/none.o"
one_line "... is told" "has no perseus_init.*make install"
finish
