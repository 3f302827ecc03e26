#!/bin/sh
# SPDX-License-Identifier: MIT
# A probed program does what the plain one does: output and exit status, with
# the probes asleep and awake, at every level and kind of linking.
. tests/lib.sh
. tests/plugin/helpers
it "the test runtime compiles" fake_runtime

# same TEXT COMPILER FLAGS SOURCE
same() {
	text=$1 compiler=$2 flags=$3 source=$4
	$compiler -w $flags "$source" -o "$T/plain" -lm -lpthread 2>"$T/log" || { not_ok "$text: plain build" "$(cat "$T/log")"; return; }
	"$T/plain" >"$T/want" 2>&1
	echo "status $?" >>"$T/want"
	if ! probed "$compiler" $flags "$source" -o "$T/probed" -lm -lpthread 2>"$T/log"; then
		not_ok "$text" "$(head -5 "$T/log")"
		return
	fi
	"$T/probed" >"$T/asleep" 2>&1
	echo "status $?" >>"$T/asleep"
	FAKE_SHARING=1 LD_PRELOAD=$FAKE "$T/probed" >"$T/awake" 2>&1
	echo "status $?" >>"$T/awake"
	if cmp -s "$T/want" "$T/asleep" && cmp -s "$T/want" "$T/awake"; then ok "$text"
	else not_ok "$text" "$(diff "$T/want" "$T/asleep"; diff "$T/want" "$T/awake")"; fi
}

for p in jumps values ends loops; do
	for o in -O0 -O1 -O2 -O3 -Os -Og "-O2 -flto" "-O2 -g" "-O3 -march=x86-64-v3" "-O2 -static" "-O2 -no-pie" "-O1 -masm=intel" \
		"-O2 -fnon-call-exceptions" "-O2 -mno-red-zone" "-O2 -ffunction-sections -Wl,--gc-sections" "-O2 -fsplit-stack" \
		"-O2 -fcf-protection=full" "-O2 -fno-plt" "-O2 -mcmodel=medium"; do
		[ "$p $o" != "ends -O2 -static" ] || o="-O2 -static-pie"
		same "$p.c $o" gcc "$o" $here/programs/$p.c
	done
done
for p in throws threads; do
	for o in -O0 -O1 -O2 -O3 -Os "-O2 -flto" "-O2 -g" "-O2 -static" "-O2 -no-pie" "-O2 -D_GLIBCXX_ASSERTIONS -fnon-call-exceptions"; do
		same "$p.cc $o" g++ "-std=c++17 $o" $here/programs/$p.cc
	done
done
for o in -O0 -O2; do
	same "waits.cc $o" g++ "-std=c++20 $o" $here/programs/waits.cc
done
same "values.c as an OpenMP program" gcc "-O2 -fopenmp" $here/programs/values.c
it "debug information changes no code" gcc -w -O2 -g -fcompare-debug -fplugin="$PLUGIN" -c $here/programs/loops.c -o "$T/o.o"
it "... nor in C++" g++ -w -O2 -g -fcompare-debug -fplugin="$PLUGIN" -c $here/programs/throws.cc -o "$T/o.o"
finish
