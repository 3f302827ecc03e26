/* SPDX-License-Identifier: MIT */
/* Fields of a struct in a struct. */
#include "crew.h"

struct port {
	long in APART;
	long out APART;
};
struct device {
	long id;
	struct port port;
	long limit;
};
static struct device device __attribute__((aligned(64))) = {.id = 1, .limit = 2};

static void setup(void)
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&device.port.in, (long)work(n, 3), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&device.port.out, (long)work(n, 3), __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%ld %ld %ld\n", device.id + device.limit, device.port.in, device.port.out);
}
