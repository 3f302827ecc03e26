#!/bin/sh
# SPDX-License-Identifier: MIT
# The reader of JSON under the address and undefined-behaviour sanitizers.
. tests/lib.sh
sanitize() {
	gcc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I. -Iinclude -D_GNU_SOURCE -o "$T/t-json-read" \
		tests/unit/lib/read/t-json-read.c lib/read/json-read.c lib/json.c lib/err.c lib/mem.c lib/rng.c lib/shown.c lib/strbuf.c \
		-lcmocka -lm
}
it "the mutation loop builds under the sanitizers" sanitize
rounds=$((100000 * ${FUZZ_TIMES:-1}))
it "$rounds mutated documents leave no memory error and no leak" env PERSEUS_FUZZ_ROUNDS=$rounds "$T/t-json-read"
finish
