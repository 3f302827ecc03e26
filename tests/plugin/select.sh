#!/bin/sh
# SPDX-License-Identifier: MIT
# Which sites carry probes: attributes, select=, skip=, rules=; nothing goes unlisted.
. tests/lib.sh
. tests/plugin/helpers
A=-fplugin-arg-perseus

# probes FILE: "function callee" of each call slot; left FILE: "reason function callee"
probes() {
	sites "$1" | awk -F'\t' '$1 == "U" { delete n } $1 == "N" { n[$2] = $3 } $1 == "C" { print n[$5], $6 }' | sort -u | tr '\n' ';'
}
left() {
	sites "$1" | awk -F'\t' '$1 == "U" { delete n } $1 == "N" { n[$2] = $3 } $1 == "S" && $2 == "call" { print $3, n[$4], $5 }' | sort -u | tr '\n' ';'
}
memory() { sites "$1" | awk -F'\t' -v r="$2" '$1 == "S" && $2 == "mem" && $3 == r' | wc -l; }
# probing TEXT EXPECTED FLAGS...: the calls of unit.c that carry probes
probing() {
	text=$1 want=$2
	shift 2
	probed gcc -O2 "$@" -c "$T/unit.c" -o "$T/unit.o"
	got=$(probes "$T/unit.o")
	it "$text" test "$got" = "$want"
	[ "$got" = "$want" ] || echo "# got: $got"
}

mkdir "$T/sub"
cat >"$T/sub/lib.h" <<'H'
int ext(int), other(int);
static inline __attribute__((always_inline)) int helper(int x) { return ext(x) + 1; }
H
cat >"$T/unit.c" <<'C'
#include "sub/lib.h"
int shared;
int alpha(int x) { return ext(x) + other(x) + 1; }
int beta(int x) { shared++; return helper(x) + other(x); }
int gamma_(int (*f)(int)) { return f(1) + 1; }
C
all='alpha ext;alpha other;beta other;gamma_ indirect;helper ext;'
probing "without arguments all calls carry probes" "$all"
it "... and nothing is listed as left out" test -z "$(left "$T/unit.o")"
probing "select= names functions" "alpha ext;alpha other;" $A-select=alpha
it "... and what is not selected is listed with its place" \
	test "$(left "$T/unit.o")" = "not-selected beta other;not-selected gamma_ indirect;not-selected helper ext;"
it "... accesses too" test "$(memory "$T/unit.o" not-selected)" -ge 1
probing "select= may be given several times, and is a comma list" "alpha ext;alpha other;gamma_ indirect;helper ext;" \
	$A-select=gamma* $A-select=al?ha,helper
probing "skip= leaves functions out" "beta other;gamma_ indirect;helper ext;" $A-skip=function:alpha
it "... and lists them" test "$(left "$T/unit.o")" = "skip alpha ext;skip alpha other;"
probing "skip= wins over select=" "alpha ext;" $A-select=alpha $A-skip=callee:other
probing "callee: selects calls by what they call" "alpha ext;helper ext;" $A-select=callee:ext
probing "... also those through pointers" "gamma_ indirect;" $A-select=callee:indirect
probing "file: is the file of the function, also where it was inlined elsewhere" "helper ext;" $A-select=file:lib.h
probing "... and works with the path" "alpha ext;alpha other;beta other;gamma_ indirect;" "$A-skip=file:*/sub/*"
probing "sets and escapes" "gamma_ indirect;helper ext;" "$A-select=[g-h]*,\\a\\b"
probing "... and negated sets" "beta other;gamma_ indirect;helper ext;" "$A-select=[!a]*"
probing "a star stands for anything" "$all" $A-select='*'
probing "a pattern is the whole name, not a part" "" $A-select=alph

probed gcc -O2 -c "$T/unit.c" -o "$T/all.o"
ids "$T/all.o" >"$T/all.ids"
probed gcc -O2 $A-select=alpha -c "$T/unit.c" -o "$T/some.o"
ids "$T/some.o" >"$T/some.ids"
it "leaving sites out changes no id" test -z "$(comm -13 "$T/all.ids" "$T/some.ids")"
(cd "$T" && gcc -O2 -fplugin="$PLUGIN" -ffile-prefix-map="$T"=/mapped $A-skip=file:"$T/unit.c" -c "$T/unit.c" -o pm.o)
it "file: knows the path as it was given, whatever -ffile-prefix-map writes" test "$(probes "$T/pm.o")" = "helper ext;"

cat >"$T/cxx.cc" <<'C'
#include <utility>
int ext(int);
namespace net { struct s { s(); int get(int x) { return ext(x) + 1; } }; s::s() { ext(1); ext(2); } }
template <class A, class B> int pick(std::pair<A, B> p) { return ext(p.first) + 1; }
int use(net::s &s) { return s.get(3) + pick(std::pair<int, long>(1, 2)); }
C
probed g++ -O0 $A-select='net::*' -c "$T/cxx.cc" -o "$T/cxx.o"
it "printed names of C++ work" test "$(probes "$T/cxx.o")" = "_ZN3net1s3getEi _Z3exti;_ZN3net1sC1Ev _Z3exti;_ZN3net1sC2Ev _Z3exti;" -o \
	"$(probes "$T/cxx.o")" = "_ZN3net1s3getEi _Z3exti;_ZN3net1sC2Ev _Z3exti;"
probed g++ -O0 $A-select='_Z4pick*' -c "$T/cxx.cc" -o "$T/cxx.o"
it "... and assembler names" test "$(sites "$T/cxx.o" | grep -c '^C')" -eq 1
probed g++ -O0 $A-skip='callee:*pick*' -c "$T/cxx.cc" -o "$T/cxx.o"
it "... for callees, too" test -z "$(probes "$T/cxx.o" | grep -o 'use[^;]*pick')"

for bad in 'a,,b' 'f[1' 'x\' 'class:foo' 'file:' ','; do
	exits 1 "the malformed pattern '$bad' is an error" gcc -c -fplugin="$PLUGIN" "$A-skip=$bad" "$T/unit.c" -o "$T/bad.o"
	says "error: perseus: argument .*skip=.*pattern" "... that names it"
done
probing "a colon of C++ is no prefix" "$all" "$A-skip=a::b,operator\\[\\],x\\,y"

cat >"$T/attr.c" <<'C'
int ext(int), other(int);
static inline __attribute__((always_inline, perseus_no_probe)) int quiet(int x) { return ext(x) + 1; }
static inline __attribute__((always_inline)) int loud(int x) { return other(x) + 1; }
__attribute__((perseus_no_probe)) int silent(int x) { return loud(x) + ext(x); }
__attribute__((no_instrument_function)) int gcc_own(int x) { return ext(x) + 1; }
int plain(int x) { return quiet(x) + other(x); }
__attribute__((perseus_probe)) int always(int x) { return ext(x) + 1; }
C
for level in -O0 -O2 "-O2 -flto -ffat-lto-objects"; do
	probed gcc $level -c "$T/attr.c" -o "$T/attr.o"
	it "a function with perseus_no_probe keeps its sites bare where it is inlined, and only its own ($level)" \
		test "$(probes "$T/attr.o")" = "always ext;loud other;plain other;"
	it "... and they are listed ($level)" test "$(left "$T/attr.o")" = "attribute gcc_own ext;attribute quiet ext;attribute silent ext;"
done
probed gcc -O2 -flto -shared -fPIC "$T/attr.c" -o "$T/attr.so" -Wl,--unresolved-symbols=ignore-all
it "... and the same comes out of the link under -flto" test "$(probes "$T/attr.so")" = "always ext;loud other;plain other;"
it "functions without probes by attribute are listed as such" \
	test "$(sites "$T/attr.o" | grep -c '^S	function	attribute')" -ge 2
for arg in skip='*' select=nothing skip=callee:ext; do
	probed gcc -O2 $A-$arg -c "$T/attr.c" -o "$T/attr.o"
	it "perseus_probe wins over $arg" sh -c "echo '$(probes "$T/attr.o")' | grep -q 'always ext;'"
done
echo 'int v __attribute__((perseus_probe)), w __attribute__((perseus_no_probe));' >"$T/wrong.c"
exits 0 "an attribute on a variable is ignored" gcc -c -fplugin="$PLUGIN" "$T/wrong.c" -o "$T/w.o"
it "... with GCC's warning" test "$(grep -c 'attribute applies to functions only.*-Wattributes' "$T/err")" -eq 2
echo 'void f(void) __attribute__((perseus_probe(1)));' >"$T/wrong.c"
exits 1 "arguments of an attribute are an error" gcc -c -fplugin="$PLUGIN" "$T/wrong.c" -o "$T/w.o"
echo 'void f(void) __attribute__((perseus_probe, perseus_no_probe));' >"$T/wrong.c"
exits 0 "both attributes at once" gcc -c -fplugin="$PLUGIN" "$T/wrong.c" -o "$T/w.o"
says "conflicts with attribute" "... are a conflict that GCC names"

# rules
site=$(sites "$T/all.o" | awk -F'\t' '$1 == "N" { n[$2] = $3 } $1 == "C" && n[$5] == "alpha" && $6 == "ext" { print $3 }')
rules() {
	printf 'perseus-rules 1\n# a comment\nrun x\nbudget 3\ncost 1 1\nbefore 4\nafter 3\nkept 99\n'
	cat
}
echo "call $site 10 1 0.5 20 $T/unit.c u.c:3 alpha ext short
end 1" | rules >"$T/r"
probing "rules= leaves a site out" "alpha other;beta other;gamma_ indirect;helper ext;" $A-rules="$T/r"
it "... and lists it" test "$(left "$T/unit.o")" = "rules alpha ext;"
probing "... also with the file's hash" "alpha other;beta other;gamma_ indirect;helper ext;" $A-rules="$T/r" \
	$A-rules-hash="$(sha256sum "$T/r" | cut -d' ' -f1)"
refused() {
	exits 1 "$1" gcc -c -fplugin="$PLUGIN" $A-rules="$T/bad" "$T/unit.c" -o "$T/bad.o"
	says "$2" "... saying so"
}
exits 1 "another hash is an error" gcc -c -fplugin="$PLUGIN" $A-rules="$T/r" $A-rules-hash="$(printf %064d 0)" "$T/unit.c" -o "$T/bad.o"
says "has the SHA-256 .*rules-hash.* asks for" "... that names both"
exits 1 "rules-hash without rules is an error" gcc -c -fplugin="$PLUGIN" $A-rules-hash="$(printf %064d 0)" "$T/unit.c" -o "$T/bad.o"
exits 1 "a missing file is an error" gcc -c -fplugin="$PLUGIN" $A-rules="$T/none" "$T/unit.c" -o "$T/bad.o"
head -n -1 "$T/r" >"$T/bad"
refused "a file that was cut" "ends before its .end. line"
sed 's/^end 1/end 2/' "$T/r" >"$T/bad"
refused "a wrong count" "line 10: N differs"
sed "s/$site/XYZ/" "$T/r" >"$T/bad"
refused "a site that is none" "line 9: SITE must be 16"
sed 's/ short$//' "$T/r" >"$T/bad"
refused "a short line" "line 9: expected"
sed 's/^run x/ran x/' "$T/r" >"$T/bad"
refused "a wrong head" "line 3: expected the lines run"
sed '9p' "$T/r" >"$T/bad"
refused "a site twice" "line 10: SITE has a rule already"
printf 'perseus-rules 1\n\0' >"$T/bad"
refused "a NUL byte" "NUL"
: >"$T/bad"
refused "an empty file" "line 1: the file ends"
echo "end 0" | rules >"$T/r0"
probing "a file without rules is fine" "$all" $A-rules="$T/r0"
finish
