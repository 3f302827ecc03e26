#!/bin/sh
# SPDX-License-Identifier: MIT
# The buffers of a trace are shared by all processes of one user.  Who gives that
# user up has them no more, and what is written there moves nobody else's memory.
. tests/lib.sh
. tests/runtime/common
if [ -n "$SAN" ]; then
	skip "buffers that processes share" "the runtime is not preloaded under a sanitizer"
	finish
fi
build rights

traced() {
	rm -rf "$run_dir"
	perseus record -q --trace -o "$run_dir" "$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
	perseus report --trace --json --calls 1000 "$run_dir" >"$T/trace" 2>"$T/trace.err"
}
of_site() { awk -v n="$1" '/"number":/ {hit = ($2 + 0 == n)} /"calls":/ && hit {s += $2} END {print s + 0}' "$T/trace"; }

traced "$T/rights" descriptors
is "no program inherits a descriptor of the buffers" 0 "$(cat "$T/out")"
is "... and it is traced all the same" 100 "$(of_site 0)"

traced "$T/rights" moved
is "somebody moves the rings in the shared page: no thread writes there" "0 touched 0" "$status $(cat "$T/out")"
is "... and each is traced where its ring is" "100 1000" "$(of_site 0) $(of_site 1)"
traced "$T/rights" crooked
is "a crooked beginning of a ring: nothing goes beyond its end" "0 touched 0" "$status $(cat "$T/out")"

traced "$T/rights" sealed
is "a process that locks itself in keeps no buffers" "0 mapped 0" "$status $(cat "$T/out")"

if [ "$(id -u)" != 0 ]; then
	skip "a process that gives its user up" "only root can become another user"
	finish
fi
for how in uid reuid resuid call; do
	traced "$T/rights" $how
	is "$how: who becomes another user keeps no buffers, and gets none" "0 mapped 0 open Permission denied" "$status $(cat "$T/out")"
	is "... the process that does not is traced on" 200 "$(of_site 0)"
done
for how in euid saved; do
	traced "$T/rights" $how
	is "$how: who can be that user again at any time is traced on" "0 mapped 1" "$status $(cut -d' ' -f1,2 "$T/out")"
	is "... to the last call" 300 "$(of_site 1)"
done
finish
