#!/bin/sh
# SPDX-License-Identifier: MIT
# The whole way on a C++ program: std::thread, lambdas, templates, exceptions,
# a conflict between fields of a heap object; and its padded twin.
. tests/lib.sh
. tests/soon.inc
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "the whole way on std::thread" "one core only"; finish; }
cat >stats.cc <<'E'
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>
#ifdef PADDED
#define LINE alignas(64)
#else
#define LINE
#endif
struct alignas(64) traffic {
	LINE std::atomic<unsigned long> rx{0};
	LINE std::atomic<unsigned long> tx{0};
};
template <typename T> __attribute__((noinline)) void count(std::atomic<T> &c, unsigned long n)
{
	if (!n)
		throw std::invalid_argument("nothing to count");
	for (unsigned long i = 0; i < n; i++)
		c.fetch_add(1, std::memory_order_relaxed);
}
int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
	auto stats = std::make_unique<traffic[]>(2);
	std::vector<std::thread> threads;
	for (int i = 0; i < 2; i++) {
		threads.emplace_back([&stats, i, n] { for (int k = 0; k < 50; k++) count(stats[i].rx, n); });
		threads.emplace_back([&stats, i, n] { for (int k = 0; k < 50; k++) count(stats[i].tx, n); });
	}
	for (auto &t : threads)
		t.join();
	bool caught = false;
	try {
		count(stats[0].rx, 0);
	} catch (const std::invalid_argument &) {
		caught = true;
	}
	unsigned long sum = stats[0].rx + stats[0].tx + stats[1].rx + stats[1].tx;
	std::printf("%s %lu\n", caught && sum == 200 * n ? "right" : "WRONG", n);
	return !(caught && sum == 200 * n);
}
E
build() { out=$1; shift; it "it builds: $out" g++ -std=c++17 -O2 -g -pthread "$@" -o "$out" stats.cc; }
build probed -fplugin="$PLUGIN"
build padded -fplugin="$PLUGIN" -DPADDED
exits 0 "it runs without the runtime" ./probed 10
# On one core nobody waits for a line: what is recorded is the work alone, whoever would have met.
exits 0 "timing" taskset -c 0 perseus record -q -o timing ./probed 400000
exits 0 "sharing" perseus record -q -o sharing --purpose=sharing ./probed 400000
says "^right" "the result is right under it"
exits 0 "sharing of the padded twin" perseus record -q -o twin --purpose=sharing ./padded 400000
exits 0 "the conflict is found" perseus conflicts sharing
says "^share-[0-9]{6} false-sharing .*(rx.*tx|\+0/\+8|\+64/\+72)" "with both places of the object: fields, or offsets if the type is not known"
says "written by +.*(count|fetch_add)" "and the function that writes"
says "stats.cc:[0-9]+" "and its line"
exits 0 "the padded twin has none" perseus conflicts twin
exits 0 "calibrate" perseus calibrate --quick -o platform.yaml
steady_prices platform.yaml
# Beside other load two threads may not have met at all while they were recorded: then it is done again.
met() { [ "$(grep -c '^    a:' model.yaml)" -ge 2 ]; }
for i in 1 2 3 4 5; do
	perseus analyze timing sharing -o model.yaml && met && break
	rm -rf sharing
	perseus record -q -o sharing --purpose=sharing ./probed 400000
done >again.txt 2>&1
exits 0 "analyze" perseus analyze timing sharing -o model.yaml
steady_rates model.yaml
exits 0 "plan" perseus plan model.yaml -p platform.yaml --objective=time -o plan.yaml
{ grep -v '^moved_transfer_ps' platform.yaml; echo 'moved_transfer_ps: {smt: 900000, cache: 900000, package: 900000, remote: 900000}'; } >moved.yaml
exits 0 "plan for cores that move" perseus plan model.yaml -p moved.yaml --objective=time -o moved-plan.yaml
says '^prices +at distance .* at another time 900' "that is said"
exits 0 "codegen" perseus codegen plan.yaml -o triggers
for f in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o triggers/$f.o triggers/$f.c; done
build planned -fplugin="$PLUGIN" -fplugin-arg-perseus-plan="$T/triggers/perseus_triggers.plan" \
	-fplugin-arg-perseus-plan-hash="$(sed -n 's/^plan //p' triggers/perseus_triggers.plan)" triggers/*.o
exits 0 "verify: equal" perseus verify plan.yaml planned
exits 1 "verify: not the probed build" perseus verify plan.yaml probed
exits 0 "the planned program computes the same" ./planned 1000
./planned 40000000000 >/dev/null &
pid=$!
# pinned PID N: it has N threads more than the first, each on one core
pinned() { [ "$(grep -l "^Cpus_allowed_list:[[:space:]]*[0-9]*\$" /proc/$1/task/*/status | grep -vc "/task/$1/")" = "$2" ]; }
soon pinned $pid 4
cores=$(for t in /proc/$pid/task/*; do [ "${t##*/}" = $pid ] || sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$t/status"; done | tr '\n' ' ')
kill $pid
set -- $cores
it "four std::threads are pinned, mates to one core ($cores)" \
	sh -c 'test "$#:$1$3" = "4:$2$4" && test "$1" != "$3" && expr "$1$3" : "[0-9]*$" >/dev/null' - "$@"
finish
