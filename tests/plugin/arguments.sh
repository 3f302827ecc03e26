#!/bin/sh
# SPDX-License-Identifier: MIT
# What the plugin accepts, refuses, and says; how it loads.
. tests/lib.sh
. tests/plugin/helpers
echo 'int f(int); int main(void) { return f(1); } int f(int x) { return x - 1; }' >"$T/a.c"
echo 'int g() { return 4; }' >"$T/a.cc"

exits 1 "an unknown argument is an error" gcc -c -fplugin="$PLUGIN" -fplugin-arg-perseus-colour=red "$T/a.c" -o "$T/a.o"
says "unknown argument 'colour'.*probe=.*select=.*skip=.*rules=.*plan=.*warn=" "... that names what is accepted"
exits 1 "an unknown value is an error" gcc -c -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=all "$T/a.c" -o "$T/a.o"
says "probe=all.*expected.*calls,memory" "... that names the accepted values"
exits 1 "a missing value is an error" gcc -c -fplugin="$PLUGIN" -fplugin-arg-perseus-plan "$T/a.c" -o "$T/a.o"
exits 1 "... of each key that takes one" gcc -c -fplugin="$PLUGIN" -fplugin-arg-perseus-select "$T/a.c" -o "$T/a.o"
says "argument .select. needs a value" "... that names the key"
exits 1 "a hash without a plan is an error" gcc -c -fplugin="$PLUGIN" \
	-fplugin-arg-perseus-plan-hash=$(printf %064d 0) "$T/a.c" -o "$T/a.o"
exits 1 "a hash of the wrong form is an error" gcc -c -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=x \
	-fplugin-arg-perseus-plan-hash=123 "$T/a.c" -o "$T/a.o"
exits 0 "a target without support is compiled as it is" gcc -m32 -ffreestanding -c -fplugin="$PLUGIN" "$T/a.c" -o "$T/a.o"
says "x86-64" "... naming the supported one"

cp "$T/a.c" "$T/a=b=c.c"
gcc -c -fplugin="$PLUGIN" -fplugin-arg-perseus-skip=file:a=b=c.c "$T/a=b=c.c" -o "$T/eq.o"
it "a value may hold signs of equality, of which GCC counts each off its end" sh -c "perseus sites '$T/eq.o' | grep -q ' 0 call and'"
exits 0 "it compiles C" gcc -c -fplugin="$PLUGIN" "$T/a.c" -o "$T/a.o"
it "... without a word on stdout" test ! -s "$T/out"
it "... without a word on stderr" test ! -s "$T/err"
it "it compiles C++" g++ -c -fplugin="$PLUGIN" "$T/a.cc" -o "$T/b.o"
it "it links with -flto" gcc -O2 -flto -fplugin="$PLUGIN" "$T/a.c" -o "$T/a"
exits 0 "preprocessing is unchanged by it" gcc -E -fplugin="$PLUGIN" "$T/a.c"
cp "$T/out" "$T/with"
exits 0 "(preprocessing without it)" gcc -E "$T/a.c"
it "... byte for byte" cmp "$T/out" "$T/with"
it "checking the syntax works" gcc -fsyntax-only -fplugin="$PLUGIN" "$T/a.c"
it "assembler source passes through" sh -c "echo '.text' | gcc -c -fplugin='$PLUGIN' -x assembler-with-cpp - -o '$T/s.o'"
echo 'struct s { int a; };' >"$T/h.h"
it "a precompiled header is made" gcc -fplugin="$PLUGIN" -x c-header "$T/h.h" -o "$T/h.h.gch"
printf '#include "h.h"\nint g(struct s *);\nint k(struct s *p) { return g(p) + p->a; }\n' >"$T/p.c"
it "... and used" gcc -c -Winvalid-pch -Werror -fplugin="$PLUGIN" "$T/p.c" -o "$T/p.o"

mkdir "$T/other"
cp "$PLUGIN" "$T/other/second.so"
ln -s "$(dirname "$PLUGIN")"/perseus-gcc*.so "$T/other/"
gcc -c -fplugin="$PLUGIN" "$T/a.c" -o "$T/once.o"
it "loading it under two names works" gcc -c -fplugin="$PLUGIN" -fplugin="$T/other/second.so" "$T/a.c" -o "$T/twice.o"
# same FILE: its code and its sites are those of once.o; the table says that there were two copies
same() {
	objcopy -O binary -j .text "$T/once.o" "$T/once.bin" && objcopy -O binary -j .text "$1" "$T/same.bin" &&
		cmp "$T/once.bin" "$T/same.bin" && test "$(calls "$1")" = "$(calls "$T/once.o")"
}
it "... and puts the probes in once" same "$T/twice.o"
rm "$T/other"/perseus-gcc*.so
cp "$(dirname "$PLUGIN")"/perseus-gcc*.so "$T/other/"
gcc -c -fplugin="$PLUGIN" -fplugin="$T/other/second.so" "$T/a.c" -o "$T/twice.o"
it "a second copy of the back end stays out of it, too" same "$T/twice.o"

mkdir "$T/bare"
cp "$PLUGIN" "$T/bare/"
if [ -e "/usr/local/lib/perseus/perseus-gcc$(gcc -dumpversion).so" ] || [ -e "/usr/lib/perseus/perseus-gcc$(gcc -dumpversion).so" ]; then
	skip "a missing back end is named" "a back end is installed on this machine"
else
	exits 1 "without a back end the compilation fails" gcc -c -fplugin="$T/bare/perseus.so" "$T/a.c" -o "$T/a.o"
	says "perseus-gcc[0-9]*.so for this compiler, GCC $(gcc -dumpversion)[. ].*built for GCC .*$(gcc -dumpversion)" "... naming the back end and both versions"
	says "gcc-$(gcc -dumpversion)-plugin-dev" "... and the package that it takes"
fi

gcc -O2 -c "$T/a.c" -o "$T/plain.o"
gcc -O2 -c -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=none "$T/a.c" -o "$T/none.o"
objcopy -O binary -j .text "$T/plain.o" "$T/plain.bin"
objcopy -O binary -j .text "$T/none.o" "$T/none.bin"
it "probe=none leaves the code as it is" cmp "$T/plain.bin" "$T/none.bin"
finish
