#!/bin/sh
# SPDX-License-Identifier: MIT
# A verb that writes a file, with faults of all kinds; and a program that looks at no result, which has to be found.
. tests/lib.sh
command -v strace >/dev/null || { skip "faults are answered" "strace is not installed"; finish; }
export PYTHONDONTWRITEBYTECODE=1
it "the library that refuses memory builds" gcc -std=gnu11 -O1 -D_GNU_SOURCE -fPIC -shared -o "$T/memory.so" tests/faults/memory.c -lpthread
mkdir "$T/inputs"
cp yaml/examples/*.yaml "$T/inputs"
inject() { exits "$1" "$2" tests/faults/inject.py "$3" "$T/inputs" --shim "$T/memory.so" --most 6; }
grep -E '^(codegen|plan-diff) ' tests/faults/cases >"$T/cases"
inject 0 "perseus codegen and plan diff answer each fault" "$T/cases"
says '^[1-9][0-9]* faults \([1-9][0-9]* calls, [1-9][0-9]* memory, .*[1-9][0-9]* output\) of 2 commands: 0 wrong$' "... of each kind"

it "a careless program builds" gcc -O1 -o "$T/inputs/careless" tests/faults/careless.c
echo "careless copy.txt ./careless plan.yaml @/copy.txt" >"$T/cases"
inject 1 "is found out" "$T/cases"
says "^WRONG careless: openat .*: succeeds without 'copy.txt'" "... where a file cannot be opened"
says "^WRONG careless: write .*: 'copy.txt' is neither as before nor whole" "... where it cannot be written"
says "^WRONG careless: memory .*: is ended by a signal" "... where there is no memory"
says "^WRONG careless: standard output is full: does as if nothing were, with other output" "... where its output goes nowhere"
[ "$(id -u)" != 0 ] || says "^WRONG careless: a disk of .*: 'copy.txt' is neither as before nor whole" "... where the disk is full"
finish
