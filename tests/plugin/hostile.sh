#!/bin/sh
# SPDX-License-Identifier: MIT
# Inputs that are not what they should be, and programs that lock themselves in.
. tests/lib.sh
. tests/plugin/helpers

echo 'int g(int); int f(int x) { return g(x) + 1; }' >"$T/f.c"
build() { timeout 20 gcc -O1 -fplugin="$PLUGIN" "$@" -c "$T/f.c" -o "$T/f.o"; }

mkfifo "$T/pipe"
mkdir "$T/folder"
for key in rules plan; do
	exits 1 "a pipe given as $key= is not waited for" build -fplugin-arg-perseus-$key="$T/pipe"
	says "pipe.*: it is not a regular file" "... and is named"
	exits 1 "a device given as $key= is not read to its end" build -fplugin-arg-perseus-$key=/dev/zero
	exits 1 "a folder given as $key= is refused" build -fplugin-arg-perseus-$key="$T/folder"
	says "folder.*: it is a directory" "... and named as one"
done

# rules LINE N: a rules file of one line
rules() { printf 'perseus-rules 1\nrun x\nbudget 3\ncost 1 2\nbefore 9\nafter 2\nkept 90\n%s\nend %s\n' "$1" "$2"; }
rules 'call 0000000000000005 1 1 1 1 f.c f.c:1 f%0a%1b[31mX g short' 1 |
	sed "s#1 1 1 1 f.c#1 1 1 1 $T/f.c#" >"$T/rules"
exits 0 "a rule with control characters in its names is read" build -fplugin-arg-perseus-rules="$T/rules"
says 'f\\x0a\\x1b\[31mX -> g' "... and they do not reach the terminal"
exits 1 "an open [ is refused" build '-fplugin-arg-perseus-skip=operator[]'
says '\\\[. stands for the character' "... with the way to write it"
exits 0 "... which works" build '-fplugin-arg-perseus-skip=operator\[\]'

# Each level doubles the name that the front end prints: 40 would not fit into any memory.
cat >"$T/deep.cc" <<'EOF'
template <int N, class... T> struct S {
	template <class F> static int call(F f) { return S<N - 1, int, T...>::call([&] { return f() + N; }); }
};
template <class... T> struct S<0, T...> {
	template <class F> static int call(F f) { return f(); }
};
int h();
int k() { return S<DEPTH>::call([] { return h(); }); }
EOF
deep() { (ulimit -v 4000000; timeout 20 g++ -O0 -DDEPTH="$1" -fplugin="$PLUGIN" -c "$T/deep.cc" -o "$T/deep.o"); }
it "lambdas in templates in lambdas, 40 deep, compile" deep 40
it "... to an object of sober size" test "$(stat -c %s "$T/deep.o")" -lt 2000000
sites "$T/deep.o" >"$T/table"
says '^N	[0-9]+	_ZN1SI.*	call	' "... with names for people" "$T/table"
it "four levels compile" deep 4
sites "$T/deep.o" >"$T/table"
says '^N.*S<4>::call<k\(\)::<lambda\(\)> >' "... and are named as the front end does" "$T/table"

# sandboxed PURPOSE HOW
sandboxed() {
	rm -rf "$T/run"
	mkdir "$T/run"
	LD_PRELOAD=$RUNTIME PERSEUS_RUN_DIR=$T/run PERSEUS_PURPOSE=$1 PERSEUS_AWAKE=1 "$T/sandbox" "$2"
}
probed gcc -O1 -pthread tests/plugin/programs/sandbox.c -o "$T/sandbox"
for how in 0 1 2 3 4; do
	for purpose in timing sharing; do
		exits 0 "a sandbox of kind $how does not kill a recorded program ($purpose)" sandboxed $purpose $how
		says '^done$' "... which does its work"
	done
done
perseus record -q -o "$T/sealed" "$T/sandbox" 1 >/dev/null 2>&1
exits 4 "its record is incomplete" perseus report "$T/sealed"
says 'restricts its own system calls' "... and says that it ends at the sandbox"
perseus record -q -o "$T/open" "$T/sandbox" 3 >/dev/null 2>&1
exits 0 "a sandbox that was refused" perseus report "$T/open"
silent 'restricts its own system calls' "... ends no record"
says '3,000 .*step3' "... and all calls behind it are there"
finish
