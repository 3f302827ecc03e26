/* SPDX-License-Identifier: MIT */
/* What every plan's platform file has: counters, who is calling, the start-up check. */
#include "fake.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

CASE(count)
{
	uint32_t counter = 0, top = UINT32_MAX / 2;

	SET_ERRNO;
	perseus_platform_count(&counter);
	CHECK(counter == 1);
	perseus_platform_count(&counter);
	CHECK(counter == 2);
	/* At half of its range it stays. */
	perseus_platform_count(&top);
	CHECK(top == UINT32_MAX / 2 + 1);
	perseus_platform_count(&top);
	CHECK(top == UINT32_MAX / 2 + 1);
	top = UINT32_MAX;
	perseus_platform_count(&top);
	CHECK(top == UINT32_MAX);
	KEPT;
}

#ifndef STUB /* where it is the integrator's duty */
#define ROUNDS 200000

static uint32_t shared;

static void *count_up(void *x)
{
	for (int i = 0; i < ROUNDS; i++)
		perseus_platform_count(&shared);
	return x;
}

CASE(count_by_threads)
{
	pthread_t t[4];

	fake.lock_error = -1;
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, count_up, NULL));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	CHECK(shared == 4u * ROUNDS);
}

/* However many come to the last place at once: none of them makes it wrap. */
CASE(count_to_the_end_by_threads)
{
	pthread_t t[4];

	fake.lock_error = -1;
	shared = UINT32_MAX / 2 - ROUNDS;
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, count_up, NULL));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	CHECK(shared > UINT32_MAX / 2 && shared <= UINT32_MAX / 2 + 4);
}
#endif

CASE(store)
{
	uint32_t place[3] = {1, 2, 3};

	SET_ERRNO;
	perseus_platform_store(&place[1], 77);
	CHECK(place[0] == 1 && place[1] == 77 && place[2] == 3);
	KEPT;
}

#ifndef STUB
static void *see_none(void *other)
{
	CHECK(perseus_platform_self() == PERSEUS_NO_THREAD);
	CHECK(perseus_platform_become(*(uint32_t *)other) == PERSEUS_SET);
	CHECK(perseus_platform_self() == *(uint32_t *)other);
	return NULL;
}

CASE(who_is_calling)
{
	uint32_t last = PERSEUS_THREADS - 1u;
	pthread_t t;

	fake.lock_error = -1;
	perseus_platform_start();
	SET_ERRNO;
	CHECK(perseus_platform_self() == PERSEUS_NO_THREAD);
	CHECK(perseus_platform_become(0) == PERSEUS_SET);
	CHECK(perseus_platform_self() == 0);
	CHECK(!pthread_create(&t, NULL, see_none, &last));
	pthread_join(t, NULL);
	CHECK(perseus_platform_self() == 0);
	CHECK(perseus_platform_become(last) == PERSEUS_SET);
	CHECK(perseus_platform_self() == last);
	CHECK(perseus_platform_become(last + 1u) == PERSEUS_REFUSED);
	CHECK(perseus_platform_become(PERSEUS_NO_THREAD) == PERSEUS_REFUSED);
	CHECK(perseus_platform_self() == last);
	KEPT;
}
#endif

#ifdef LINUX
CASE(main_or_not)
{
	CHECK(perseus_platform_in_main() == PERSEUS_YES);
	fake.tid = PID + 1;
	CHECK(perseus_platform_in_main() == PERSEUS_NO);
	fake.tid = PID - 1;
	CHECK(perseus_platform_in_main() == PERSEUS_NO);
}

/* ---- the start-up check ---- */

#ifdef WITH_PINS
#define GET_MASK "get 0\n"
#else
#define GET_MASK ""
#endif
#ifdef CPU_NAME
#define READ_CPU "open /proc/cpuinfo 0x80000\nread 4096\nclose\n"
#define READ_BAD "open /proc/cpuinfo 0x80000\nread 4096\nclose\n"
#else
#define READ_CPU ""
#endif

CASE(start_on_the_planned_machine)
{
	CHECK(perseus_platform_start() == PERSEUS_SET);
#ifndef WITH_STEPS
	LOG(GET_MASK READ_CPU "sysconf online\n");
#endif
}

CASE(start_with_files_of_two_plans)
{
	for (int i = 0; i < 64; i++) {
		fake_plan[i] ^= 1;
		CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
		LOG("%s", "");
		fake_plan[i] ^= 1;
	}
	fake_plan[63] = '\0';
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
}

CASE(start_with_other_cores)
{
	fake.online = CORES + 1;
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
	LOG(GET_MASK READ_CPU "sysconf online\n");
	fake.online = CORES - 1;
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
	fake.online = -1;
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
	LOG(GET_MASK READ_CPU "sysconf online\n" GET_MASK READ_CPU "sysconf online\n");
}

#ifdef WITH_PINS
CASE(start_without_a_mask)
{
	fake.get_error = EINVAL;
	CHECK(perseus_platform_start() == PERSEUS_REFUSED);
	fake.get_error = 0;
	fake.get_answer = 8; /* bytes, as from the system call itself */
	CHECK(perseus_platform_start() == PERSEUS_REFUSED);
	LOG("get 0\nget 0\n");
}
#endif

#ifdef CPU_NAME
static uint32_t with_cpu(const char *text)
{
	uint32_t result;

	put_file("/proc/cpuinfo", text);
	result = perseus_platform_start();
	log_forget();
	return result;
}

CASE(start_on_other_processors)
{
	char text[4200] = "";
	struct fake_file *f;

	CHECK(with_cpu("model name\t: " CPU_NAME " x\n") == PERSEUS_NOT_HELD);
	CHECK(with_cpu("model name\t: x" CPU_NAME "\n") == PERSEUS_NOT_HELD);
	CHECK(with_cpu("model name\t: " CPU_NAME) == PERSEUS_NOT_HELD);
	CHECK(with_cpu("model name : " CPU_NAME "\n") == PERSEUS_NOT_HELD);
	CHECK(with_cpu("model name\t:") == PERSEUS_NOT_HELD);
	CHECK(with_cpu("model name\t: ") == PERSEUS_NOT_HELD);
	CHECK(with_cpu("model name\t: \n") == PERSEUS_NOT_HELD);
	CHECK(with_cpu("") == PERSEUS_NOT_HELD);
	/* Past what the kernel gave, nothing is looked at. */
	f = put_file("/proc/cpuinfo", "model name\t: " CPU_NAME "\n");
	f->n--;
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
	f->n++;
	f->read_error = EIO;
	log_forget();
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
	LOG(GET_MASK READ_BAD);
	f->read_error = 0;
	f->open_error = EACCES;
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
	LOG(GET_MASK "open /proc/cpuinfo 0x80000\n");
	/* It ends one byte behind what is read. */
	memset(text, ' ', 4096);
	memcpy(text + 4097 - sizeof("model name\t: " CPU_NAME), "model name\t: " CPU_NAME,
	       sizeof("model name\t: " CPU_NAME) - 1);
	f = put_file("/proc/cpuinfo", "");
	memcpy(f->text, text, 4096);
	f->n = 4096;
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
}

CASE(start_with_the_processor_at_the_end)
{
	static const char line[] = "model name\t: " CPU_NAME "\n";
	struct fake_file *f = put_file("/proc/cpuinfo", "");

	memset(f->text, ' ', 4096);
	memcpy(f->text + 4097 - sizeof(line), line, sizeof(line) - 1);
	f->n = 4096;
	CHECK(perseus_platform_start() == PERSEUS_SET);
}

CASE(start_with_the_processor_first)
{
	CHECK(with_cpu("model name\t: " CPU_NAME "\n") == PERSEUS_SET);
}

CASE(start_with_the_processor_in_short)
{
	CHECK(with_cpu("model name\t: " CPU_NAME "\n\n") == PERSEUS_SET);
}

CASE(start_with_the_second_processor)
{
	CHECK(with_cpu("model name\t: another\n\nmodel name\t: " CPU_NAME "\nmodel name\t: a third\n") ==
	      PERSEUS_SET);
}
#endif
#endif /* LINUX */

#ifdef WITH_FLUSH
static unsigned mxcsr(void)
{
	unsigned value;

	__asm__ volatile("stmxcsr %0" : "=m"(value));
	return value;
}

static void set_mxcsr(unsigned value)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(value));
}

/* Flags are not told, and stay; nothing but the bits is changed. */
CASE(flush)
{
	SET_ERRNO;
	set_mxcsr(0x1fa1);
	CHECK(perseus_platform_control() == 0x1f80u);
	perseus_platform_flush(0x8040u);
	CHECK(mxcsr() == 0x9fe1);
	CHECK(perseus_platform_control() == 0x9fc0u);
	set_mxcsr(mxcsr() | 0x2004); /* rounds down, and has divided by 0 */
	perseus_platform_unflush(0x8040u);
	CHECK(mxcsr() == 0x3fa5);
	set_mxcsr(0x1f80);
	perseus_platform_flush(0x8000u);
	CHECK(mxcsr() == 0x9f80);
	perseus_platform_unflush(0x8000u);
	CHECK(mxcsr() == 0x1f80);
	KEPT;
}

static void *level_of_another(void *x)
{
	uint32_t *seen = x;

	*seen = perseus_platform_level();
	perseus_platform_set_level(9);
	return NULL;
}

/* Each thread has its own. */
CASE(level)
{
	uint32_t seen = 77;
	pthread_t t;

	CHECK(perseus_platform_level() == 0);
	perseus_platform_set_level(3);
	CHECK(!pthread_create(&t, NULL, level_of_another, &seen));
	pthread_join(t, NULL);
	CHECK(seen == 0);
	CHECK(perseus_platform_level() == 3);
}
#endif
