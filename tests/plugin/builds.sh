#!/bin/sh
# SPDX-License-Identifier: MIT
# A compiler whose back end cannot be built costs the others nothing and is
# named with the reason in one line; every compiler here with plugin headers has one.
. tests/lib.sh
for line in $(scripts/plugin-gccs.sh gcc); do
	n=${line%%:*}
	it "GCC $n: its back end was built $(find "$O/obj/gcc-plugin-$n" -name '*.err' -exec grep -h -m 1 error {} + 2>/dev/null | head -n 1)" \
		test -e "$O/lib/perseus-gcc$n.so"
done

# fake MAJOR TARGET FOLDER: a compiler for the list, whose g++ does not compile
fake() {
	mkdir -p "$T/bin" "$T/$3"
	printf '#!/bin/sh\ncase $1 in -dumpversion) echo %s ;; -dumpmachine) echo %s ;; *=plugin) echo %s ;; *) exec gcc "$@" ;; esac\n' \
		"$1" "$2" "$T/$3" >"$T/bin/gcc-$1"
	printf '#!/bin/sh\necho "x.c:7:1: error: last_stmt was not declared" >&2\nexit 1\n' >"$T/bin/g++-$1"
	chmod +x "$T/bin/gcc-$1" "$T/bin/g++-$1"
}
mkdir -p "$T/with/include" "$T/o/lib"
touch "$T/with/include/gcc-plugin.h"
fake 9 x86_64-linux-gnu with
fake 97 aarch64-linux-gnu with
fake 98 x86_64-linux-gnu without
fake 99 x86_64-linux-gnu with
PATH=$PATH:$T/bin
exits 0 "compilers without a back end are listed" scripts/plugin-gccs.sh --missing gcc
says '^  no back end for GCC 9: 11 is the oldest' "one that is too old"
says '^  no back end for GCC 97: it makes code for aarch64-linux-gnu' "one for another processor"
says '^  no back end for GCC 98: .*apt-get install gcc-98-plugin-dev' "one without headers, with the package"
silent 'GCC 99:' "not one that can be tried"
scripts/plugin-gccs.sh gcc >"$T/list"
it "that one alone is tried" sh -c "grep -q '^99:' '$T/list' && ! grep -E '^(9|97|98):' '$T/list'"

cp -p "$O"/lib/perseus-gcc*.so "$T/o/lib/"
kept=$(for f in "$T"/o/lib/perseus-gcc*.so; do echo "-o $f"; done)
exits 0 "a back end that does not compile does not end the build" make -s -j2 O="$T/o" $kept "$T/o/lib/perseus.so"
it "... and is told in one line" sh -c "grep -c . '$T/err' | grep -qx 1"
says '^  no back end for GCC 99: x.c:7:1: error: last_stmt was not declared .*/obj/gcc-plugin-99/.*\.err' "... with the reason and where all of it is"
echo 'int f(int); int main(void) { return f(1); }' >"$T/a.c"
exits 0 "the other back ends work" gcc -fplugin="$T/o/lib/perseus.so" -c "$T/a.c" -o "$T/a.o"

# Code for another processor: one sentence, no probes, and the build goes on.
cross=aarch64-linux-gnu-gcc
if command -v $cross >/dev/null; then
	cd "$T" || exit 1
	cp a.c conftest.c
	exits 0 "a compiler for another processor goes on" $cross -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=calls,memory -c a.c
	says 'no probes: they are for x86-64, and this compiler makes code for aarch64-linux-gnu$' "... and says that there are no probes"
	it "... once" sh -c "wc -l <err | grep -qx 1"
	$cross -O2 -c a.c -o plain.o
	it "... as there are not" cmp a.o plain.o
	exits 0 "a configure step" $cross -O2 -fplugin="$PLUGIN" -c conftest.c
	it "... is told nothing" test ! -s err
	cd "$OLDPWD" || exit 1
else skip "a compiler for another processor" "$cross is not installed"; fi

# A symbol that the compiler lacks would be found in the middle of a compilation.
link() { scripts/back-end.sh link 99 gcc "$T/b.so" "$1" -- gcc -shared -o "$T/b.so" "$1"; }
echo 'void *xmalloc(unsigned long); void f(void) { xmalloc(1); }' >"$T/has.c"
echo 'void tree_of_tomorrow(void); void f(void) { tree_of_tomorrow(); }' >"$T/lacks.c"
for name in has lacks; do
	gcc -fPIC -c "$T/$name.c" -o "$T/$name.o"
	rm -f "$T/b.so"
	link "$T/$name.o" >"$T/$name.said" 2>&1
	[ -e "$T/b.so" ] && touch "$T/$name.made"
done
it "a back end that uses what the compiler has is linked" test -e "$T/has.made" -a ! -s "$T/has.said"
it "... one that uses what it lacks is not" test ! -e "$T/lacks.made"
says 'no back end for GCC 99: .*cc1 has no .*tomorrow' "... and the symbol is named" "$T/lacks.said"
finish
