#!/bin/sh
# SPDX-License-Identifier: MIT
# Workflows, schedules and journals of perseus schedule, mutated, under the address and undefined-behaviour sanitizers.
. tests/lib.sh
sanitize() {
	gcc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I. -Iinclude -D_GNU_SOURCE -o "$T/t-fuzz" \
		tests/unit/scheduler/t-fuzz.c scheduler/work/*.c scheduler/search/*.c scheduler/check/*.c scheduler/slurm/journal.c \
		scheduler/slurm/commands.c lib/read/names.c lib/spawn/capture.c lib/spawn/child.c yaml/doc.c lib/json.c lib/err.c lib/fs.c \
		lib/hash.c lib/mem.c lib/num.c lib/rng.c lib/shown.c lib/strbuf.c -lcmocka -lyaml -lm
}
it "the mutation loop builds under the sanitizers" sanitize
rounds=$((1000 * ${FUZZ_TIMES:-1}))
it "$rounds mutated files of each kind leave no memory error and no leak" env PERSEUS_FUZZ_ROUNDS=$rounds "$T/t-fuzz"
finish
