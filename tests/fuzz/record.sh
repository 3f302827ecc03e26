#!/bin/sh
# SPDX-License-Identifier: MIT
# Spoiled records, site tables and symbol lists are read or refused, under
# address and undefined-behaviour sanitizers; never a crash, never a hang.
. tests/lib.sh

san=$O/fuzz-build
count=$((${FUZZ_COUNT:-8000} * ${FUZZ_TIMES:-1}))
it "readers build with sanitizers" make -s -j2 O="$san" SAN=address,undefined lib yaml record report
it "fuzzer builds" gcc -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE \
	-I. -Iinclude -o "$T/fuzz" tests/fuzz/fuzz-record.c "$san/report.a" "$san/record.a" "$san/yaml.a" \
	"$san/lib.a" -lyaml -lelf -lm

# No single allocation of a gigabyte: a small file must not be able to ask for it.
ASAN_OPTIONS=max_allocation_size_mb=1024:detect_leaks=1
export ASAN_OPTIONS
export TMPDIR="$T"
exits 0 "$count spoiled runs do no harm" "$T/fuzz" "${FUZZ_SEED:-1}" "$count"
says '^[1-9][0-9]* read, [1-9][0-9]* refused$' "some of them are read, some refused"

it "fuzzer of traces builds" gcc -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE \
	-I. -Iinclude -o "$T/fuzz-trace" tests/fuzz/fuzz-trace.c "$san/report.a" "$san/record.a" "$san/yaml.a" \
	"$san/lib.a" -lyaml -lelf -lm
exits 0 "$((count / 4)) spoiled traces do no harm" "$T/fuzz-trace" "${FUZZ_SEED:-1}" "$((count / 4))"
says '^[1-9][0-9]* whole, [1-9][0-9]* damaged, [1-9][0-9]* refused$' "some of them are whole, some damaged, some refused"
finish
