#!/bin/sh
# SPDX-License-Identifier: MIT
# A sample of `make check-transparency`: programs of GCC's own test suites, and
# random ones, do the same with all probes in them as without.  And the judge
# finds what is different: a compiler that miscompiles on purpose, and probes
# that stay asleep.
. tests/lib.sh
judge=tests/transparency/judge.py
data=${CORPORA:-$O/transparency}
log=$T/judge

# Copies the judge's TAP lines with our own numbers; each line is one group.
judged() {
	"$judge" --lib "$O/lib" --data "$data" --tap --jobs 1 --seeds 6 "$@" >"$log" 2>&1
	grep -q "^1\.\." "$log" || echo "not ok 0 - the judge ran to its end" >>"$log"
	while IFS= read -r line; do
		case $line in
		"ok "*" # SKIP "*) skip "GCC's and random programs" "${line#*SKIP }" ;;
		"ok "*) ok "${line#* - }" ;;
		"not ok "*) not_ok "${line#* - }" ;;
		1..*) ;;
		*) echo "# ${line#\# }" ;;
		esac
	done <"$log"
}

judged torture:-O0:40 torture:-O2:25 "torture:-O2 -flto:100" torture:-O3:100 ieee:-O2:10 builtins:-O2:9 \
	g++:-O0:60 g++:-O2:30 "g++:-O2 -static:60" coroutines:-O2:40 csmith:-O2 "csmith:-O0:3" code/torture:-O2:60 code/g++:-O2:50
# Probes in second bodies.
judged --arg bodies=two torture:-O2:150 "torture:-O2 -flto:300" g++:-O2:70 "g++:-O2 -static:55" coroutines:-O2:80
# Later functions must not take a static variable for one whose address is known.
# The program's operator delete has an effect, which GCC from 15 on has to be told of.
cc=${PERSEUS_TEST_CC:-gcc}
cxx=g++${cc#gcc}
effect=" -fno-assume-sane-operators-new-delete"
$cxx$effect -E -x c++ /dev/null >"$T/out" 2>&1 || effect=
judged --only delete1.C "g++:-O1$effect" "g++:-O3$effect"

# Directives of GCC's test programs, as GCC's own harness reads them.
cat >"$T/directives.py" <<'PY'
import sys
sys.path.insert(0, "tests/transparency")
import dg

def want(text, std=None):
    return dg.Wanted(text, std, "compile", ["-w"])

assert want("/* { dg-do run } */").do == "run" and want("int x;").do == "compile"
assert want('{ dg-do run { target { { i?86-*-* x86_64-*-* } && lp64 } } }').fits
assert not want('{ dg-do run { target { { i?86-*-* x86_64-*-* } && ia32 } } }').fits
assert not want('{ dg-do run { target ia64-*-* } }').fits
assert want('{ dg-do run { xfail ia64-*-* } }').fits
assert want('{ dg-do run { target c++14_down } }', "14").fits and not want('{ dg-do run { target c++14_down } }', "17").fits
assert want('{ dg-do run { target { ! c++11 } } }', "98").fits and not want('{ dg-do run { target { ! c++11 } } }', "11").fits
assert not want('{ dg-require-effective-target c++20 }', "17").fits
assert want('{ dg-options "-O2 -g" }').flags() == ["-O2", "-g"]
assert want('{ dg-options { "-fwrapv" } }').flags() == ["-fwrapv"]
assert want('{ dg-options -O2 } { dg-additional-options "-lrt" { target *-*-linux* } }').flags() == ["-O2", "-lrt"]
assert want('{ dg-options "-maltivec" { target powerpc*-*-* } }').flags() == ["-w"]
assert want('{ dg-options "-O2 -fdump-tree-vect -save-temps" }').flags() == ["-O2"]
assert want('{ dg-set-target-env-var OMP_X "true" }').env == {"OMP_X": "true"}
assert want('{ dg-additional-sources "a.c b.c" }').sources == ["a.c", "b.c"]
PY
it "directives are read" python3 -B "$T/directives.py"

# The judge itself: what it must find.
mkdir -p "$T/bad/csmith" "$T/lib" "$T/bin"
cat >"$T/bad/csmith/seed-1.c" <<'C'
int printf(const char *, ...);
volatile int calls;
int main(void)
{
#if FLIP
	printf("other\n");
#endif
	calls++;
	return printf("x\n") != 2;
}
C
if [ -e /usr/include/csmith/csmith.h ] && command -v csmith >/dev/null; then
	ln -s "$O"/lib/* "$T/lib"
	exits 0 "the same program is found the same" "$judge" --lib "$O/lib" --data "$T/bad" --seeds 1 csmith:-O2
	says 'csmith -O2: 1 same, 0 different' "... and counted"
	# A compiler that adds -DFLIP=1 wherever a plugin is asked for.
	for c in "$cc" "$cxx"; do
		printf '#!/bin/sh\ncase $* in *-fplugin=*) exec %s -DFLIP=1 "$@" ;; esac\nexec %s "$@"\n' "$(command -v $c)" "$(command -v $c)" >"$T/bin/$c"
		chmod +x "$T/bin/$c"
	done
	exits 1 "another output is found" env PATH="$T/bin:$PATH" "$judge" --lib "$O/lib" --data "$T/bad" --seeds 1 csmith:-O2
	says 'different: .*seed-1: asleep: output' "... and shown"
	exits 1 "other code is found" env PATH="$T/bin:$PATH" "$judge" --lib "$O/lib" --data "$T/bad" --seeds 1 code/csmith:-O2
	says 'different: code/csmith -O2: seed-1: .*code' "... and shown"
	rm "$T/lib/libperseus-rt.so"
	cp "$O/lib/libperseus-nop.so" "$T/lib/libperseus-rt.so"
	exits 1 "probes that stay asleep are found" "$judge" --lib "$T/lib" --data "$T/bad" --seeds 1 csmith:-O2
	says 'timing: left no record' "... and named"
	printf '#!/bin/sh\ncase $* in *-fplugin=*) echo "x.c: internal compiler error: bad"; exit 1 ;; esac\nexec %s "$@"\n' "$(command -v "$cc")" >"$T/bin/$cc"
	exits 1 "a compiler that dies is found" env PATH="$T/bin:$PATH" "$judge" --lib "$O/lib" --data "$T/bad" --seeds 1 csmith:-O2
	says 'internal compiler error' "... and its words are shown"
	printf 'csmith/seed-1 -O2 a\n' >"$T/exceptions"
	exits 1 "a group of exceptions alone proves nothing" env PATH="$T/bin:$PATH" "$judge" --exceptions "$T/exceptions" --lib "$O/lib" --data "$T/bad" --seeds 1 csmith:-O2
	says '0 different, 1 on the exception list' "... but is no difference"
	printf 'csmith/seed-1 -O0 a\n' >"$T/exceptions"
	exits 1 "an exception for another level excuses nothing" env PATH="$T/bin:$PATH" "$judge" --exceptions "$T/exceptions" --lib "$O/lib" --data "$T/bad" --seeds 1 csmith:-O2
	says '0 same, 1 different' "... and counts"
	for i in 2 3 4; do echo "csmith/seed-$i all a"; done >>"$T/exceptions"
	exits 1 "four exceptions are refused" "$judge" --exceptions "$T/exceptions" --lib "$O/lib" --data "$T/bad" --seeds 1 csmith:-O2
	says 'at most 3' "... with the limit"
fi
finish
