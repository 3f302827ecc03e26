#!/bin/sh
# SPDX-License-Identifier: MIT
# Copies of random vector instructions do what the originals do, and the processor agrees which operands are denormal.
. tests/lib.sh

it "the test builds" gcc -std=gnu11 -O1 -g -D_GNU_SOURCE -I. -Iinclude -ftls-model=local-exec -o "$T/trap" \
  tests/fuzz/trap.c runtime/denormal/trap/decode.c runtime/denormal/trap/arch/x86_64/lanes.c runtime/denormal/trap/stub.c -lZydis
count=$((${TRAP_COUNT:-100000} * ${FUZZ_TIMES:-1}))
exits 0 "$count random instructions" "$T/trap" "${TRAP_SEED:-${FUZZ_SEED:-1}}" $count
echo "# $(tail -n 1 "$T/out")"
says " [1-9][0-9]* stopped, 0 wrong" "some of them stopped at their denormal, none otherwise than decoded"

# A copy that forgets an instruction's flags, and operands that nobody looks at, are noticed.
mkdir "$T/wrong"
sed 's/^\tat = put_here(at, store.*/\tat = put_here(at, load, sizeof(load), here);/' runtime/denormal/trap/stub.c >"$T/wrong/stub.c"
sed 's/elements < site->lanes ?/elements < 2 ?/; s/^\tunsigned n = .*/\tunsigned n = 1;/' runtime/denormal/trap/arch/x86_64/lanes.c >"$T/wrong/lanes.c"
twin() {
  gcc -std=gnu11 -O1 -D_GNU_SOURCE -I. -Iinclude -ftls-model=local-exec -o "$T/twin" tests/fuzz/trap.c \
    runtime/denormal/trap/decode.c "$1" "$2" -lZydis && ! "$T/twin" 1 5000 >"$T/out"
}
it "a copy that loses flags is found" twin runtime/denormal/trap/arch/x86_64/lanes.c "$T/wrong/stub.c"
it "lanes that are left out are found" twin "$T/wrong/lanes.c" runtime/denormal/trap/stub.c
finish
