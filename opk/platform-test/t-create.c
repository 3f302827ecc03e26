/* SPDX-License-Identifier: MIT */
/* Creation of threads: who the new one is, where it starts, and what the program sees of that. */
#include "fake.h"

#include <errno.h>
#include <string.h>

#ifndef STUB
#define THREAD  ((pthread_t *)0x80)
#define THEIRS  ((pthread_attr_t *)0x40)
#define SAME(x) CHECK(fake.returned == (void *)(x))

int planned_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument);

static char a[] = "A", b[] = "B";

static int create(uint32_t child, const pthread_attr_t *attributes, char *argument)
{
	int error;

	fake.child = child;
	fake.returned = NULL;
	SET_ERRNO;
	error = planned_create(THREAD, attributes, user_start, argument);
	KEPT;
	return error;
}

CASE(create_unplanned)
{
	started();
	CHECK(!create(PERSEUS_NO_THREAD, NULL, a));
	LOG("take\ncreate none, the user's A\nuser A\n");
	SAME(a);
	CHECK(!create(PERSEUS_NO_THREAD, THEIRS, b));
	LOG("take\ncreate the user's, the user's B\nuser B\n");
	SAME(b);
	CHECK(!create(PERSEUS_THREADS, THEIRS, b));
	LOG("take\ncreate the user's, the user's B\nuser B\n");
}

CASE(create_planned)
{
	started();
	CHECK(!create(0, NULL, a));
	LOG("take\ncreate none, ours\nenter 0\nuser A\n");
	SAME(a);
	CHECK(!create(PERSEUS_THREADS - 1u, THEIRS, b));
	LOG("take\ncreate the user's, ours\nenter %u\nuser B\n", PERSEUS_THREADS - 1u);
	SAME(b);
}

/* Each planned thread has a place of its own. */
CASE(create_two_before_they_run)
{
	uint32_t last = PERSEUS_THREADS - 1u;

	if (last == 0)
		return;
	started();
	fake.later = 1;
	CHECK(!create(0, NULL, a));
	CHECK(!create(last, NULL, b));
	log_forget();
	fake_run(0);
	LOG("enter 0\nuser A\n");
	SAME(a);
	fake_run(1);
	LOG("enter %u\nuser B\n", last);
	SAME(b);
}

CASE(create_refused)
{
	started();
	for (int i = 0; i < 4; i++)
		fake.create_error[i] = EAGAIN;
	CHECK(create(PERSEUS_NO_THREAD, THEIRS, a) == EAGAIN);
	LOG("take\ncreate the user's, the user's A\nundo\n");
	CHECK(create(0, THEIRS, a) == EAGAIN);
	LOG("take\ncreate the user's, ours\nundo\n");
	for (int i = 0; i < 4; i++)
		fake.create_error[i] = EPERM;
	CHECK(create(0, THEIRS, a) == EPERM);
	LOG("take\ncreate the user's, ours\nundo\n");
}

#if defined(LINUX) && !defined(PERSEUS_STATIC)
CASE(create_without_a_system)
{
	started();
	fake.no_creator = 1;
	CHECK(create(PERSEUS_NO_THREAD, NULL, a) == EAGAIN);
	LOG("take\nundo\n");
	CHECK(create(0, NULL, a) == EAGAIN);
	LOG("take\nundo\n");
}
#endif

#if defined(LINUX) && defined(WITH_PINS)
#define MASK "1,2,3,1023"

/* The creator is held on core 2. */
static void pinned(void)
{
	uint32_t error;

	started();
	CHECK(perseus_platform_pin(2, &error) == PERSEUS_SET);
	log_forget();
}

/* ... and was moved by the program. */
static void moved(void)
{
	pinned();
	fake.mask = cores(1, -1);
}
#endif

#if defined(LINUX) && defined(WITH_PINS)
CASE(create_lends_the_mask)
{
	pinned();
	CHECK(!create(PERSEUS_NO_THREAD, NULL, a));
	LOG("take\nget 0\nset 0 " MASK "\ncreate none, the user's A\nuser A\nset 0 2\nget 0\n");
	CHECK(!create(0, THEIRS, b));
	LOG("take\nget 0\nset 0 " MASK "\ncreate the user's, ours\nenter 0\nuser B\nset 0 2\nget 0\n");
	fake.create_error[2] = EAGAIN;
	CHECK(create(0, THEIRS, b) == EAGAIN);
	LOG("take\nget 0\nset 0 " MASK "\ncreate the user's, ours\nundo\nset 0 2\nget 0\n");
}

CASE(create_where_the_program_moved_itself)
{
	moved();
	CHECK(!create(PERSEUS_NO_THREAD, NULL, a));
	LOG("take\nget 0\ncreate none, the user's A\nuser A\n");
}

CASE(create_where_the_mask_cannot_be_lent)
{
	pinned();
	fake.set_error = EPERM;
	CHECK(!create(0, NULL, a));
	LOG("take\nget 0\nset 0 " MASK "\ncreate none, ours\nenter 0\nuser A\n");
}

static void *refuse(void *x)
{
	fake.set_error = EPERM;
	return x;
}

CASE(create_and_no_way_back)
{
	pinned();
	fake.child = PERSEUS_NO_THREAD;
	SET_ERRNO;
	CHECK(!planned_create(THREAD, NULL, refuse, NULL));
	KEPT;
#ifdef MOVES
	LOG("take\nget 0\nset 0 " MASK "\ncreate none, ours\nset 0 2\nrecheck\n");
#else
	LOG("take\nget 0\nset 0 " MASK "\ncreate none, ours\nset 0 2\n");
	CHECK(perseus_status.pins_lost == 1);
#endif
}
#endif

#endif /* STUB */
