#!/bin/sh
# SPDX-License-Identifier: MIT
# What happens behind a caught exception does not happen inside the calls that
# it left, however many there were.
. tests/lib.sh
cp tests/cli/caught/* "$T"
cd "$T" || exit 1
line() { grep -n "$1" caught.cc | head -1 | cut -d: -f1; }

for how in -O0 -O2 "-O2 -flto"; do
	it "$how: builds" g++ $how -g -fplugin="$PLUGIN" -o caught caught.cc
	it "$how: the probes enclose their calls and nothing else" perseus sites --check caught
	exits 0 "$how: recorded" perseus record -q -o "thrown $how" ./caught
	says '^3000 3000$' "$how: it caught and cleaned up"
	exits 0 "$how: waits" perseus waits --all "thrown $how"
	says "^    called    in rest\(\) caught\.cc:$(line 'the wait')$|^    waits     main in rest\(\) caught\.cc:$(line 'the wait')$" "$how: the function that sleeps is named"
	silent "(inner|outer|many)\(\)" "$how: ... and none that was left"
	exits 0 "$how: functions" perseus report --json "thrown $how"
	it "$how: all calls ended, and work has the time that it took" python3 caught.py out thrown
	exits 0 "$how: the twin that throws nothing: recorded" perseus record -q -o "quiet $how" ./caught quiet
	says '^0 0$' "$how: it caught nothing"
	exits 0 "$how: functions" perseus report --json "quiet $how"
	it "$how: the same counts of the calls that return" python3 caught.py out quiet
done
finish
