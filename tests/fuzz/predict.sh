#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs of perseus predict, mutated, under the address and undefined-behaviour sanitizers.
. tests/lib.sh
sanitize() {
	gcc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I. -Iinclude -D_GNU_SOURCE -o "$T/t-fuzz" \
		tests/unit/predictor/t-fuzz.c predictor/model/*.c predictor/probe/*.c lib/read/json-read.c lib/json.c lib/err.c lib/fs.c \
		lib/hash.c lib/mem.c lib/num.c lib/rng.c lib/shown.c lib/strbuf.c -lcmocka -lgsl -lgslcblas -lm
}
it "the mutation loop builds under the sanitizers" sanitize
rounds=$((1000 * ${FUZZ_TIMES:-1}))
it "$rounds mutated logs leave no memory error and no leak" env PERSEUS_FUZZ_ROUNDS=$rounds "$T/t-fuzz"
finish
