#!/bin/sh
# SPDX-License-Identifier: MIT
# Damage to a record is noticed or does no harm: bits, sectors and pages of
# real records are spoilt, one at a time, and the answers compared.
. tests/lib.sh
count=$((${FLIP_COUNT:-500} * ${FUZZ_TIMES:-1}))
seed=${FLIP_SEED:-${FUZZ_SEED:-1}}
if [ -n "$SAN" ]; then
	skip "flipped bits are noticed" "the plugin is not built with a sanitizer"
	finish
fi

it "the flipper builds" gcc -std=gnu11 -O1 -g -D_GNU_SOURCE -I. -Iinclude -o "$T/flip" tests/fuzz/flip.c \
  "$O/report.a" "$O/record.a" "$O/yaml.a" "$O/lib.a" -lyaml -lelf -lm
it "a program to record builds" gcc -std=gnu11 -O2 -g -I. -fplugin="$PLUGIN" -pthread -o "$T/victim" tests/runtime/kill.c

# flip KIND TEXT RUN...: figures in $T/out
flip() {
	kind=$1 it_text=$2
	shift 2
	exits 0 "$it_text" "$T/flip" "$@"
	echo "# $kind: $(tail -n 1 "$T/out")"
}
field() { sed -n "s/^flips=.* $1=\([0-9]*\).*/\1/p" "$T/out"; }
# positive NAME TEXT
positive() { if [ "$(field "$1")" -gt 0 ] 2>/dev/null; then ok "$2"; else not_ok "$2" "$(tail -n 1 "$T/out")"; fi; }

for purpose in timing sharing; do
	head -c 4000000 /dev/zero >"$T/page"
	it "a $purpose run is recorded" perseus record -q --purpose=$purpose -o "$T/$purpose" -- "$T/victim" "$T/page" 3
	flip $purpose "$count places of a sealed $purpose record spoilt" "$T/$purpose" "$seed" "$count"
	says ' wrong=0$' "... each is noticed or does no harm"
	positive named "... most of those that matter are named, and the rest is read"
	flip "$purpose, bare" "the same without checksums" "$T/$purpose" "$seed" $((count / 3)) bare
	positive wrong "... gives wrong answers: the test can see them"
done
finish
