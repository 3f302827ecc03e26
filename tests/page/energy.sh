#!/bin/sh
# SPDX-License-Identifier: MIT
# The tab "Energy" of a run on a machine that the program makes up: the joules of perseus report --energy; why there are none elsewhere.
. tests/lib.sh
top=$PWD
cp tests/energy/secret.c "$T"
cd "$T" || exit 1
zone=root/sys/class/powercap/intel-rapl:0
mkdir -p $zone empty/sys
echo package-0 >$zone/name
echo 262143328850 >$zone/max_energy_range_uj
printf '%012d\n' 5000000 >$zone/energy_uj
it "a program builds" gcc -O1 -g $(perseus flags) -o secret secret.c -lpthread
it "a run with a made-up meter" perseus record -q --sysroot=root --energy -o metered ./secret $zone/energy_uj 5000000 8
it "one without a meter" perseus record -q --sysroot=empty --energy -o absent ./secret $zone/energy_uj 5000000 8
it "one that did not ask" perseus record -q -o silent ./secret $zone/energy_uj 5000000 8
perseus report --energy --json ./metered >metered.json
for run in metered absent silent; do exits 0 "a page of $run" perseus report --html $run.html ./$run; done
it "the document is what the command prints" /usr/bin/python3 -c '
import json, re
said = re.search("id=\"energy\">(.*?)</script>", open("metered.html").read(), re.S).group(1)
assert json.loads(said) == json.load(open("metered.json"))
'
it "who did not ask has none" test "$(grep -c 'id="energy"' silent.html)" = 0
exits 4 "a model that is none" perseus report --html x.html --energy-model=secret.c ./silent
[ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] && /usr/bin/python3 -c 'import selenium' 2>/dev/null || {
	skip "pages in a browser" "no chromium with its driver here"
	finish
}
it "driven" /usr/bin/python3 "$top/tests/page/energy.py" metered.html "$O/pages/energy" metered.json
it "what can be copied runs" /usr/bin/python3 "$top/tests/page/commands.py" metered.html
it "why there are none" /usr/bin/python3 "$top/tests/page/energy-none.py" absent.html "$O/pages/energy"
sed '/id="energy"/s/"joules": 6/"joules": 7/' metered.html >altered.html
it "figures that were altered" sh -c '! cmp -s metered.html altered.html && ! /usr/bin/python3 "$1"/tests/page/energy.py altered.html "$2" metered.json' sh "$top" "$T/shots"
finish
