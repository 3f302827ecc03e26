#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/check-flaky.sh RUNS LOADS TEST...: run each test RUNS times beside LOADS busy
# loops, and print which did not pass every time, with the lines that failed.
# Exit status 0 if all passed in all runs, 1 if not.
runs=$1 loads=$2
shift 2
T=$(mktemp -d "${TMPDIR:-/tmp}/perseus-flaky.XXXXXX")
pids=
end() {
	[ -z "$pids" ] || kill $pids 2>/dev/null
	rm -rf "$T"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
i=0
while [ $i -lt "$loads" ]; do
	while :; do :; done &
	pids="$pids $!"
	i=$((i + 1))
done

run=1
while [ $run -le "$runs" ]; do
	tests/run "$@" >"$T/$run" 2>&1
	echo "run $run of $runs: $(tail -n 1 "$T/$run")"
	sed -n 's/^FAILED: /  /p' "$T/$run"
	run=$((run + 1))
done
echo "tests that did not pass in each of $runs runs beside $loads busy loops:"
cat "$T"/* | sed -n 's/^  FAIL  *//p' | sort | uniq -c | awk '{ print "  " $2 ": failed " $1 " times"; n++ } END { if (!n) print "  none"; exit n > 0 }'
