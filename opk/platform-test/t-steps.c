/* SPDX-License-Identifier: MIT */
/* Frequency steps: by the one way that the file was generated for: perseusd, the module, cpufreq's files. */
#include "fake.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#if defined(LINUX) && defined(WITH_STEPS)
#define CPUFREQ   "/sys/devices/system/cpu/cpufreq/policy"
#define CALM      "cancel 1\nmask all\nlock\n"
#define GO_ON     "unlock\nmask back\ncancel 0\n"
#define SOCKET    "socket\nreceive 100 1 1.000000\nsend 100 1 1.000000\nconnect 100 " PRS_CTL_SOCKET "\n"
#define ASKS      "send 100\nrecv 100\n"
#define DEVICE    "open /dev/perseus 0x80002\n"
#define LOST      4
#if defined(BY_DAEMON)
#define OURS 1
#elif defined(BY_DEVICE)
#define OURS 2
#else
#define OURS 3
#endif

static const uint32_t planned[] = DOMAINS;
#define N_PLANNED (sizeof(planned) / sizeof(planned[0]))
#define FIRST     (planned[0])
#define HIGHEST   (planned[N_PLANNED - 1])
#define POLICIES  (HIGHEST + 1u)

/* The policies lie as far apart as the machine has room. */
static uint32_t policy_of(uint32_t domain)
{
	uint32_t apart = LIMIT / POLICIES;

	return domain * (apart ? apart : 1);
}

static const char *path(uint32_t domain, const char *file)
{
	static char text[8][160];
	static int turn;
	char *out = text[turn++ % 8];

	snprintf(out, sizeof(text[0]), CPUFREQ "%u/%s", policy_of(domain), file);
	return out;
}

#define SPEED(d) path(d, "scaling_setspeed")
#define TOP(d)   path(d, "scaling_max_freq")

/* Even domains have a governor that takes steps. */
static void cpufreq(void)
{
	for (uint32_t d = 0; d < POLICIES && policy_of(d) < LIMIT; d++) {
		put_file(TOP(d), "2000000\n");
		put_file(SPEED(d), d % 2 ? "<unsupported>\n" : "1999000\n");
	}
}

/* What is asked to find them. */
static const char *found(void)
{
	static char text[1 << 16];
	size_t n = 0;

	for (uint32_t p = 0, d = 0; p < LIMIT; p++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "access " CPUFREQ "%u/scaling_max_freq 0\n",
				      p);
		if (d < POLICIES && p == policy_of(d)) {
#ifdef BY_FILES
			n += (size_t)snprintf(text + n, sizeof(text) - n, "open %s 0x80000\nread 16\nclose\n",
					      SPEED(d));
#endif
			d++;
		}
	}
	return text;
}

static uint32_t step(uint32_t domain, uint32_t khz, uint32_t want_error)
{
	uint32_t error = 77, result;

	dirty_stack();
	SET_ERRNO;
	result = perseus_platform_step(domain, khz, &error);
	KEPT;
	CHECK(error == want_error);
	return result;
}

/* The start, without what it asks about the machine. */
static void start(void)
{
	char *at;

	dirty_stack();
	CHECK(perseus_platform_start() == PERSEUS_SET);
	at = strstr(fake.log, "sysconf online\n");
	CHECK(at != NULL);
	if (at) {
		memmove(fake.log, at + 15, strlen(at + 15) + 1);
		fake.logged = strlen(fake.log);
	}
}

#ifdef BY_DAEMON
#define SESSION 0x1122334455667788u
#define LEASE   9u
#define TTL     5000u

static unsigned present(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < N_PLANNED; i++)
		n += policy_of(planned[i]) < LIMIT;
	return n;
}

static const char *asks(unsigned n)
{
	static char text[4096];

	text[0] = '\0';
	while (n--)
		strcat(text, ASKS);
	return text;
}

static void answer_hello(void)
{
	struct fake_reply *r = put_reply(PRS_CTL_OK_STATUS);

	r->reply.session = SESSION;
	r->reply.ttl_ms = TTL;
	r->reply.lease = 3; /* means nothing here */
}

static void answer_queries(void)
{
	for (unsigned i = 0; i < present(); i++) {
		struct fake_reply *r = put_reply(PRS_CTL_OK_STATUS);

		r->reply.cpus[i % 128] = (prs_u8)(i + 1);
		r->reply.cpus[127] = 0x80;
	}
}

static struct fake_reply *answer_set(uint32_t khz)
{
	struct fake_reply *r = put_reply(PRS_CTL_OK_STATUS);

	r->reply.min_khz = r->reply.max_khz = khz;
	return r;
}

static void reach(void)
{
	cpufreq();
	fake.socket_error = 0;
}

#endif

/* All is there that steps need. */
static void there(void)
{
#ifdef BY_DAEMON
	reach();
	answer_hello();
	answer_queries();
	put_reply(PRS_CTL_OK_STATUS)->reply.lease = LEASE;
#else
	cpufreq();
	fake.device = 1; /* not looked at by files */
#endif
}

/* What the start asks for behind the policies. */
static const char *begun(void)
{
#if defined(BY_DAEMON)
	static char text[5000];

	snprintf(text, sizeof(text), SOCKET "%s", asks(2 + present()));
	return text;
#elif defined(BY_DEVICE)
	return DEVICE "caps 200 1\n";
#else
	return "atexit\n";
#endif
}

/* The next step is to @khz. */
static void answer(uint32_t khz)
{
#ifdef BY_DAEMON
	answer_set(khz);
#else
	(void)khz;
#endif
}

/* ---- of every way ---- */

CASE(start_without_policies)
{
	start();
	LOG(CALM "%s" GO_ON, ({
		    static char text[1 << 15];
		    size_t n = 0;
		    for (uint32_t p = 0; p < LIMIT; p++)
			    n += (size_t)snprintf(text + n, sizeof(text) - n,
						  "access " CPUFREQ "%u/scaling_max_freq 0\n", p);
		    text;
	    }));
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(0, LOW, 0) == PERSEUS_UNAVAILABLE);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
	LOG("%s", "");
}

/* The highest planned domain is missing: which one the others are is not known, and nobody is asked. */
CASE(start_with_fewer_policies)
{
	there();
	find_file(TOP(HIGHEST))->path[0] = '\0';
	start();
	CHECK(!strstr(fake.log, "atfork"));
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
	CHECK(step(HIGHEST, LOW, 0) == PERSEUS_UNAVAILABLE);
}

CASE(start_by_our_way)
{
	there();
	start();
	LOG(CALM "%satfork\n%s" GO_ON, found(), begun());
	CHECK(perseus_status.steps_way == OURS);
}

/* Were the counters cleared, the start is repeated, but finds and chooses nothing again. */
CASE(start_twice)
{
	there();
	start();
	log_forget();
	memset(&perseus_status, 0, sizeof(perseus_status));
	start();
	LOG(CALM GO_ON);
	CHECK(perseus_status.steps_way == OURS);
	answer(LOW);
	CHECK(step(HIGHEST, LOW, 0) == PERSEUS_SET);
	CHECK(step(POLICIES, LOW, 0) == PERSEUS_UNAVAILABLE);
}

CASE(no_start_on_another_machine)
{
	there();
	fake.online = CORES + 1;
	CHECK(perseus_platform_start() == PERSEUS_NOT_HELD);
	CHECK(!strstr(fake.log, "lock"));
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
}

CASE(start_where_a_child_cannot_be_kept_out)
{
	there();
	fake.atfork_error = ENOMEM;
	start();
	LOG(CALM "%satfork\n" GO_ON, found());
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
	LOG(CALM GO_ON);
}

CASE(steps_in_a_child)
{
	there();
	start();
	log_forget();
	fake.pid = PID + 1;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
	fake.pid = PID - 1;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
	LOG("%s", "");
	fake.in_child();
	CHECK(perseus_status.steps_way == 0);
}

CASE(steps_without_the_lock)
{
	there();
	start();
	log_forget();
	fake.lock_error = EINVAL;
	CHECK(step(FIRST, LOW, EINVAL) == PERSEUS_REFUSED);
	LOG("cancel 1\nmask all\nlock\nmask back\ncancel 0\n");
}

CASE(a_thread_that_cannot_be_cancelled_stays_so)
{
	there();
	start();
	log_forget();
	fake.cancel = 1;
	answer(LOW);
	CHECK(step(POLICIES - 1, LOW, 0) == PERSEUS_SET);
	CHECK(strstr(fake.log, "mask back\ncancel 1\n"));
}

#ifdef BY_FILES
CASE(start_where_nothing_can_be_put_back)
{
	cpufreq();
	fake.atexit_error = -1;
	start();
	LOG(CALM "%satfork\n" "atexit\n" GO_ON, found());
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
	LOG(CALM GO_ON);
}

/* ---- by files ---- */

static void by_files(void)
{
	cpufreq();
	start();
	log_forget();
}

/* The file that takes the steps of @domain. */
static const char *file_of(uint32_t domain)
{
	return domain % 2 ? TOP(domain) : SPEED(domain);
}

static void step_is_set(uint32_t domain, uint32_t khz, int first)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", khz);
	const char *f = file_of(domain);

	CHECK(step(domain, khz, 0) == PERSEUS_SET);
	if (first)
		LOG(CALM "open %s 0x80000\nread 16\nclose\nopen %s 0x80001\nwrite %s %d\nclose\nopen %s "
			 "0x80000\nread "
			 "16\nclose\n" GO_ON,
		    f, f, text, n, f);
	else
		LOG(CALM "open %s 0x80001\nwrite %s %d\nclose\nopen %s 0x80000\nread 16\nclose\n" GO_ON, f,
		    text, n, f);
}

CASE(step_by_each_file)
{
	by_files();
	for (uint32_t d = 0; d < POLICIES && policy_of(d) < LIMIT; d++) {
		step_is_set(d, LOW, 1);
		step_is_set(d, HIGH, 0);
	}
	CHECK(step(POLICIES, LOW, 0) == PERSEUS_UNAVAILABLE);
	CHECK(step(UINT32_MAX, LOW, 0) == PERSEUS_UNAVAILABLE);
	LOG("%s", "");
}

CASE(step_to_every_length_of_number)
{
	static const uint32_t khz[] = {0, 1, 9, 10, 99, 100, 12345, 999999999, 1000000000, UINT32_MAX};

	by_files();
	for (size_t i = 0; i < sizeof(khz) / sizeof(khz[0]); i++)
		step_is_set(0, khz[i], i == 0);
}

CASE(step_without_a_setspeed_file)
{
	cpufreq();
	find_file(SPEED(0))->open_error = ENOENT;
	start();
	log_forget();
	CHECK(step(0, LOW, 0) == PERSEUS_SET);
	CHECK(strstr(fake.log, TOP(0)) && !strstr(fake.log, "setspeed"));
}

CASE(step_where_the_governor_takes_none)
{
	cpufreq();
	put_file(SPEED(0), "<unsupported>\n");
	start();
	log_forget();
	CHECK(step(0, LOW, 0) == PERSEUS_SET);
	CHECK(strstr(fake.log, TOP(0)) && !strstr(fake.log, "setspeed"));
}

CASE(step_refused_by_files)
{
	by_files();
	struct fake_file *f = find_file(file_of(0));

	f->open_error = EACCES;
	CHECK(step(0, LOW, EACCES) == PERSEUS_REFUSED);
	f->open_error = ENOENT;
	CHECK(step(0, LOW, ENOENT) == PERSEUS_UNAVAILABLE);
	f->open_error = 0;
	f->write_error = EBUSY;
	CHECK(step(0, LOW, EBUSY) == PERSEUS_REFUSED);
	f->write_error = 0;
	f->cut = 1;
	CHECK(step(0, LOW, EIO) == PERSEUS_REFUSED);
	f->cut = snprintf(NULL, 0, "%u", LOW); /* all of it */
	CHECK(step(0, LOW, EIO) == PERSEUS_REFUSED);
	f->cut = 0;
	CHECK(step(0, LOW, 0) == PERSEUS_SET);
}

CASE(step_not_held_by_files)
{
	by_files();
	struct fake_file *f = find_file(file_of(0));

	f->sticky = 1;
	CHECK(step(0, LOW, 0) == PERSEUS_NOT_HELD);
	put_file(file_of(0), "")->sticky = 1;
	f->n = (size_t)snprintf(f->text, sizeof(f->text), "%u", LOW); /* no newline */
	CHECK(step(0, LOW, 0) == PERSEUS_NOT_HELD);
	f->n = (size_t)snprintf(f->text, sizeof(f->text), "%u0\n", LOW);
	CHECK(step(0, LOW, 0) == PERSEUS_NOT_HELD);
	f->n = (size_t)snprintf(f->text, sizeof(f->text), "%u\n", LOW + 1);
	CHECK(step(0, LOW, 0) == PERSEUS_NOT_HELD);
	f->n = (size_t)snprintf(f->text, sizeof(f->text), "%u\n", LOW);
	CHECK(step(0, LOW, 0) == PERSEUS_SET);
	f->read_error = EIO;
	CHECK(step(0, LOW, 0) == PERSEUS_NOT_HELD);
}

/* Eight looks, a millisecond apart. */
CASE(step_taken_late_by_files)
{
	by_files();
	struct fake_file *f = find_file(file_of(0));

	f->late = 7;
	CHECK(step(0, LOW, 0) == PERSEUS_SET);
	log_forget();
	f->late = 2;
	CHECK(step(0, LOW + 1, 0) == PERSEUS_SET);
#define LOOK "open %s 0x80000\nread 16\nclose\n"
	LOG(CALM "open %s 0x80001\nwrite %u %d\nclose\n" LOOK "wait 1\n" LOOK "wait 1\n" LOOK GO_ON,
	    file_of(0), LOW + 1, snprintf(NULL, 0, "%u", LOW + 1), file_of(0), file_of(0), file_of(0));
	f->late = 8;
	CHECK(step(0, LOW, 0) == PERSEUS_NOT_HELD);
	CHECK(step(0, LOW, 0) == PERSEUS_SET);
}

CASE(put_back_at_the_end)
{
	by_files();
	CHECK(step(0, LOW, 0) == PERSEUS_SET);
	CHECK(step(0, HIGH, 0) == PERSEUS_SET);
	CHECK(step(POLICIES - 1, LOW, 0) == PERSEUS_SET);
	log_forget();
	fake.pid = PID + 1;
	fake.at_exit();
	fake.pid = PID - 1;
	fake.at_exit();
	LOG("%s", "");
	fake.pid = PID;
	fake.at_exit();
	if (POLICIES == 1)
		LOG(CALM "open %s 0x80001\nwrite 1999000 8\nclose\n" GO_ON, file_of(0));
	else
		LOG(CALM
		    "open %s 0x80001\nwrite 1999000 8\nclose\nopen %s 0x80001\nwrite %s 8\nclose\n" GO_ON,
		    file_of(0), file_of(POLICIES - 1), (POLICIES - 1) % 2 ? "2000000" : "1999000");
	CHECK(perseus_status.steps_way == OURS);
	CHECK(step(0, LOW, 0) == PERSEUS_UNAVAILABLE);
	LOG(CALM GO_ON);
}

CASE(nothing_to_put_back)
{
	by_files();
	find_file(file_of(0))->read_error = EIO; /* so that what it said is not known */
	CHECK(step(0, LOW, 0) == PERSEUS_NOT_HELD);
	log_forget();
	fake.at_exit();
	LOG(CALM GO_ON);
}

CASE(files_at_descriptor_nought)
{
	cpufreq();
	fake.from_nought = 1;
	start();
	CHECK(perseus_status.steps_way == OURS);
	CHECK(step(0, LOW, 0) == PERSEUS_SET);
	log_forget();
	fake.at_exit();
	CHECK(strstr(fake.log, "write 1999000 8\nclose 0\n"));
}

#endif

#ifdef BY_DEVICE
/* ---- by the module ---- */

static void by_module(void)
{
	cpufreq();
	fake.device = 1;
	start();
	LOG(CALM "%satfork\n" DEVICE "caps 200 1\n" GO_ON, found());
	CHECK(perseus_status.steps_way == OURS);
}

CASE(step_by_module)
{
	by_module();
	for (size_t i = 0; i < N_PLANNED; i++) {
		CHECK(step(planned[i], LOW, 0) == PERSEUS_SET);
		LOG(CALM "hold 200 1 %u %u %u\n" GO_ON, policy_of(planned[i]), LOW, LOW);
		CHECK(step(planned[i], HIGH, 0) == PERSEUS_SET);
		LOG(CALM "hold 200 1 %u %u %u\n" GO_ON, policy_of(planned[i]), HIGH, HIGH);
	}
}

CASE(step_not_held_by_module)
{
	by_module();
	fake.policy_min = LOW - 1;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_NOT_HELD);
	fake.policy_min = 0;
	fake.policy_max = LOW + 1;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_NOT_HELD);
	fake.policy_min = LOW + 1;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_NOT_HELD);
	fake.policy_max = 0;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_NOT_HELD);
	fake.policy_min = 0;
	fake.policy_max = LOW - 1;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_NOT_HELD);
}

CASE(step_refused_by_module)
{
	by_module();
	fake.hold_error = EBUSY;
	CHECK(step(FIRST, LOW, EBUSY) == PERSEUS_REFUSED);
	fake.hold_error = ENODEV;
	CHECK(step(FIRST, LOW, ENODEV) == PERSEUS_UNAVAILABLE);
	fake.hold_error = 0;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_SET);
	CHECK(perseus_status.steps_way == OURS);
}

CASE(child_of_a_holder)
{
	by_module();
	fake.in_child();
	LOG("close 200\n");
	fake.in_child();
	LOG("%s", "");
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
}

CASE(a_device_at_descriptor_nought)
{
	cpufreq();
	fake.from_nought = fake.device = 1;
	start();
	CHECK(perseus_status.steps_way == OURS);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_SET);
	log_forget();
	fake.in_child();
	LOG("close 0\n");
}

CASE(module_of_another_version)
{
	cpufreq();
	fake.device = 1;
	fake.caps_version = 2;
	start();
	LOG(CALM "%satfork\n" DEVICE "caps 200 1\nclose 200\n" GO_ON, found());
	CHECK(perseus_status.steps_way == 0);
	fake.in_child();
	LOG("%s", "");
}

CASE(no_module)
{
	cpufreq();
	start();
	LOG(CALM "%satfork\n" DEVICE GO_ON, found());
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
}

CASE(module_that_is_none)
{
	cpufreq();
	fake.device = 1;
	fake.caps_error = ENOTTY;
	start();
	LOG(CALM "%satfork\n" DEVICE "caps 200 1\nclose 200\n" GO_ON, found());
	CHECK(perseus_status.steps_way == 0);
}

#endif

#ifdef BY_DAEMON
/* ---- by perseusd ---- */

/* Greeted, asked, leased. */
static void by_daemon(void)
{
	reach();
	answer_hello();
	answer_queries();
	put_reply(PRS_CTL_OK_STATUS)->reply.lease = LEASE;
	start();
	LOG(CALM "%satfork\n" SOCKET "%s" GO_ON, found(), asks(2 + present()));
	CHECK(perseus_status.steps_way == OURS);
}

CASE(a_socket_at_descriptor_nought)
{
	cpufreq();
	fake.socket_error = 0;
	fake.from_nought = 1;
	put_reply(PRS_CTL_BUSY_STATUS);
	start();
	CHECK(perseus_status.steps_way == OURS);
	CHECK(step(FIRST, LOW, EBUSY) == PERSEUS_REFUSED);
	log_forget();
	fake.in_child();
	LOG("close 0\n");
}

static unsigned nibble(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static void request_is(int i, const struct prs_ctl_request *want)
{
	struct prs_ctl_request w = *want;

	w.magic = PRS_CTL_MAGIC;
	w.version = PRS_CTL_VERSION;
	w.tag = (prs_u32)i + 1;
	w.session = i ? SESSION : 0;
	CHECK(!memcmp(&w, &fake.request[i], sizeof(w)));
}

CASE(lease_as_planned)
{
	struct prs_ctl_request lease = {.op = PRS_CTL_LEASE,
					.flags = PRS_CTL_FREQUENCY,
					.min_khz = LOW,
					.max_khz = HIGH,
					.ttl_ms = TTL};
	unsigned n = 0;

	by_daemon();
	request_is(0, &(struct prs_ctl_request){.op = PRS_CTL_HELLO});
	for (size_t i = 0; i < N_PLANNED; i++) {
		if (policy_of(planned[i]) >= LIMIT)
			continue;
		lease.cpus[n] |= (prs_u8)(n + 1);
		lease.cpus[127] |= 0x80;
		request_is((int)++n,
			   &(struct prs_ctl_request){.op = PRS_CTL_QUERY, .cpu = policy_of(planned[i])});
	}
	for (int i = 0; i < 32; i++)
		lease.plan[i] = (prs_u8)(nibble(PLAN[2 * i]) << 4 | nibble(PLAN[2 * i + 1]));
	request_is((int)n + 1, &lease);
	CHECK(fake.requests == (int)n + 2);
}

CASE(step_by_daemon)
{
	int n;

	by_daemon();
	n = fake.requests;
	for (size_t i = 0; i < N_PLANNED; i++) {
		uint32_t khz = i % 2 ? HIGH : LOW;

		answer_set(khz);
		CHECK(step(planned[i], khz, 0) == PERSEUS_SET);
		LOG(CALM ASKS GO_ON);
		request_is(n++, &(struct prs_ctl_request){.op = PRS_CTL_SET,
							  .lease = LEASE,
							  .cpu = policy_of(planned[i]),
							  .min_khz = khz,
							  .max_khz = khz});
	}
}

CASE(lease_granted_and_not_held)
{
	reach();
	answer_hello();
	answer_queries();
	put_reply(PRS_CTL_NOT_HELD_STATUS)->reply.lease = LEASE;
	start();
	answer_set(LOW);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_SET);
	CHECK(fake.request[fake.requests - 1].lease == LEASE);
}

/* What each status is to a step. */
static const struct {
	uint32_t status, result, error;
} meaning[] = {
	{PRS_CTL_NOT_HELD_STATUS, PERSEUS_NOT_HELD, 0},
	{PRS_CTL_NO_FREQUENCY_STATUS, PERSEUS_UNAVAILABLE, 0},
	{PRS_CTL_REFUSED_STATUS, PERSEUS_REFUSED, EROFS},
	{PRS_CTL_BUSY_STATUS, PERSEUS_REFUSED, EBUSY},
	{PRS_CTL_NOT_ALLOWED_STATUS, PERSEUS_REFUSED, EACCES},
	{PRS_CTL_RATE_STATUS, PERSEUS_REFUSED, EAGAIN},
	{PRS_CTL_BAD_RANGE_STATUS, PERSEUS_REFUSED, EPROTO},
	{PRS_CTL_NO_LEASE_STATUS, PERSEUS_REFUSED, EPROTO},
	{PRS_CTL_STOPPING_STATUS, PERSEUS_REFUSED, EPROTO},
	{PRS_CTL_LIMIT_STATUS, PERSEUS_REFUSED, EPROTO},
	{PRS_CTL_BAD_SIZE_STATUS, PERSEUS_REFUSED, EPROTO},
	{99, PERSEUS_REFUSED, EPROTO},
};
#define MEANINGS (sizeof(meaning) / sizeof(meaning[0]))

static void refuse_with(size_t i)
{
	struct fake_reply *r = put_reply(meaning[i].status);

	r->reply.error = EROFS;
	r->reply.min_khz = r->reply.max_khz = LOW;
	r->reply.lease = 0;
}

CASE(step_refused_by_daemon)
{
	by_daemon();
	for (size_t i = 0; i < MEANINGS; i++) {
		refuse_with(i);
		CHECK(step(FIRST, LOW, meaning[i].error) == meaning[i].result);
		LOG(CALM ASKS GO_ON);
	}
	CHECK(perseus_status.steps_way == OURS);
	answer_set(LOW);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_SET);
}

CASE(step_not_held_by_daemon)
{
	by_daemon();
	answer_set(LOW)->reply.min_khz = LOW - 1;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_NOT_HELD);
	answer_set(LOW)->reply.max_khz = LOW + 1;
	CHECK(step(FIRST, LOW, 0) == PERSEUS_NOT_HELD);
}

/* A refusal at the start is the answer to each step; perseusd is not asked again, nor is another way taken. */
static void refused_at_start(int hello, size_t i)
{
	reach();
	if (!hello) {
		answer_hello();
		answer_queries();
	}
	refuse_with(i);
	fake.answer[fake.answers - 1].reply.lease = 55; /* that of the holder */
	start();
	if (hello)
		LOG(CALM "%satfork\n" SOCKET ASKS GO_ON, found());
	else
		LOG(CALM "%satfork\n" SOCKET "%s" GO_ON, found(), asks(2 + present()));
	CHECK(perseus_status.steps_way == OURS);
	CHECK(step(FIRST, LOW, meaning[i].error) == meaning[i].result);
	CHECK(step(FIRST, LOW, meaning[i].error) == meaning[i].result);
	LOG(CALM GO_ON CALM GO_ON);
}

#define REFUSED_AT(n, i)                                                                                     \
	CASE(hello_refused_##n)                                                                              \
	{                                                                                                    \
		refused_at_start(1, i);                                                                      \
	}                                                                                                    \
	CASE(lease_refused_##n)                                                                              \
	{                                                                                                    \
		refused_at_start(0, i);                                                                      \
	}
REFUSED_AT(no_frequency, 1)
REFUSED_AT(by_kernel, 2)
REFUSED_AT(busy, 3)
REFUSED_AT(not_allowed, 4)
REFUSED_AT(limit, 9)

CASE(hello_not_held)
{
	refused_at_start(1, 0);
}

/* Before it has read anything. */
CASE(connection_refused_as_such)
{
	reach();
	struct fake_reply *r = put_reply(PRS_CTL_LIMIT_STATUS);

	r->op = r->tag = 0;
	start();
	LOG(CALM "%satfork\n" SOCKET ASKS GO_ON, found());
	CHECK(perseus_status.steps_way == OURS);
	CHECK(step(FIRST, LOW, EPROTO) == PERSEUS_REFUSED);
}

CASE(connection_refused_and_closed)
{
	reach();
	struct fake_reply *r = put_reply(0);

	fake.send_error[0] = EPIPE;
	r->error = ECONNRESET;
	r = put_reply(PRS_CTL_LIMIT_STATUS);
	r->op = r->tag = 0;
	start();
	LOG(CALM "%satfork\n" SOCKET "send 100\nrecv 100\nrecv 100\n" GO_ON, found());
	CHECK(perseus_status.steps_way == OURS);
}

CASE(a_lease_without_a_number)
{
	reach();
	answer_hello();
	answer_queries();
	answer_set(LOW);
	start();
	LOG(CALM "%satfork\n" SOCKET "%sclose 100\n" GO_ON, found(), asks(2 + present()));
	CHECK(perseus_status.steps_way == LOST);
	CHECK(step(FIRST, LOW, ENOTCONN) == PERSEUS_REFUSED);
}

/* Where no policy can be had there is nothing to lease. */
CASE(each_query_refused)
{
	reach();
	answer_hello();
	answer_queries();
	for (unsigned i = 0; i < present(); i++) {
		fake.answer[1 + i].reply.status = PRS_CTL_REFUSED_STATUS;
		fake.answer[1 + i].reply.error = EROFS;
	}
	start();
	LOG(CALM "%satfork\n" SOCKET "%s" GO_ON, found(), asks(1 + present()));
	CHECK(step(FIRST, LOW, EROFS) == PERSEUS_REFUSED);
	LOG(CALM GO_ON);
}

CASE(a_query_refused)
{
	int n = (int)present();

	if (n < 2)
		return;
	reach();
	answer_hello();
	answer_queries();
	fake.answer[1].reply.status = PRS_CTL_NO_FREQUENCY_STATUS;
	put_reply(PRS_CTL_OK_STATUS)->reply.lease = LEASE;
	start();
	CHECK(fake.requests == n + 2 && fake.request[n + 1].op == PRS_CTL_LEASE);
	CHECK(fake.request[n + 1].cpus[0] == 0 && fake.request[n + 1].cpus[1] == 2);
	answer_set(LOW);
	CHECK(step(HIGHEST, LOW, 0) == PERSEUS_SET);
}

/* ---- perseusd that is not there ---- */

CASE(no_socket_for_a_daemon)
{
	cpufreq();
	start();
	LOG(CALM "%satfork\nsocket\n" GO_ON, found());
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
}

CASE(daemon_that_cannot_be_reached)
{
	cpufreq();
	fake.socket_error = 0;
	fake.connect_error = ECONNREFUSED;
	start();
	LOG(CALM "%satfork\n" SOCKET "close 100\n" GO_ON, found());
	CHECK(perseus_status.steps_way == 0);
}

CASE(socket_without_time_limits)
{
	cpufreq();
	fake.socket_error = 0;
	fake.option_error[0] = EDOM;
	start();
	LOG(CALM "%satfork\nsocket\nreceive 100 1 1.000000\nclose 100\n" GO_ON, found());
}

CASE(socket_without_time_limit_to_send)
{
	cpufreq();
	fake.socket_error = 0;
	fake.option_error[1] = EDOM;
	start();
	LOG(CALM "%satfork\nsocket\nreceive 100 1 1.000000\nsend 100 1 1.000000\nclose 100\n" GO_ON,
	    found());
	CHECK(perseus_status.steps_way == 0);
}

/* ---- perseusd that goes away in the middle ---- */

/* The step that notices it gives @error; the connection is closed, once. */
static void lost_by(uint32_t error, const char *log)
{
	CHECK(step(FIRST, LOW, error) == PERSEUS_REFUSED);
	LOG(CALM "%sclose 100\n" GO_ON, log);
	CHECK(perseus_status.steps_way == LOST);
	for (int i = 0; i < 3; i++)
		CHECK(step(FIRST, LOW, ENOTCONN) == PERSEUS_REFUSED);
	LOG(CALM GO_ON CALM GO_ON CALM GO_ON);
	fake.in_child();
	LOG("%s", "");
}

#define LOST_BY(name, error, log, ...)                                                                       \
	CASE(name)                                                                                           \
	{                                                                                                    \
		struct fake_reply *r;                                                                        \
		by_daemon();                                                                                 \
		r = answer_set(LOW);                                                                         \
		int next = fake.sends;                                                                       \
		(void)r;                                                                                     \
		(void)next;                                                                                  \
		__VA_ARGS__;                                                                                 \
		lost_by(error, log);                                                                         \
	}
LOST_BY(daemon_gives_no_answer, ETIMEDOUT, ASKS, fake.answers--)
LOST_BY(daemon_has_closed, EPIPE, ASKS, r->bytes = 0)
LOST_BY(daemon_sends_less, EMSGSIZE, ASKS, r->bytes = 255)
LOST_BY(daemon_sends_more, EMSGSIZE, ASKS, r->bytes = 257)
LOST_BY(daemon_with_another_error, ENOMEM, ASKS, r->error = ENOMEM)
LOST_BY(daemon_does_not_take_it, ETIMEDOUT, "send 100\n", fake.send_error[next] = EAGAIN)
LOST_BY(daemon_takes_a_part, EMSGSIZE, "send 100\n", fake.sent_bytes = 100)
LOST_BY(daemon_takes_nothing_any_more, ECONNRESET, "send 100\n", fake.send_error[next] = ECONNRESET)
LOST_BY(another_magic, EPROTO, ASKS, r->magic = PRS_CTL_MAGIC ^ 0x100)
LOST_BY(another_version, EPROTO, ASKS, r->version = 2)
LOST_BY(another_operation, EPROTO, ASKS, r->op = PRS_CTL_LEASE)
LOST_BY(another_tag, EPROTO, ASKS, r->tag = 1)
LOST_BY(no_tag_and_no_refusal, EPROTO, ASKS, r->op = r->tag = 0)
LOST_BY(no_operation_but_a_tag, EPROTO, ASKS, r->op = 0; r->reply.status = PRS_CTL_STOPPING_STATUS)
LOST_BY(no_tag_but_an_operation, EPROTO, ASKS, r->tag = 0; r->reply.status = PRS_CTL_STOPPING_STATUS)
LOST_BY(refused_as_such_by_another, EPROTO, ASKS, r->op = r->tag = 0; r->magic = 1;
	r->reply.status = PRS_CTL_STOPPING_STATUS)
LOST_BY(reset_for_ever, ECONNRESET,
	"send 100\nrecv 100\nrecv 100\nrecv 100\nrecv 100\nrecv 100\nrecv 100\nrecv 100\nrecv 100\n",
	r->error = ECONNRESET;
	for (int i = 0; i < 9; i++) put_reply(0)->error = ECONNRESET)
LOST_BY(send_interrupted_for_ever, EINTR,
	"send 100\nsend 100\nsend 100\nsend 100\nsend 100\nsend 100\nsend 100\nsend 100\n",
	for (int i = 0; i < 9; i++) fake.send_error[next + i] = EINTR)

CASE(daemon_is_stopping)
{
	by_daemon();
	struct fake_reply *r = put_reply(PRS_CTL_STOPPING_STATUS);

	r->op = r->tag = 0;
	CHECK(step(FIRST, LOW, EPROTO) == PERSEUS_REFUSED);
	CHECK(perseus_status.steps_way == OURS);
}

CASE(calls_that_are_interrupted)
{
	by_daemon();
	for (int i = 0; i < 7; i++)
		fake.send_error[fake.sends + i] = EINTR;
	for (int i = 0; i < 7; i++)
		put_reply(0)->error = i % 2 ? EINTR : ECONNRESET;
	answer_set(LOW);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_SET);
}

CASE(closed_with_a_last_word)
{
	by_daemon();
	fake.send_error[fake.sends] = EPIPE;
	struct fake_reply *r = put_reply(PRS_CTL_STOPPING_STATUS);

	r->op = r->tag = 0;
	CHECK(step(FIRST, LOW, EPROTO) == PERSEUS_REFUSED);
	LOG(CALM ASKS GO_ON);
}

CASE(lost_at_each_request_of_the_start)
{
	int n = 2 + (int)present();

	reach();
	answer_hello();
	answer_queries();
	fake.answers -= n > 2 ? 1 : 0; /* the last query has no answer */
	start();
	CHECK(fake.requests == n - 1);
	CHECK(perseus_status.steps_way == LOST);
	CHECK(step(FIRST, LOW, ENOTCONN) == PERSEUS_REFUSED);
}

CASE(lost_at_hello)
{
	reach();
	start();
	LOG(CALM "%satfork\n" SOCKET ASKS "close 100\n" GO_ON, found());
	CHECK(perseus_status.steps_way == LOST);
	CHECK(step(FIRST, LOW, ENOTCONN) == PERSEUS_REFUSED);
}

CASE(lost_at_lease)
{
	reach();
	answer_hello();
	answer_queries();
	start();
	LOG(CALM "%satfork\n" SOCKET "%sclose 100\n" GO_ON, found(), asks(2 + present()));
	CHECK(perseus_status.steps_way == LOST);
}

CASE(child_of_a_leaseholder)
{
	by_daemon();
	fake.in_child();
	LOG("close 100\n");
	CHECK(perseus_status.steps_way == 0);
	CHECK(step(FIRST, LOW, 0) == PERSEUS_UNAVAILABLE);
	CHECK(!strstr(fake.log, "send"));
}

CASE(nothing_is_sent_at_the_end)
{
	by_daemon();
	CHECK(!fake.at_exit);
}
#endif
#endif
