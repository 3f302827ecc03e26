#!/bin/sh
# SPDX-License-Identifier: MIT
# Flush-to-zero that a program sets for a while: counts of 0 are not believed.
. tests/lib.sh
flags=$(perseus flags --probe=denormal:full)
cp tests/denormal/programs/flushing.c "$T"
cd "$T" || exit 1
for o in -O0 -O2 "-O2 -flto" "-O3 -fPIE"; do
	it "$o: builds" gcc $o -g flushing.c -o plain -lpthread -lm
	it "$o: ... with counters" gcc $o -g $flags flushing.c -o flushing -lpthread -lm
	for how in macro asm library thread rounds none; do
		./plain $how >want
		exits 0 "$o, $how: recorded" perseus record -q --purpose=denormal -o run ./flushing $how
		it "$o, $how: ... with its output" cmp want out
		exits 0 "$o, $how: ... reported" perseus denormals run
		case $how in
		rounds | none)
			says '^trust     good' "$o, $how: ... and believed"
			says '^births    100 at' "$o, $how: ... with its births"
			;;
		*) says '^trust     none: flush-to-zero or denormals-are-zero was on in 1 thread, not' "$o, $how: ... and not believed" ;;
		esac
		[ $how != asm ] || says 'set in (by_asm|main)\(\)' "$o, $how: ... with who set it"
		rm -rf run
	done
done
# A unit that computes nothing itself, and one whose counts nobody keeps.
printf '#include <xmmintrin.h>\nvoid on(void) { _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON); }\nvoid off(void) { _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_OFF); }\n' >on.c
printf 'void on(void); void off(void);\nvolatile float f = 1e-20f;\nint main(void) { on(); f = f * f; off(); return f != 0; }\n' >use.c
it "a unit without operations" gcc -O2 -g $flags on.c use.c -o two
exits 0 "... sees its flush" perseus record -q --purpose=denormal -o run ./two
exits 0 "... and is reported" perseus denormals run
says 'its begin, set in on\(\)' "... with its name"
it "without the library it runs as ever" ./two
it "and statically" sh -c "gcc -O2 $flags -static on.c use.c -o static && ./static"
finish
