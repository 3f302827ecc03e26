#!/bin/sh
# SPDX-License-Identifier: MIT
# Seven smaller programs, by make, autotools and CMake: the same input must give
# the same output and exit status without the runtime, in a timing run, and in a
# sharing run.
. tests/lib.sh
. tests/foreign/common.sh

seq 1 400000 | awk '{print $1, $1 * 7919 % 100003, "perseus"}' >"$T/input.txt"
INPUT=$T/input.txt
export INPUT

if unpack lz4 && build lz4 'make -j$jobs lz4 CFLAGS="$F"'; then
	same lz4 "compresses and expands" '$wrap $BIN/lz4 -9 -c $INPUT >a.lz4; echo $?; $wrap $BIN/lz4 -dc a.lz4 | cmp - $INPUT && cksum <a.lz4'
fi
if unpack libzstd && build libzstd 'make -j$jobs -C programs zstd CFLAGS="$F" V=1'; then
	same libzstd "compresses with two threads" '$wrap $BIN/programs/zstd -q -T2 -9 -c $INPUT >a.zst; echo $?; $wrap $BIN/programs/zstd -dqc a.zst | cmp - $INPUT && cksum <a.zst'
fi
if unpack xz-utils && build xz-utils './configure -q --disable-shared --disable-nls --disable-doc CFLAGS="$F" && make -j$jobs'; then
	same xz-utils "compresses with two threads" '$wrap $BIN/src/xz/xz -T2 --block-size=1MiB -1 -c $INPUT >a.xz; echo $?; $wrap $BIN/src/xz/xz -dc a.xz | cmp - $INPUT && cksum <a.xz'
fi
if unpack lua5.4 && build lua5.4 'make -j$jobs -C src liblua.a lua MYCFLAGS="$F -DLUA_USE_POSIX" MYLIBS= CC=gcc'; then
	cat >"$T/t.lua" <<'LUA'
local t = {} for i = 1, 200000 do t[i] = (i * 7919) % 100003 end
table.sort(t) local co = coroutine.wrap(function() for i = 1, 10 do coroutine.yield(t[i * 1000]) end end)
for i = 1, 10 do io.write(co(), " ") end print(pcall(error, "x")) os.exit(7)
LUA
	same lua5.4 "sorts, yields, throws and exits with 7" '$wrap $BIN/src/lua '"$T"'/t.lua'
fi
if unpack minisat2 && build minisat2 'mkdir -p b && cd b && g++ $F -std=gnu++11 -fpermissive -w -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I.. -o minisat ../minisat/core/*.cc ../minisat/utils/Options.cc ../minisat/utils/System.cc -lz'; then
	awk 'BEGIN { srand(7); print "p cnf 120 504"; for (i = 0; i < 504; i++) { for (j = 0; j < 3; j++) printf "%d ", (rand() < .5 ? -1 : 1) * int(1 + rand() * 120); print 0 } }' >"$T/p.cnf"
	same minisat2 "decides a random formula" '$wrap $BIN/b/minisat -verb=0 '"$T"'/p.cnf answer >/dev/null; echo $?; head -1 answer'
fi
if unpack leveldb && build leveldb 'mkdir -p b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$F" -DCMAKE_C_FLAGS="$F" -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF .. && make -j$jobs'; then
	cat >"$T/kv.cc" <<'CC'
#include <cstdio>
#include <string>
#include <thread>
#include <vector>
#include "leveldb/db.h"
int main() {
	leveldb::DB *db; leveldb::Options o; o.create_if_missing = true; o.write_buffer_size = 65536;
	if (!leveldb::DB::Open(o, "db", &db).ok()) return 3;
	std::vector<std::thread> w;
	for (int t = 0; t < 4; t++) w.emplace_back([=] { for (int i = 0; i < 5000; i++)
		db->Put(leveldb::WriteOptions(), "k" + std::to_string(t * 5000 + i), std::to_string(i * 31)); });
	for (auto &t : w) t.join();
	long n = 0, sum = 0; auto *it = db->NewIterator(leveldb::ReadOptions());
	for (it->SeekToFirst(); it->Valid(); it->Next()) { n++; sum += std::stol(it->value().ToString()); }
	delete it; delete db; std::printf("%ld %ld\n", n, sum); return 0;
}
CC
	for v in plain probed; do
		f=$level
		[ $v = plain ] || f="$level $flag"
		g++ $f -I"$W/leveldb.$v/include" -o "$W/leveldb.$v/kv" "$T/kv.cc" "$W/leveldb.$v/b/libleveldb.a" -lpthread $(ls /usr/lib/x86_64-linux-gnu/libsnappy.so 2>/dev/null) || exit 1
	done
	same leveldb "a key-value store written by four threads" '$wrap $BIN/kv; rm -rf db'
fi
if unpack redis && build redis 'make -j$jobs -C src redis-server redis-cli MALLOC=libc OPTIMIZATION= REDIS_CFLAGS="$F" BUILD_TLS=no USE_SYSTEMD=no'; then
	same redis "serves on loopback" 'port=$((21000 + $$ % 9000)); $wrap $BIN/src/redis-server --port $port --bind 127.0.0.1 --save "" --io-threads 2 >srv.log 2>&1 & pid=$!
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do $BIN/src/redis-cli -p $port ping >/dev/null 2>&1 && break; sleep 0.3; done
		for i in 1 2 3 4 5; do $BIN/src/redis-cli -p $port lpush l $i a b c; done; $BIN/src/redis-cli -p $port sort l alpha; $BIN/src/redis-cli -p $port shutdown nosave; wait $pid'
fi
finish
