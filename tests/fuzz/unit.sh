#!/bin/sh
# SPDX-License-Identifier: MIT
# Loops of mutations among the unit tests, under the address and undefined-behaviour sanitizers.
. tests/lib.sh
san=$O/fuzz-build
rounds=$((1500 * ${FUZZ_TIMES:-1}))
for loop in analyzer/t-hostile tuner/t-fuzz; do
	it "$loop builds under the sanitizers" make -s -j2 O="$san" SAN=address,undefined "$san/tests/unit/$loop"
	it "$loop: $rounds mutations leave no memory error and no leak" env PERSEUS_FUZZ_ROUNDS=$rounds "$san/tests/unit/$loop"
done
finish
