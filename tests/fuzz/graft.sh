#!/bin/sh
# SPDX-License-Identifier: MIT
# Random C with calls in all kinds of statements: what codegen --graft makes of it does what GNU statement
# expressions around the same calls do, which need no knowledge of statements.
. tests/lib.sh
first=${FUZZ_SEED:-1}
seeds=${GRAFT_SEEDS:-$(seq "$first" $((first + 2 * ${FUZZ_TIMES:-1} - 1)))}
it "the maker builds" gcc -std=gnu11 -O1 -D_GNU_SOURCE -I. -Iinclude -o "$T/make" tests/fuzz/graft.c "$O/codegen.a" "$O/lib.a" -lelf -lm
run() { (cd "$T" && gcc -O0 -w -o "$1" "$1.c" && timeout 20 "./$1" >"$1.out"); }
for seed in $seeds; do
	exits 0 "seed $seed: 40 functions" "$T/make" "$seed" 40 "$T"
	echo "# $(cat "$T/out")"
	it "seed $seed: enough calls are taken on" test "$(cut -d' ' -f1 "$T/out")" -gt 150
	it "seed $seed: the grafted source runs" run grafted
	it "seed $seed: so does its measure" run wanted
	it "seed $seed: both say the same" cmp "$T/grafted.out" "$T/wanted.out"
done
# The twin: one call too many is seen.
sed 's/^\(.*\)\tb_\([0-9]*\)();$/\1\tb_\2(); b_\2();/' "$T/grafted.c" >"$T/more.c"
it "a source with more calls runs" run more
it "and does not say the same" sh -c "! cmp -s '$T/more.out' '$T/wanted.out'"
finish
