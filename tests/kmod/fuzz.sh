#!/bin/sh
# SPDX-License-Identifier: MIT
# The module's own text as a program of the host, under a fuzzer guided by coverage
# and the address and undefined-behaviour sanitizers; and the same with one line of it
# spoiled, which must be found.  FUZZ_SECONDS: as long as that instead of some thousand
# inputs.  FULL=1: every spoiled line.
. tests/lib.sh
command -v clang >/dev/null || { skip "the module under a fuzzer" "no clang (Debian: apt-get install clang)"; finish; }

# Every header of the kernel is the one that stands for it.
mkdir -p "$T/linux"
for h in $(sed -n 's,^#include <linux/\(.*\)>,\1,p' kmod/perseus.c); do
	echo '#include "tests/kmod/host-kernel.h"' >"$T/linux/$h"
done
export ASAN_OPTIONS=exitcode=77 UBSAN_OPTIONS=exitcode=77
# build OUT [FOLDER]: with the kmod/ of FOLDER
build() {
	clang -std=gnu11 -g -O1 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-Wall -Wextra -Werror -Wno-unused-parameter ${2:+-Wno-unused "-I$2"} -I"$T" -I. -Iinclude -o "$1" tests/kmod/fuzz-module.c
}
fuzz() {
	program=$1
	shift
	(cd "$T" && "$program" -max_len=600 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 "$@" "$T/corpus")
}

it "the module builds as a program of the host" build "$T/fuzz"
# Texts of the `limits` parameter, which chance does not write: a byte 7 says that one follows.
mkdir "$T/corpus"
for text in 0:800000-2400000 0:1-2,1023:3-2147483647 0:1-2147483648 0:1-9999999999 0:5-4 0:1-2,0:1-2 \
	"$(seq -s, -f %g:1-2 0 63)" "$(seq -s, -f %g:1-2 0 64)"; do
	n=$((n + 1)) && printf '\007%s' "$text" >"$T/corpus/limits-$n"
done
if [ -n "$FUZZ_SECONDS" ]; then
	# Seconds of a processor, also where others use it, in slices of a minute.
	used() { awk 'NR == 2 { split($1, u, "[ms]"); split($2, k, "[ms]"); print int(u[1] * 60 + u[2] + k[1] * 60 + k[2]) }' "$T/times"; }
	inputs=0 spent=0
	times >"$T/times" # not into a pipe: a subshell's children are its own
	from=$(used)
	while [ $tap_bad = 0 ] && [ "$spent" -lt "$FUZZ_SECONDS" ]; do
		left=$((FUZZ_SECONDS - spent))
		fuzz "$T/fuzz" -seed=$((spent + 1)) -max_total_time=$((left < 60 ? left : 60)) >"$T/slice" 2>&1 ||
			not_ok "requests at random" "$(tail -n 40 "$T/slice")"
		inputs=$((inputs + $(sed -n 's/^stat::number_of_executed_units: *//p' "$T/slice")))
		times >"$T/times"
		spent=$(($(used) - from))
	done
	it "$inputs inputs in $spent s of a processor do no harm" test $tap_bad = 0
else
	it "10,000 inputs do no harm" fuzz "$T/fuzz" -seed=1 -runs=10000
fi
it "coverage came to every request" sh -c "[ \$(ls '$T/corpus' | wc -l) -gt 100 ]"

# spoiled FILE EXPRESSION TEXT: the fuzzer finds it
spoiled() {
	rm -rf "$T/m" && mkdir -p "$T/m/kmod" "$T/found" && cp kmod/*.[ch] "$T/m/kmod" && sed -i "$2" "$T/m/kmod/$1"
	if cmp -s "kmod/$1" "$T/m/kmod/$1"; then not_ok "$3: found" "'$2' matches nothing"; return; fi
	it "$3: builds" build "$T/m/fuzz" "$T/m"
	exits 77 "$3: found" fuzz "$T/m/fuzz" -seed=1 -runs=400000 -error_exitcode=77 -artifact_prefix="$T/found/"
}
spoiled perseus.c 's/event != CPUFREQ_REMOVE_POLICY/1/' "holds that outlive their policy"
spoiled perseus.c 's/bool max_first = .*/bool max_first = true;/' "bounds replaced in the wrong order"
spoiled limits.h 's/ || h->flags / /' "an unknown flag that is taken"
[ -n "$FULL" ] || finish
spoiled perseus.c 's/if (!prs_others(file, policy))/if (1)/' "a hold that ignores the others'"
spoiled perseus.c 's/^\tfreq_qos_remove_request(&hold->max);//' "a request that is left behind"
spoiled perseus.c 's/^\tcpufreq_cpu_put(policy);//' "a reference that is kept"
spoiled perseus.c 's/if (cpu >= nr_cpu_ids)/if (0)/' "a cpu beyond the last"
spoiled perseus.c 's/if (!prs_known(cmd))/if (0)/' "an unknown request that is taken"
spoiled perseus.c 's/^\tprs_files--;//' "a descriptor that is counted for ever"
spoiled perseus.c 's/if (policy && !READ_ONCE(policy->max_freq_req))/if (0)/' "a policy that will go without notice"
spoiled perseus.c 's/^\tkmem_cache_free(prs_hold_cache, hold);//' "a leak"
spoiled perseus.c 's/^\tup_read(&policy->rwsem);//' "a lock that is kept"
spoiled limits.h 's/v > PRS_KHZ_MAX/0/' "a number that does not fit"
spoiled limits.h 's/limits->n == PRS_LIMIT_ENTRIES/0/' "one limit too many"
finish
