#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus calibrate: measured, read from a sysroot, listed; nothing is overwritten by a failure.
. tests/lib.sh
cd "$T" || exit 1
repo=$OLDPWD

exits 0 "this machine is calibrated" perseus calibrate --quick
says '^wrote platform.yaml$' "the file is named"
says '^core +[0-9.]+ GHz \((cycle counter|multiplication chain)\)' "the core frequency says how it was obtained"
says '^perseus: platform$' "it is a platform document" platform.yaml
says 'note +watts are not known' "missing watts are named"
if [ "$(nproc)" -gt 1 ]; then
	says '^  atomic: \{alone_ps: [0-9]+, shared_ps: \{same: [0-9]+, ' "the price of a shared line is in it" platform.yaml
	says '^  rmw: .*, extra_2ns_ps: .*, extra_200ns_ps: \{[a-z]+: [0-9]+' "also with other work between the accesses" platform.yaml
else
	says 'one core is usable' "one core: absent prices are named"
fi
silent '^    store' "progress is only for terminals" err

sed -i 's/^source: .*/source: "calibrated"/' platform.yaml
cp platform.yaml good.yaml
exits 0 "again, over a good file" perseus calibrate --quick --no-steps
if grep -q '^wrote' "$T/out"; then
	silent disturbed "it is replaced by a good one only" platform.yaml
else
	says "^kept 'platform.yaml', .*in 'platform.yaml.disturbed'" "it is kept, and that is said"
	it "... as it was" cmp platform.yaml good.yaml
fi
sed -e 's/^transfer_ps: .*/transfer_ps: {smt: 90000000, cache: 90000000, package: 90000000, remote: 90000000}/' \
	-e '/^moved/d' good.yaml >platform.yaml
exits 0 "over a file of the same cores, much farther apart" perseus calibrate --quick --no-steps
if grep -q '^wrote' "$T/out" && [ "$(nproc)" -gt 1 ]; then
	says 'note +cores at distance .* move: a transfer took [0-9]+ ns now and 90000 ns at another time' "that is a range"
	says '^moved_transfer_ps: \{[a-z]+: 90000000' "the file has both ends" platform.yaml
	says '^moved_price:' "with their prices" platform.yaml
	it "and is a platform" perseus calibrate --list
else
	silent '^moved' "one that is disturbed, or of one core, changes nothing" platform.yaml
fi

loops=
for i in $(seq $((2 * $(nproc)))); do
	sh -c 'while :; do :; done' &
	loops="$loops $!"
done
exits 0 "on a machine that others use" perseus calibrate --quick --no-steps -o busy.yaml
# shellcheck disable=SC2086
kill $loops
if [ "$(nproc)" -gt 1 ]; then
	says 'note +cores .* had no core for [0-9]+ % of the rounds .the machine was busy' "that is noticed"
	says '^source: "calibrated, disturbed by other load"' "and the document says so" busy.yaml
fi

exits 0 "-o - writes the document to stdout" sh -c 'perseus calibrate --quick -o - >p.yaml'
it "and nothing but the document" sh -c 'head -n 1 p.yaml | grep -qx "perseus: platform"'
exits 0 "--name names it" perseus calibrate --quick --name lab-8 -o named.yaml
says '^name: "lab-8"$' "the name is in the file" named.yaml

(cd "$repo" && tests/sysroot/make xeon-8 "$T/xeon-8")
exits 0 "another machine is read from its files" perseus calibrate --sysroot xeon-8 -o xeon.yaml
says 'prices are not known' "and its prices are called unknown"
says 'id: 7, package: 1, cache_group: 3, physical: 7, domain: 7' "its topology is right" xeon.yaml
says 'khz: 1587000' "its frequency steps are right" xeon.yaml
silent '^price:' "no price was invented" xeon.yaml

exits 0 "--list shows what is known" perseus calibrate --list
says '^xeon-e5320 ' "the built-in platforms"
says '^platform.yaml ' "the files of this directory"
says '^xeon.yaml +intel-xeon-cpu-e5320-8 +8 cores, 2 packages' "with their size"
silent '^x-8' "and nothing else"

echo "keep me" >kept.yaml
exits 4 "a sysroot without a machine is refused" perseus calibrate --sysroot "$T/nothing" -o kept.yaml
says "cannot read '.*nothing/sys/devices/system/cpu/online', so there is no machine" "with its path"
mkdir -p empty/sys/devices/system/cpu
exits 4 "an empty sysroot is not taken for this machine" perseus calibrate --sysroot empty -o kept.yaml
it "the old file is as it was" grep -qx "keep me" kept.yaml
exits 2 "an unknown option is a usage error" perseus calibrate --frobnicate
exits 2 "an argument is a usage error" perseus calibrate here
exits 3 "a directory that does not exist is refused before measuring" perseus calibrate -o "$T/no/such/p.yaml"
says "cannot write" "with the reason"
exits 3 "a place where nobody may write is a limit of the machine" perseus calibrate --quick -o /sys/p.yaml
says "cannot write '/sys/p.yaml'" "and is named"
finish
