#!/bin/sh
# SPDX-License-Identifier: MIT
# Atomic stores: a sequentially consistent one is a locked instruction, the others are stores.
# Thread-local variables: those whose address goes out have probes.
. tests/lib.sh
. tests/compiler.sh
cat >"$T/s.c" <<'END'
struct { long plain, relaxed, released, sequential; char flag, lock; } s;
void set(long i, int order)
{
	s.plain = i;
	__atomic_store_n(&s.relaxed, i, __ATOMIC_RELAXED);
	__atomic_store_n(&s.released, i, __ATOMIC_RELEASE);
	__atomic_store_n(&s.sequential, i, __ATOMIC_SEQ_CST);
	__atomic_clear(&s.flag, __ATOMIC_SEQ_CST);
	__atomic_clear(&s.lock, __ATOMIC_RELEASE);
}
END
for level in 0 1 2 3; do
	exits 0 "-O$level: it builds" gcc -O$level -g -fplugin="$PLUGIN" -c -o "$T/s.o" "$T/s.c"
	exits 0 "... and is listed" perseus sites "$T/s.o"
	for field in plain relaxed released lock; do says " store [18] s\.$field " "... $field is a store"; done
	for field in sequential flag; do says " atomic [18] s\.$field " "... $field is locked"; done
done

# ---- thread-local variables by name: where others may have the address ----
cat >"$T/tls.c" <<'END'
static __thread struct { long mine, yours; } lent, kept;
void *where;
void lend(void) { where = &lent; }
void add(long n) { lent.mine += n; kept.mine += n; }
END
for level in 0 2; do
	exits 0 "-O$level: it builds" gcc -O$level -g -fplugin="$PLUGIN" -c -o "$T/tls.o" "$T/tls.c"
	exits 0 "... and is listed" perseus sites "$T/tls.o"
	says '^mem .* (store|rmw) +8 lent\.mine' "-O$level: what others may reach has a probe"
	silent ' kept\.' "... and what they may not has none"
	exits 0 "... what is left out, too" perseus sites --skipped "$T/tls.o"
	silent 'thread-local' "... and nothing is"
	exits 0 "-O$level -fPIC: it builds" gcc -O$level -g -fPIC -fplugin="$PLUGIN" -c -o "$T/tls.o" "$T/tls.c"
	exits 0 "... and is listed" perseus sites --skipped "$T/tls.o"
	says '^skipped [12] access(es)?: thread-local' "... where its address would take a call, that is said"
	sed '/lend/d' "$T/tls.c" >"$T/kept.c"
	exits 0 "-O$level: where no address is taken" gcc -O$level -g -fplugin="$PLUGIN" -c -o "$T/tls.o" "$T/kept.c"
	exits 0 "... it is listed" perseus sites --skipped "$T/tls.o"
	silent 'thread-local| lent\.| kept\.' "... nothing has a probe, and nothing is said"
done

# ---- a class with a lock, reached by a negative offset from a pointer: how arrays of it are destroyed ----
cat >"$T/back.cc" <<'END'
#include <mutex>
#include <string>
struct shard { std::mutex m; std::string s; ~shard() { std::lock_guard<std::mutex> l(m); s.clear(); } };
shard shards[4];
END
for level in 0 1 2; do
	exits 0 "-O$level: an array of locks that are destroyed builds" g++ -std=c++17 -O$level -g -fplugin="$PLUGIN" -c -o "$T/back.o" "$T/back.cc"
done

# What the body of a coroutine does to data of the program is an access as any other.
cat >"$T/co.cc" <<'E'
#include <coroutine>
struct gen {
	struct promise_type {
		gen get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(long) noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
};
struct tally { volatile long here, there; } tally;
gen body(long n) { for (long i = 0; i < n; i++) { tally.there = tally.there + 1; co_yield i; } }
E
for level in -O0 -O2 -O3; do
	it "a coroutine at $level" g++ -std=c++20 -g $level -fplugin="$PLUGIN" -c -o "$T/co.o" "$T/co.cc"
	exits 0 "... has its sites" perseus sites "$T/co.o"
	says '^mem .*co\.cc:14 body +[a-z]+ 8 tally\.there ' "... the store to a variable among them"
	exits 0 "... and what carries no probe" perseus sites --skipped "$T/co.o"
	silent 'coroutine' "... which is not its body"
done
finish
