#!/bin/sh
# SPDX-License-Identifier: MIT
# perseusd's parser and tables against packets of all kinds, under address and
# undefined-behaviour sanitizers.  FUZZ_SECONDS of processor time, default 5.
. tests/lib.sh
seconds=$((${FUZZ_SECONDS:-5} * ${FUZZ_TIMES:-1}))
san=$O/fuzz-build
it "the daemon builds with sanitizers" make -s O="$san" SAN=address,undefined "$san/daemon.a"
it "the fuzzer builds" gcc -std=gnu11 -O1 -g -Wall -fsanitize=address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE -I. -Iinclude \
	-o "$T/fuzz" tests/daemon/fuzz.c "$san/daemon.a"
# The audit of a million leases goes nowhere; what the sanitizers say goes to a file.
ASAN_OPTIONS=log_path=$T/asan UBSAN_OPTIONS=log_path=$T/ubsan:print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS
"$T/fuzz" "${FUZZ_SEED:-1}" $seconds >"$T/out" 2>/dev/null
status=$?
if [ $status = 0 ]; then ok "$seconds s of packets do no harm"
else not_ok "$seconds s of packets do no harm" "status $status: $(cat "$T/out" "$T"/*san* 2>/dev/null | head -n 40)"; fi
says '^[1-9][0-9]* packets, [1-9][0-9]* granted, [1-9][0-9]* refused: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17 18 19 20$' "each refusal that a machine with everything has was among the answers"
echo "# $(cat "$T/out")"
finish
