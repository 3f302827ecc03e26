/* SPDX-License-Identifier: MIT */
/* Leases and answers, on a machine of four policies with two cpus each that lives in memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/lease.h"
#include "daemon/service.h"

static struct journal journal;
static struct frequency frequency;
static struct cores cores;
static struct config config;
static struct service service;
static struct connection alice, bob;

/* The machine: what is in force, and what goes wrong. */
static struct range in_force[8];
static prs_u32 failing = 99, stubborn = 99; /* policies */
static int waited;
static int waits; /* milliseconds until a hold is seen */
static unsigned int taken, given_back;
static prs_u32 occupied; /* a slot that somebody else is in */
static int give_back_error;

static unsigned int slow_us; /* what a hold takes */

static int hold(struct frequency *all, struct policy *policy, struct range wanted)
{
	(void)all;
	if (slow_us)
		usleep(slow_us);
	if (policy->cpu == failing)
		return -EIO;
	policy->set = wanted;
	if (policy->cpu != stubborn)
		in_force[policy->cpu] = wanted;
	return 0;
}

static int release(struct frequency *all, struct policy *policy)
{
	(void)all;
	in_force[policy->cpu] = policy->limit;
	return 0;
}

static int read_policy(struct frequency *all, struct policy *policy, struct in_force *out)
{
	(void)all;
	*out = (struct in_force){in_force[policy->cpu], 1234};
	return 0;
}

static int settle(struct frequency *all, struct policy *policy, int *patience, struct in_force *out)
{
	waited += waits < *patience ? waits : *patience;
	*patience -= waits < *patience ? waits : *patience;
	return read_policy(all, policy, out);
}

static int take(struct cores *all, prs_u32 slot, bool balanced, pid_t pid)
{
	(void)all, (void)slot, (void)balanced, (void)pid;
	taken++;
	return 0;
}

static int give_back(struct cores *all, prs_u32 slot)
{
	(void)all, (void)slot;
	given_back++;
	return give_back_error;
}

static const struct frequency_ops frequency_ops = {hold, release, read_policy, settle};
static bool is_empty(struct cores *all, prs_u32 slot)
{
	(void)all;
	return slot != occupied;
}

static const struct cores_ops cores_ops = {take, give_back, is_empty};

static int begin(void **state)
{
	struct cpus present = {{0xff}};

	(void)state;
	memset(&journal, 0, sizeof(journal));
	memset(&frequency, 0, sizeof(frequency));
	failing = stubborn = 99;
	waits = 0;
	slow_us = 0;
	taken = given_back = 0;
	occupied = 99;
	give_back_error = 0;
	frequency.by = PRS_CTL_BY_CPUFREQ;
	frequency.ops = &frequency_ops;
	frequency.n = 4;
	memset(frequency.of_cpu, 0xff, sizeof(frequency.of_cpu));
	for (prs_u32 i = 0; i < 4; i++) {
		struct policy *p = &frequency.policy[i];

		*p = (struct policy){.cpu = 2 * i,
				     .limit = {800, i == 3 ? 1600 : 2400},
				     .journal = &journal.policy[2 * i]};
		p->cpus.bits[0] = (prs_u8)(3u << 2 * i);
		frequency.of_cpu[2 * i] = frequency.of_cpu[2 * i + 1] = (prs_u16)i;
		in_force[2 * i] = p->limit;
	}
	cores = (struct cores){
		.by = PRS_CTL_BY_CGROUP2, .ops = &cores_ops, .journal = journal.slot, .n = 4, .all = present};
	config = (struct config){.all_cpus = true, .max_leases = 2, .max_rate = 1000};
	config.frequency.all = config.reserve.all = true;
	service_init(&service, &config, &frequency, &cores, &present);
	service.now_ms = 1000;
	alice.pidfd = bob.pidfd = -1;
	connection_init(&service, &alice, 100, 1, 11);
	connection_init(&service, &bob, 200, 2, 22);
	alice.is_greeted = bob.is_greeted = true;
	return 0;
}

static struct prs_ctl_reply ask(struct connection *c, struct prs_ctl_request q)
{
	struct packet packet = {.bytes = &q, .size = sizeof(q), .sender = c->pid};
	struct prs_ctl_reply r;

	q.magic = PRS_CTL_MAGIC;
	q.version = PRS_CTL_VERSION;
	q.session = c->session;
	q.tag = 7;
	service_answer(&service, c, &packet, &r);
	assert_int_equal(r.tag, 7);
	return r;
}

static struct prs_ctl_reply lease(struct connection *c, prs_u8 cpus, prs_u32 flags, prs_u32 min, prs_u32 max)
{
	struct prs_ctl_request q = {.op = PRS_CTL_LEASE, .flags = flags, .min_khz = min, .max_khz = max};

	q.cpus[0] = cpus;
	return ask(c, q);
}

static struct prs_ctl_reply set(struct connection *c, prs_u32 number, prs_u32 cpu, prs_u32 min, prs_u32 max)
{
	return ask(c,
		   (struct prs_ctl_request){
			   .op = PRS_CTL_SET, .lease = number, .cpu = cpu, .min_khz = min, .max_khz = max});
}

#define is(REPLY, NAME) assert_string_equal_(#NAME, REPLY)

static void assert_string_equal_(const char *name, struct prs_ctl_reply r)
{
	static const char *const names[] = {
#define NAME(NUMBER, NAME, MEANING) #NAME,
		PRS_CTL_STATUSES(NAME)
#undef NAME
	};

	assert_string_equal(names[r.status], name);
}

static void each_policy_narrows_the_range_of_a_lease(void **state)
{
	struct prs_ctl_reply r = lease(&alice, 0xff, PRS_CTL_FREQUENCY, 1000, 2000);

	(void)state;
	is(r, OK);
	assert_int_equal(in_force[0].max, 2000);
	assert_int_equal(in_force[6].max, 1600);
	assert_int_equal(r.min_khz, 1000);
	assert_int_equal(r.max_khz, 2000);
	is(set(&alice, r.lease, 7, 1700, 1700), BAD_RANGE);
	is(set(&alice, r.lease, 7, 1600, 1600), OK);
	is(set(&alice, r.lease, 0, 1700, 1700), OK);
}

static void a_range_that_one_policy_has_nothing_of_is_refused(void **state)
{
	(void)state;
	is(lease(&alice, 0xff, PRS_CTL_FREQUENCY, 1700, 2000), BAD_RANGE);
	assert_int_equal(in_force[0].max, 2400);
	is(lease(&alice, 0x3f, PRS_CTL_FREQUENCY, 1700, 2000), OK);
}

static void a_policy_that_fails_takes_the_others_back(void **state)
{
	struct prs_ctl_reply r;

	(void)state;
	failing = 4;
	r = lease(&alice, 0xff, PRS_CTL_FREQUENCY, 1000, 1200);
	is(r, REFUSED);
	assert_int_equal(r.error, EIO);
	assert_int_equal(r.cpu, 4);
	assert_int_equal(r.lease, 0);
	for (int i = 0; i < 8; i += 2)
		assert_int_equal(in_force[i].max, i == 6 ? 1600 : 2400);
	failing = 99;
	is(lease(&bob, 0xff, PRS_CTL_FREQUENCY, 1000, 1200), OK);
}

static void what_is_not_in_force_is_said_and_leased(void **state)
{
	struct prs_ctl_reply r;

	(void)state;
	stubborn = 2;
	r = lease(&alice, 0x0f, PRS_CTL_FREQUENCY, 1000, 1200);
	is(r, NOT_HELD);
	assert_int_equal(r.cpu, 2);
	assert_int_not_equal(r.lease, 0);
	assert_int_equal(r.max_khz, 2400);
	is(set(&alice, r.lease, 0, 1100, 1100), OK);
	is(set(&alice, r.lease, 2, 1100, 1100), NOT_HELD);
}

static void a_failed_set_leaves_the_old_bounds(void **state)
{
	prs_u32 number = lease(&alice, 0x03, PRS_CTL_FREQUENCY, 1000, 1200).lease;

	(void)state;
	is(set(&alice, number, 0, 1100, 1100), OK);
	failing = 0;
	is(set(&alice, number, 0, 1200, 1200), REFUSED);
	failing = 99;
	assert_int_equal(in_force[0].min, 1100);
}

static void cores_and_policies_have_separate_owners_of_one_user(void **state)
{
	struct connection other = alice;

	(void)state;
	connection_init(&service, &other, 101, alice.uid, 12);
	other.is_greeted = true;
	is(lease(&alice, 0x03, PRS_CTL_RESERVE, 0, 0), OK);
	is(lease(&other, 0x03, PRS_CTL_FREQUENCY, 1000, 1200), OK);
	is(lease(&other, 0x02, PRS_CTL_RESERVE, 0, 0), BUSY);
	is(lease(&bob, 0x03, PRS_CTL_FREQUENCY, 1000, 1200), BUSY);
	is(lease(&bob, 0x0c, PRS_CTL_FREQUENCY, 1000, 1200), OK);
	is(lease(&alice, 0x04, PRS_CTL_RESERVE, 0, 0), BUSY);
}

static void an_end_frees_what_was_held(void **state)
{
	prs_u32 number = lease(&alice, 0x03, PRS_CTL_FREQUENCY | PRS_CTL_RESERVE, 1000, 1200).lease;

	(void)state;
	assert_int_equal(taken, 1);
	assert_int_equal(service.lease[0].id, number);
	service_end(&service, &alice, "test");
	assert_int_equal(given_back, 1);
	assert_int_equal(in_force[0].max, 2400);
	assert_int_equal(alice.leases, 0);
	is(lease(&bob, 0x03, PRS_CTL_FREQUENCY | PRS_CTL_RESERVE, 1000, 1200), OK);
}

static void the_earliest_end_is_known(void **state)
{
	struct prs_ctl_request q = {
		.op = PRS_CTL_LEASE, .flags = PRS_CTL_FREQUENCY, .ttl_ms = 500, .cpus = {0x03}};
	prs_u32 number = ask(&alice, q).lease;

	(void)state;
	q.cpus[0] = 0x0c;
	q.ttl_ms = 100;
	ask(&bob, q);
	assert_int_equal(service.next_ms, 1100);
	service.now_ms = 1100;
	service_expire(&service);
	assert_int_equal(bob.leases, 0);
	assert_int_equal(alice.leases, 1);
	assert_int_equal(service.next_ms, 1500);
	service.now_ms = 1400;
	is(set(&alice, number, 0, 1000, 1000), OK);
	service.now_ms = 1500;
	service_expire(&service);
	assert_int_equal(alice.leases, 1);
	assert_int_equal(service.next_ms, 1900);
	service.now_ms = 1900;
	service_expire(&service);
	assert_int_equal(alice.leases, 0);
	assert_int_equal(service.next_ms, 0);
}

/* By however many connections: a sixth of the time, and 0.3 s at once. */
/* Requests that take no time, however busy the machine. */
static prs_u64 no_time(void)
{
	return 0;
}

static void a_user_lets_others_wait_for_so_long_only(void **state)
{
	struct connection more[4];

	(void)state;
	service.clock = no_time;
	/* There are lines of the audit for all of them. */
	config.max_rate = 1000000;
	service.now_ms++;
	waits = 8;
	waited = 0;
	for (int i = 0; i < 400; i++) {
		struct connection *c = &more[i % 4];

		connection_init(&service, c, 100 + i, 1, 11);
		c->pidfd = -1;
		c->is_greeted = true;
		is(set(c, lease(c, 0x03, PRS_CTL_FREQUENCY, 1000, 1200).lease, 0, 1100, 1100), OK);
		service_end(&service, c, "test");
		service.now_ms++;
	}
	assert_in_range(waited, 300, 310 + 400 / 6);
	/* Another user is not concerned. */
	waited = 0;
	is(lease(&bob, 0x03, PRS_CTL_FREQUENCY, 1000, 1200), OK);
	assert_int_equal(waited, 8);
}

static void a_new_connection_does_not_fill_the_bucket_of_its_user(void **state)
{
	unsigned int answered = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		if (i % 500 == 0) {
			connection_init(&service, &alice, 100, 1, 11);
			alice.is_greeted = true;
		}
		answered += ask(&alice, (struct prs_ctl_request){.op = PRS_CTL_QUERY}).status ==
			    PRS_CTL_OK_STATUS;
	}
	assert_int_equal(answered, 4000);
	is(ask(&bob, (struct prs_ctl_request){.op = PRS_CTL_QUERY}), OK);
	service.now_ms += 10;
	is(ask(&alice, (struct prs_ctl_request){.op = PRS_CTL_QUERY}), OK);
}

static void one_reservation_is_left_to_others(void **state)
{
	(void)state;
	config.max_leases = 8;
	is(lease(&alice, 0x01, PRS_CTL_RESERVE, 0, 0), OK);
	is(lease(&alice, 0x02, PRS_CTL_RESERVE, 0, 0), OK);
	is(lease(&alice, 0x04, PRS_CTL_RESERVE, 0, 0), OK);
	is(lease(&alice, 0x08, PRS_CTL_RESERVE, 0, 0), LIMIT);
	is(lease(&bob, 0x08, PRS_CTL_RESERVE, 0, 0), OK);
}

static void a_slot_that_somebody_is_in_is_not_given_out(void **state)
{
	(void)state;
	occupied = 0;
	is(lease(&alice, 0x03, PRS_CTL_RESERVE, 0, 0), OK);
	assert_int_equal(service.lease[0].slot, 1);
	/* One that could not be emptied waits until it can. */
	give_back_error = -EBUSY;
	service_end(&service, &alice, "test");
	assert_true(service.has_leftovers);
	is(lease(&bob, 0x03, PRS_CTL_RESERVE, 0, 0), OK);
	assert_int_equal(service.lease[0].slot, 2);
	service_retry(&service);
	assert_true(service.has_leftovers);
	give_back_error = 0;
	service_retry(&service);
	assert_false(service.has_leftovers);
	is(lease(&alice, 0x0c, PRS_CTL_RESERVE, 0, 0), OK);
	assert_int_equal(service.lease[1].slot, 1);
}

static void a_sender_without_a_number_is_nobody(void **state)
{
	struct prs_ctl_request q = {
		.magic = PRS_CTL_MAGIC, .version = PRS_CTL_VERSION, .op = PRS_CTL_QUERY, .session = 11};
	struct packet packet = {.bytes = &q, .size = sizeof(q), .sender = 0};
	struct prs_ctl_reply r;

	(void)state;
	alice.pid = 0;
	service_answer(&service, &alice, &packet, &r);
	is(r, NOT_PEER);
	alice.pid = packet.sender = 100;
	service_answer(&service, &alice, &packet, &r);
	is(r, OK);
}

static void a_process_that_has_ended_gets_no_cores(void **state)
{
	pid_t pid = fork();
	struct prs_ctl_reply r;

	(void)state;
	if (!pid)
		_exit(0);
	alice.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_true(alice.pidfd >= 0);
	waitpid(pid, NULL, 0);
	r = lease(&alice, 0x01, PRS_CTL_RESERVE, 0, 0);
	close(alice.pidfd);
	is(r, REFUSED);
	assert_int_equal(r.error, ESRCH);
	assert_int_equal(taken, 0);
	alice.pidfd = -1;
	is(lease(&alice, 0x01, PRS_CTL_RESERVE, 0, 0), OK);
}

/* QUERY by a stranger: bounds, the frequency that cpufreq shows to all, and the holder. */
static void a_reply_has_nothing_that_was_not_asked_for(void **state)
{
	struct prs_ctl_reply r, expected = {.magic = PRS_CTL_MAGIC,
					    .version = PRS_CTL_VERSION,
					    .op = PRS_CTL_QUERY,
					    .tag = 7,
					    .session = 22,
					    .cpu = 1,
					    .min_khz = 1000,
					    .max_khz = 1200,
					    .current_khz = 1234,
					    .holder_pid = 100,
					    .holder_uid = 1,
					    .flags = PRS_CTL_FREQUENCY,
					    .cpus = {0x03}};

	(void)state;
	expected.lease = lease(&alice, 0x03, PRS_CTL_FREQUENCY, 1000, 1200).lease;
	memset(&r, 0xaa, sizeof(r));
	r = ask(&bob, (struct prs_ctl_request){.op = PRS_CTL_QUERY, .cpu = 1});
	assert_memory_equal(&r, &expected, sizeof(r));
}

static void nothing_is_told_before_hello(void **state)
{
	struct prs_ctl_reply r;

	(void)state;
	alice.is_greeted = false;
	r = ask(&alice, (struct prs_ctl_request){.op = PRS_CTL_QUERY});
	is(r, BAD_SESSION);
	assert_int_equal(r.session, 0);
	alice.is_greeted = true;
	is(ask(&alice, (struct prs_ctl_request){.op = PRS_CTL_QUERY}), OK);
}

/* However often it is renewed, and though it asked for no end. */
static void a_lease_has_an_end_that_nobody_moves(void **state)
{
	struct prs_ctl_request q = {
		.op = PRS_CTL_LEASE, .flags = PRS_CTL_FREQUENCY, .ttl_ms = 500, .cpus = {0x03}};
	prs_u32 renewed, endless;

	(void)state;
	config.max_hold_ms = 2000;
	renewed = ask(&alice, q).lease;
	endless = lease(&bob, 0x0c, PRS_CTL_FREQUENCY, 0, 0).lease;
	for (int i = 0; i < 19; i++) {
		service.now_ms += 100;
		service_expire(&service);
		is(ask(&alice,
		       (struct prs_ctl_request){.op = PRS_CTL_RENEW, .lease = renewed, .ttl_ms = 500}),
		   OK);
		is(set(&bob, endless, 2, 1000, 1000), OK);
	}
	assert_int_equal(lease_left(&service, lease_find(&service, &alice, renewed)), 100);
	assert_int_equal(lease_left(&service, lease_find(&service, &bob, endless)), 100);
	service.now_ms += 100;
	service_expire(&service);
	assert_int_equal(alice.leases + bob.leases, 0);
	assert_int_equal(in_force[0].max, 2400);
}

/* HELLO as root of the machine says it, and as root of a container can. */
static struct prs_ctl_reply greet(struct connection *c, pid_t sender)
{
	struct prs_ctl_request q = {.magic = PRS_CTL_MAGIC, .version = PRS_CTL_VERSION, .op = PRS_CTL_HELLO};
	struct packet packet = {.bytes = &q, .size = sizeof(q), .sender = sender};
	struct prs_ctl_reply r;

	c->pidfd = -1;
	service_answer(&service, c, &packet, &r);
	return r;
}

static void uid_0_alone_is_not_root_of_the_machine(void **state)
{
	struct connection c;
	struct prs_ctl_reply r;
	prs_u32 number = lease(&alice, 0x03, PRS_CTL_FREQUENCY, 1000, 1200).lease;

	(void)state;
	config.reserve = (struct uids){.n = 1, .uid = {0}};
	config.max_clients_per_uid = 8;
	connection_init(&service, &c, 300, 0, 33);
	r = greet(&c, 300);
	is(r, OK);
	assert_int_equal(r.flags & PRS_CTL_RESERVE, 0);
	is(lease(&c, 0x0c, PRS_CTL_RESERVE, 0, 0), NOT_ALLOWED);
	is(ask(&c, (struct prs_ctl_request){.op = PRS_CTL_REVOKE, .lease = number}), NOT_ALLOWED);
	connection_end(&c);
	connection_init(&service, &c, 300, 0, 33);
	r = greet(&c, 1);
	is(r, OK);
	assert_int_not_equal(r.flags & PRS_CTL_RESERVE, 0);
	is(lease(&c, 0x0c, PRS_CTL_RESERVE, 0, 0), OK);
	/* Nobody else can say it, and only HELLO is said so. */
	connection_init(&service, &c, 400, 7, 44);
	is(greet(&c, 1), NOT_PEER);
	connection_init(&service, &c, 300, 0, 33);
	c.is_greeted = true;
	c.pid = 1;
	is(lease(&c, 0x30, PRS_CTL_RESERVE, 0, 0), NOT_ALLOWED);
	c.pid = 300;
	connection_init(&service, &c, 300, 0, 33);
	c.needs_root = true;
	is(greet(&c, 300), LIMIT);
	is(greet(&c, 1), OK);
}

static void root_ends_anybodys_lease(void **state)
{
	prs_u32 number = lease(&alice, 0x03, PRS_CTL_FREQUENCY, 1000, 1200).lease;
	struct prs_ctl_reply r;
	struct connection c;

	(void)state;
	config.max_clients_per_uid = 8;
	connection_init(&service, &c, 300, 0, 33);
	is(greet(&c, 1), OK);
	is(lease(&c, 0x01, PRS_CTL_RESERVE, 0, 0), BUSY);
	r = ask(&c, (struct prs_ctl_request){.op = PRS_CTL_REVOKE, .lease = number});
	is(r, OK);
	assert_int_equal(r.holder_uid, 1);
	assert_int_equal(in_force[0].max, 2400);
	is(lease(&c, 0x01, PRS_CTL_RESERVE, 0, 0), OK);
	is(ask(&alice, (struct prs_ctl_request){.op = PRS_CTL_RENEW, .lease = number}), NO_LEASE);
	is(ask(&c, (struct prs_ctl_request){.op = PRS_CTL_REVOKE, .lease = number}), NO_LEASE);
	/* Nobody else does. */
	number = lease(&alice, 0x0c, PRS_CTL_FREQUENCY, 1000, 1200).lease;
	is(ask(&bob, (struct prs_ctl_request){.op = PRS_CTL_REVOKE, .lease = number}), NOT_ALLOWED);
	assert_int_equal(in_force[2].max, 1200);
}

/* More of them than there are accounts, each of which takes what he can. */
static void nobody_draws_on_roots_account(void **state)
{
	static struct connection crowd[ACCOUNTS + 8];
	struct connection c;
	unsigned int served = 0;

	(void)state;
	config.max_clients_per_uid = 8;
	config.max_rate = 10;
	for (prs_u32 i = 0; i < ACCOUNTS + 8; i++) {
		connection_init(&service, &crowd[i], (pid_t)(1000 + i), 1000 + i, 11);
		served += crowd[i].account != NULL;
		if (!crowd[i].account)
			continue;
		crowd[i].is_greeted = true;
		for (int k = 0; k < 50; k++)
			ask(&crowd[i], (struct prs_ctl_request){.op = PRS_CTL_QUERY});
		is(ask(&crowd[i], (struct prs_ctl_request){.op = PRS_CTL_QUERY}), RATE);
	}
	/* Alice and Bob have the other two. */
	assert_int_equal(served, ACCOUNTS - 2);
	connection_init(&service, &c, 300, 0, 33);
	assert_null(c.account);
	service.now_ms += 10;
	connection_end(&crowd[0]);
	service.now_ms += 60000;
	connection_init(&service, &c, 300, 0, 33);
	assert_non_null(c.account);
	service.now_ms++;
	is(greet(&c, 1), OK);
	assert_ptr_equal(c.account, &service.root);
	for (int k = 0; k < 9; k++)
		is(ask(&c, (struct prs_ctl_request){.op = PRS_CTL_QUERY}), OK);
}

static void a_person_has_so_many_cpus_by_all_his_leases(void **state)
{
	struct connection c;

	(void)state;
	config.max_cpus = 50;
	config.is_max_cpus_percent = true;
	config.max_clients_per_uid = 8;
	is(lease(&alice, 0x03, PRS_CTL_FREQUENCY, 0, 0), OK);
	is(lease(&alice, 0x3c, PRS_CTL_FREQUENCY, 0, 0), LIMIT);
	is(lease(&alice, 0x0c, PRS_CTL_RESERVE, 0, 0), OK);
	connection_init(&service, &c, 101, alice.uid, 12);
	c.is_greeted = true;
	is(lease(&c, 0x30, PRS_CTL_FREQUENCY, 0, 0), LIMIT);
	/* The same cpus count once. */
	is(lease(&c, 0x0c, PRS_CTL_FREQUENCY, 0, 0), OK);
	is(lease(&bob, 0x30, PRS_CTL_FREQUENCY, 0, 0), OK);
	service_end(&service, NULL, "test");
	connection_init(&service, &c, 300, 0, 33);
	is(greet(&c, 1), OK);
	is(lease(&c, 0xff, PRS_CTL_FREQUENCY, 0, 0), OK);
}

/* Changing and putting back, and no wait at all: a sixth of the time, and 0.4 s at once. */
static void what_a_request_takes_is_charged(void **state)
{
	unsigned int granted = 0, refused = 0;

	(void)state;
	config.max_rate = 1000000;
	service.now_ms++;
	slow_us = 10000;
	for (int i = 0; i < 30; i++) {
		struct prs_ctl_reply r = lease(&alice, 0xff, PRS_CTL_FREQUENCY, 1000, 1200);

		granted += r.status == PRS_CTL_OK_STATUS;
		refused += r.status == PRS_CTL_RATE_STATUS;
		service_end(&service, &alice, "test");
	}
	/* Each takes 40 ms or more. */
	assert_in_range(granted, 1, 10);
	assert_int_equal(granted + refused, 30);
	slow_us = 0;
	is(ask(&alice, (struct prs_ctl_request){.op = PRS_CTL_QUERY}), RATE);
	is(lease(&bob, 0xff, PRS_CTL_FREQUENCY, 1000, 1200), OK);
	/* An end is never refused. */
	service_end(&service, &bob, "test");
	service.now_ms += 3000;
	is(lease(&alice, 0xff, PRS_CTL_FREQUENCY, 1000, 1200), OK);
	alice.account->left_us = -1000000;
	is(ask(&alice, (struct prs_ctl_request){.op = PRS_CTL_RELEASE, .lease = service.lease[0].id}), OK);
}

static void who_has_no_line_of_the_audit_gets_no_lease(void **state)
{
	unsigned int granted = 0;

	(void)state;
	config.max_rate = 4000;
	account_begin(&service, alice.account, 1);
	for (int i = 0; i < 1500; i++) {
		granted += lease(&alice, 0x03, PRS_CTL_FREQUENCY, 1000, 1200).status == PRS_CTL_OK_STATUS;
		service_end(&service, &alice, "test");
		alice.tokens = 1000;
	}
	assert_int_equal(granted, 1000);
	is(lease(&bob, 0x03, PRS_CTL_FREQUENCY, 1000, 1200), OK);
	is(set(&bob, service.lease[0].id, 0, 1100, 1100), OK);
	/* A SET without a line is made, and counted. */
	bob.account->lines = 0;
	is(set(&bob, service.lease[0].id, 0, 1200, 1200), OK);
	assert_int_equal(service.lease[0].sets, 2);
	assert_int_equal(service.lease[0].unsaid, 1);
}

static void who_asks_for_nothing_has_no_connection_for_ever(void **state)
{
	const char *reason;
	prs_u32 number;

	(void)state;
	config.max_idle_ms = 100;
	alice.is_greeted = false;
	assert_int_equal(connection_deadline(&service, &alice, &reason), 1000 + GREET_MS);
	assert_string_equal(reason, "no-hello");
	alice.is_greeted = true;
	assert_int_equal(connection_deadline(&service, &alice, &reason), 1100);
	assert_string_equal(reason, "idle");
	service.now_ms = 1050;
	number = lease(&alice, 0x03, PRS_CTL_FREQUENCY, 1000, 1200).lease;
	assert_int_equal(connection_deadline(&service, &alice, &reason), 0);
	service.now_ms = 5000;
	is(ask(&alice, (struct prs_ctl_request){.op = PRS_CTL_RELEASE, .lease = number}), OK);
	assert_int_equal(connection_deadline(&service, &alice, &reason), 5100);
	config.max_idle_ms = 0;
	assert_int_equal(connection_deadline(&service, &alice, &reason), 0);
}

#define test(NAME) cmocka_unit_test_setup(NAME, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(each_policy_narrows_the_range_of_a_lease),
		test(a_range_that_one_policy_has_nothing_of_is_refused),
		test(a_policy_that_fails_takes_the_others_back),
		test(what_is_not_in_force_is_said_and_leased),
		test(a_failed_set_leaves_the_old_bounds),
		test(cores_and_policies_have_separate_owners_of_one_user),
		test(an_end_frees_what_was_held),
		test(the_earliest_end_is_known),
		test(a_user_lets_others_wait_for_so_long_only),
		test(a_new_connection_does_not_fill_the_bucket_of_its_user),
		test(one_reservation_is_left_to_others),
		test(a_slot_that_somebody_is_in_is_not_given_out),
		test(a_sender_without_a_number_is_nobody),
		test(a_process_that_has_ended_gets_no_cores),
		test(a_reply_has_nothing_that_was_not_asked_for),
		test(nothing_is_told_before_hello),
		test(a_lease_has_an_end_that_nobody_moves),
		test(uid_0_alone_is_not_root_of_the_machine),
		test(root_ends_anybodys_lease),
		test(nobody_draws_on_roots_account),
		test(a_person_has_so_many_cpus_by_all_his_leases),
		test(what_a_request_takes_is_charged),
		test(who_has_no_line_of_the_audit_gets_no_lease),
		test(who_asks_for_nothing_has_no_connection_for_ever),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
