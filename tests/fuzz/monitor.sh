#!/bin/sh
# SPDX-License-Identifier: MIT
# The texts of perseus monitor, mutated, under the address and undefined-behaviour sanitizers.
. tests/lib.sh
sanitize() {
	gcc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I. -Iinclude -D_GNU_SOURCE -o "$T/t-fuzz" \
		tests/unit/monitor/t-fuzz.c monitor/families/*.c monitor/rules/*.c monitor/counts/look.c monitor/counts/file.c \
		monitor/counts/window.c lib/read/words.c lib/err.c lib/fs.c lib/hash.c lib/mem.c lib/num.c lib/rng.c lib/shown.c \
		lib/strbuf.c -lcmocka -lgsl -lgslcblas -lm
}
it "the mutation loops build under the sanitizers" sanitize
rounds=$((50000 * ${FUZZ_TIMES:-1}))
it "3 x $rounds mutated texts leave no memory error and no leak" env PERSEUS_FUZZ_ROUNDS=$rounds "$T/t-fuzz"
finish
