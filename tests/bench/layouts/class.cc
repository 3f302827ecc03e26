/* SPDX-License-Identifier: MIT */
/* Members of a class. */
#include "crew.h"

#include <atomic>

namespace app
{
class port
{
	std::atomic<long> in APART{0};
	std::atomic<long> out APART{0};

public:
	void put(long n) { in.fetch_add(n, std::memory_order_relaxed); }
	void get(long n) { out.fetch_add(n, std::memory_order_relaxed); }
	void show() const { printf("%ld %ld\n", in.load(), out.load()); }
};
} // namespace app

alignas(64) static app::port port;

static void setup()
{
}

static void first(unsigned long n)
{
	port.put((long)work(n, 5));
}

static void second(unsigned long n)
{
	port.get((long)work(n, 5));
}

static void show()
{
	port.show();
}
