/* SPDX-License-Identifier: MIT */
/* Affinity: set, read back, refused, outside what the program started with. */
#include "fake.h"

#include <errno.h>
#include <sched.h>

#if defined(LINUX) && defined(WITH_PINS)
#define TOP (CPU_SETSIZE - 1)

static uint32_t pin(uint32_t core, uint32_t want_error)
{
	uint32_t error = 77, result;

	SET_ERRNO;
	result = perseus_platform_pin(core, &error);
	KEPT;
	CHECK(error == want_error);
	return result;
}

#ifdef MOVES /* else nobody asks again, and the function is not there */
static uint32_t holds(uint32_t core)
{
	uint32_t result;

	SET_ERRNO;
	result = perseus_platform_holds(core);
	KEPT;
	return result;
}
#define HOLDS(core, want) CHECK(holds(core) == (want))
#else
#define HOLDS(core, want) ((void)0)
#endif

CASE(pin_before_the_start)
{
	CHECK(pin(2, 0) == PERSEUS_OUTSIDE);
	LOG("%s", "");
}

CASE(pin_and_hold)
{
	started();
	CHECK(pin(2, 0) == PERSEUS_SET);
	LOG("set 0 2\nget 0\n");
	HOLDS(2, PERSEUS_SET);
	HOLDS(3, PERSEUS_NOT_HELD);
#ifdef MOVES
	LOG("get 0\nget 0\n");
#endif
	CHECK(pin(3, 0) == PERSEUS_SET);
	LOG("set 0 3\nget 0\n");
	CHECK(pin(1, 0) == PERSEUS_SET);
	CHECK(pin(TOP, 0) == PERSEUS_SET);
	LOG("set 0 1\nget 0\nset 0 %d\nget 0\n", TOP);
	HOLDS(TOP, PERSEUS_SET);
}

CASE(pin_outside)
{
	started();
	CHECK(pin(0, 0) == PERSEUS_OUTSIDE);
	CHECK(pin(4, 0) == PERSEUS_OUTSIDE);
	CHECK(pin(TOP - 1, 0) == PERSEUS_OUTSIDE);
	CHECK(pin(CPU_SETSIZE, 0) == PERSEUS_OUTSIDE);
	CHECK(pin(CPU_SETSIZE + 2, 0) == PERSEUS_OUTSIDE);
	CHECK(pin(0xFFFFFFFFu, 0) == PERSEUS_OUTSIDE);
	HOLDS(CPU_SETSIZE, PERSEUS_NOT_HELD);
	HOLDS(0xFFFFFFFFu, PERSEUS_NOT_HELD);
	LOG("%s", "");
}

CASE(pin_refused)
{
	started();
	fake.set_error = EPERM;
	CHECK(pin(2, EPERM) == PERSEUS_REFUSED);
	fake.set_error = EINVAL;
	CHECK(pin(3, EINVAL) == PERSEUS_REFUSED);
	LOG("set 0 2\nset 0 3\n");
}

CASE(pin_not_held)
{
	started();
	fake.set_ignored = 1;
	fake.mask = cores(2, 3, -1);
	CHECK(pin(2, 0) == PERSEUS_NOT_HELD);
	HOLDS(2, PERSEUS_NOT_HELD);
	fake.mask = cores(3, -1);
	CHECK(pin(2, 0) == PERSEUS_NOT_HELD);
	HOLDS(2, PERSEUS_NOT_HELD);
	fake.mask = cores(-1);
	CHECK(pin(2, 0) == PERSEUS_NOT_HELD);
	fake.mask = cores(2, -1);
	fake.get_error = ESRCH;
	CHECK(pin(2, 0) == PERSEUS_NOT_HELD);
	HOLDS(2, PERSEUS_NOT_HELD);
	fake.get_error = 0;
	CHECK(pin(2, 0) == PERSEUS_SET);
	HOLDS(2, PERSEUS_SET);
}
#endif
