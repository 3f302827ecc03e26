#!/bin/sh
# SPDX-License-Identifier: MIT
# The document reader under the address and undefined-behaviour sanitizers.
. tests/lib.sh

sanitize() {
	${CC:-gcc} -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I. -Iinclude -D_GNU_SOURCE \
		-o "$T/$1" "tests/unit/yaml/$1.c" yaml/*.c yaml/builtin/*.c lib/err.c lib/fs.c lib/hash.c lib/mem.c lib/num.c lib/shown.c \
		lib/rng.c lib/strbuf.c -lcmocka -lyaml -lm
}

it "the mutation loop builds under the sanitizers" sanitize t-fuzz
rounds=$((12000 * ${FUZZ_TIMES:-1}))
it "$rounds mutated documents leave no memory error and no leak" env PERSEUS_FUZZ_ROUNDS=$rounds "$T/t-fuzz"
it "the error cases build under the sanitizers" sanitize t-errors
it "no error path leaks or reads beyond" "$T/t-errors"
finish
