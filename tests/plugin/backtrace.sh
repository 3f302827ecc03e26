#!/bin/sh
# SPDX-License-Identifier: MIT
# A debugger sees a whole stack wherever the program stops: a program is executed
# one instruction at a time under the real runtime, and at each instruction of its
# functions, cold parts and stubs, and of the runtime, the unwinder's answer is
# compared with the calls that were really made (programs/step.c).
. tests/lib.sh
. tests/plugin/helpers
p=$here/programs
if ! gcc -w -O1 $p/step.c -o "$T/step" -ldw 2>"$T/log"; then
	skip "the stack is whole at every instruction" "libdw-dev is not installed"
	finish
fi
gcc -w -O1 -c $p/stepped-main.c -o "$T/main.o" || exit 1

# steps PURPOSE PROGRAM: one recorded execution, step by step
steps() {
	rm -rf "$T/run" && mkdir "$T/run"
	STEP_SHOW=1 STEP_PLACES=$T/places.$1 STEP_PRELOAD=$RUNTIME PERSEUS_RUN_DIR=$T/run PERSEUS_PURPOSE=$1 PERSEUS_AWAKE=1 \
		timeout 250 "$T/step" "$2" >"$T/out" 2>"$T/err"
}
# figure WORD: the number before it in the last line of the stepper
figure() { sed -n "s/^step:.* \([0-9]*\) $1.*/\1/p" "$T/out"; }

# share PROGRAM: percent of the instructions of the probed functions that were visited
share() {
	sort -u "$T"/places.* >"$T/visited"
	nm "$1" | awk '$2 ~ /[tT]/ && $3 !~ /^(_|main$|frame_dummy|deregister|register)/ { print $3 }' | sort -u >"$T/names"
	objdump -d --no-show-raw-insn -j .text "$1" | awk -v visited="$T/visited" -v names="$T/names" '
		BEGIN { while ((getline a < visited) > 0) v[a]; while ((getline a < names) > 0) ours[a] }
		/^[0-9a-f]+ <.*>:$/ { f = $2; gsub(/[<>:]/, "", f); next }
		f in ours && /^ +[0-9a-f]+:/ && !/nop|xchg +%ax,%ax|data16|int3/ { a = $1; sub(/:/, "", a); n++; hit += a in v }
		END { printf "%d\n", n ? 100 * hit / n : 0 }'
}

# plain_share COMPILER ARGUMENT...: nine tenths of the share that the same program without probes
# meets, 60 at most
plain_share() {
	"$@" -w -Wl,-z,now "$T/main.o" -o "$T/plain" && rm -f "$T"/places.* &&
		STEP_PLACES=$T/places.plain timeout 250 "$T/step" "$T/plain" >/dev/null 2>&1
	met=$(share "$T/plain")
	echo $((met * 9 / 10 < 60 ? met * 9 / 10 : 60))
}

# whole LANGUAGE FLAGS [hoisted]: with one check before a loop the probes inside it are
# executed only where that check fails, so that share says nothing of the program
whole() {
	src=$p/stepped.$1 flags=$2
	cc=gcc
	[ "$1" = c ] || cc=g++
	it "$1 $flags: compiles" probed $cc $flags -Wl,-z,now "$src" "$T/main.o" -o "$T/stepped"
	rm -f "$T"/places.*
	for purpose in timing sharing; do
		it "$1 $flags $purpose: runs" steps $purpose "$T/stepped"
		it "$1 $flags $purpose: no instruction loses the stack ($(figure checked) stacks, $(figure places) places)" \
			sh -c "cat '$T/out' '$T/err'; test '$(figure lost)' = 0 && test 0$(figure places) -gt 400 && test 0$(figure runtime) -gt 100"
		grep '^result' "$T/out" >>"$T/results"
	done
	[ -z "$3" ] || return
	percent=$(share "$T/stepped")
	# What an optimised program never reaches without probes it will not reach with them.
	least=60
	[ "$percent" -ge 60 ] || least=$(plain_share $cc $flags "$src")
	it "$1 $flags: most instructions were met ($percent %, wanted $least)" test "$percent" -ge "$least"
}

: >"$T/results"
nohoist=-fplugin-arg-perseus-mem=nohoist
if [ -n "$FULL" ]; then
	for o in -O0 -Og -O1 -O2 -O3 -Os "-O2 -fno-omit-frame-pointer" "-O0 -fomit-frame-pointer" "-O2 -mstackrealign" "-O2 -mno-red-zone" \
		"-O2 -flto" "-O2 -fcf-protection=full" "-O2 -fstack-protector-all" "-O2 -fstack-clash-protection" "-O2 -ffunction-sections" \
		"-O2 -masm=intel" "-O3 -march=x86-64-v3" "-O2 -no-pie" "-O2 -fno-shrink-wrap" "-O2 -fprofile-arcs" "-O2 -mno-accumulate-outgoing-args" \
		"-O2 -maccumulate-outgoing-args" "-O2 -g"; do
		whole c "$o"
		whole cc "$o $nohoist"
	done
	for o in -O1 -O2 -O3 "-O2 -flto" "-O3 -march=x86-64-v3"; do whole cc "$o" hoisted; done
else
	whole c "-O2"
	whole cc "-O3 -fno-omit-frame-pointer $nohoist"
fi
it "all runs of one program have one result" sh -c "test \$(sort -u '$T/results' | wc -l) -le 2"

# The naive ways: cold parts whose stack adjustments have no unwind record, and none at all.
probed gcc -O2 -S $p/stepped.c -o "$T/naive.s"
sed -i '/\.cfi_adjust_cfa_offset/d' "$T/naive.s"
gcc -Wl,-z,now "$T/naive.s" "$T/main.o" -o "$T/naive"
steps sharing "$T/naive"
it "twin: without records for its pushes a cold part loses the stack" test "0$(figure lost)" -gt 0
probed gcc -O2 -fno-asynchronous-unwind-tables -Wl,-z,now $p/stepped.c "$T/main.o" -o "$T/naive"
steps timing "$T/naive"
it "twin: without unwind records nothing finds its way" test "0$(figure lost)" -gt 100

if command -v gdb >/dev/null; then
	printf 'int stepped(void);\nint main(void) { return stepped() == 0; }\n' >"$T/main.c"
	probed gcc -O2 -g -Wl,-z,now $p/stepped.c "$T/main.c" -o "$T/stepped"
	rm -rf "$T/run" && mkdir "$T/run"
	gdb -batch -nx -ex "set breakpoint pending on" -ex "set env LD_PRELOAD $RUNTIME" -ex "set env PERSEUS_RUN_DIR $T/run" \
		-ex "set env PERSEUS_PURPOSE sharing" -ex "set env PERSEUS_AWAKE 1" -ex "break rt_mem if \$esi > 20" -ex run -ex bt "$T/stepped" </dev/null >"$T/out" 2>&1
	it "gdb shows the callers, through the stub and the runtime" sh -c "
		grep -q '^#0 .*rt_mem' '$T/out' && grep -q ' in stepped ' '$T/out' && grep -q ' in main ' '$T/out' || { cat '$T/out'; exit 1; }"
else
	skip "gdb shows the callers, through the stub and the runtime" "gdb is not installed"
fi
finish
