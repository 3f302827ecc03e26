/* SPDX-License-Identifier: MIT */
/* The other back ends: POSIX distinguishes threads and sets nothing; the stub says that it is one. */
#include "fake.h"

#include <errno.h>
#include <string.h>

#if defined(POSIX) || defined(STUB)
#define ANSWER PERSEUS_UNAVAILABLE

CASE(settings)
{
	uint32_t error = 77;

	(void)error;
	SET_ERRNO;
#ifdef WITH_PINS
	CHECK(perseus_platform_pin(2, &error) == ANSWER && error == 0);
#endif
#ifdef MOVES
	CHECK(perseus_platform_holds(2) == ANSWER);
#endif
#ifdef WITH_STEPS
	error = 77;
	CHECK(perseus_platform_step(0, 1000, &error) == ANSWER && error == 0);
#endif
	KEPT;
	LOG("%s", "");
}
#endif

#ifdef STUB
CASE(nothing_has_a_body)
{
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
	CHECK(perseus_platform_in_main() == PERSEUS_NO);
	CHECK(perseus_platform_become(0) == PERSEUS_REFUSED);
	CHECK(perseus_platform_self() == PERSEUS_NO_THREAD);
}
#endif

#ifdef POSIX
static void *not_main(void *x)
{
	CHECK(perseus_platform_in_main() == PERSEUS_NO);
	return x;
}

CASE(main_or_not)
{
	pthread_t t;

	started();
	CHECK(perseus_platform_in_main() == PERSEUS_YES);
	CHECK(!pthread_create(&t, NULL, not_main, NULL));
	pthread_join(t, NULL);
}

CASE(start_once)
{
	CHECK(perseus_platform_start() == PERSEUS_SET);
	LOG("key\n");
	CHECK(perseus_platform_start() == PERSEUS_SET);
	LOG("%s", "");
}

CASE(start_with_files_of_two_plans)
{
	fake_plan[5] ^= 1;
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
}

CASE(no_thread_specific_data)
{
	CHECK(perseus_platform_self() == PERSEUS_NO_THREAD);
	CHECK(perseus_platform_become(0) == PERSEUS_REFUSED);
	fake.key_error = EAGAIN;
	CHECK(perseus_platform_start() == PERSEUS_SET);
	CHECK(perseus_platform_self() == PERSEUS_NO_THREAD);
	CHECK(perseus_platform_become(0) == PERSEUS_REFUSED);
	fake.key_error = 0;
	CHECK(perseus_platform_start() == PERSEUS_SET);
	fake.specific_error = ENOMEM;
	CHECK(perseus_platform_become(0) == PERSEUS_REFUSED);
	CHECK(perseus_platform_self() == PERSEUS_NO_THREAD);
	fake.specific_error = 0;
	CHECK(perseus_platform_become(0) == PERSEUS_SET);
	CHECK(perseus_platform_self() == 0);
}

CASE(without_the_lock)
{
	uint32_t place = 4;

	perseus_platform_count(&place);
	LOG("lock\nunlock\n");
	perseus_platform_store(&place, 9);
	LOG("lock\nunlock\n");
	CHECK(place == 9);
	fake.lock_error = EINVAL;
	perseus_platform_count(&place);
	LOG("lock\n");
	CHECK(place == 10);
	perseus_platform_store(&place, 3);
	LOG("lock\n");
	CHECK(place == 3);
}
#endif
