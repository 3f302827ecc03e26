/* SPDX-License-Identifier: MIT */
/*
 * A daemon that says what it is told to, for what a well one cannot be made to
 * say: fake SOCKET [KEY=VALUE...].
 *
 *   hello= lease= query= renew= release=   the status of each answer, default 0
 *   khz=MIN-MAX    in force after LEASE; later=MIN-MAX: and at the next QUERY
 *   limits=MIN-MAX of HELLO; lent=N: the mask of its cpus; reserve=N: the status of QUERY about cores
 *   ttl=MS         the largest admitted; flags=N of HELLO; errno=N of the answers
 *   how=mute|short|alien|bye   no answer, half an answer, somebody else's, none and closed
 *   close=MS       closes everything so long after LEASE
 *   plan=1         the holder has a plan; pid=N: its process, default 1
 *   number=N       of a lease, default 42
 *
 * Cpus 0-7 are lent, in policies of two; somebody holds what is busy.  Each
 * request is a line of stdout.
 */
#include <stdint.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "perseus/ctl.h"

static int argc_;
static char **argv_;
static int close_ms = -1;
static uint32_t leased;
static uint32_t in_force[2] = {1200000, 2400000};

static const char *option(const char *key)
{
	size_t len = strlen(key);

	for (int i = 2; i < argc_; i++)
		if (!strncmp(argv_[i], key, len) && argv_[i][len] == '=')
			return argv_[i] + len + 1;
	return NULL;
}

static uint32_t number(const char *key, uint32_t otherwise)
{
	const char *value = option(key);

	return value ? (uint32_t)strtoul(value, NULL, 0) : otherwise;
}

static void range(const char *key, struct prs_ctl_reply *r)
{
	if (option(key))
		sscanf(option(key), "%u-%u", &r->min_khz, &r->max_khz);
}

static void log_request(const struct prs_ctl_request *q)
{
	static const char *const ops[] = {"?", "HELLO", "LEASE", "SET", "RENEW", "RELEASE", "QUERY"};

	printf("%s cpu=%u khz=%u-%u ttl=%u flags=%#x lease=%u cpus=%#x plan=%02x%02x pid=%d\n",
	       ops[q->op < 7 ? q->op : 0], q->cpu, q->min_khz, q->max_khz, q->ttl_ms, q->flags, q->lease,
	       q->cpus[0], q->plan[0], q->plan[1], (int)getpid());
	fflush(stdout);
}

static void holder(struct prs_ctl_reply *r)
{
	r->lease = 77;
	r->holder_pid = number("pid", 1);
	r->holder_uid = 0;
	r->ttl_ms = 5200;
	if (option("plan"))
		memset(r->plan, 0x4f, sizeof(r->plan));
}

static void answer_hello(struct prs_ctl_reply *r)
{
	r->status = number("hello", 0);
	r->session = 0x1234567890;
	r->flags = number("flags",
			  PRS_CTL_FREQUENCY | PRS_CTL_RESERVE | PRS_CTL_BY_CPUFREQ | PRS_CTL_BY_CGROUP2);
	r->cpus[0] = (prs_u8)number("lent", 0xff);
	r->min_khz = 800000;
	r->max_khz = 3400000;
	range("limits", r);
	r->ttl_ms = number("ttl", 0);
}

static void answer_lease(const struct prs_ctl_request *q, struct prs_ctl_reply *r)
{
	r->status = number("lease", 0);
	r->lease = r->status && r->status != PRS_CTL_NOT_HELD_STATUS ? 0 : number("number", 42);
	r->min_khz = q->min_khz;
	r->max_khz = q->max_khz;
	range("khz", r);
	in_force[0] = r->min_khz;
	in_force[1] = r->max_khz;
	leased = r->lease;
	r->cpu = 1;
	if (r->status == PRS_CTL_BUSY_STATUS)
		holder(r);
	close_ms = option("close") ? (int)number("close", 0) : -1;
}

static void answer_query(const struct prs_ctl_request *q, struct prs_ctl_reply *r)
{
	r->status = number(q->flags & PRS_CTL_RESERVE && option("reserve") ? "reserve" : "query", 0);
	r->cpu = q->cpu;
	r->cpus[0] = (prs_u8)(3u << (q->cpu & ~1u));
	r->min_khz = in_force[0];
	r->max_khz = in_force[1];
	range("later", r);
	r->current_khz = 1300000;
	r->lease = leased;
	if (q->cpu / 2 == 1)
		holder(r);
	if (q->flags & PRS_CTL_RESERVE && q->cpu / 2 == 1)
		r->flags = PRS_CTL_RESERVE | PRS_CTL_BALANCED;
}

static void answer(const struct prs_ctl_request *q, struct prs_ctl_reply *r)
{
	*r = (struct prs_ctl_reply){
		.magic = PRS_CTL_MAGIC, .version = PRS_CTL_VERSION, .op = q->op, .tag = q->tag};
	r->session = q->session;
	r->error = number("errno", 0);
	if (q->op == PRS_CTL_HELLO)
		answer_hello(r);
	else if (q->op == PRS_CTL_LEASE)
		answer_lease(q, r);
	else if (q->op == PRS_CTL_QUERY)
		answer_query(q, r);
	else
		r->status = number(q->op == PRS_CTL_RENEW ? "renew" : "release", 0);
}

/* One connection; 0 when it is closed. */
static int serve(int fd, const char *how)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	struct prs_ctl_request q;
	struct prs_ctl_reply r;

	while (poll(&wait, 1, close_ms) == 1 && recv(fd, &q, sizeof(q), 0) == sizeof(q)) {
		log_request(&q);
		answer(&q, &r);
		if (!strcmp(how, "bye"))
			return 0;
		if (!strcmp(how, "alien"))
			memset(&r, 'x', sizeof(r));
		if (strcmp(how, "mute"))
			send(fd, &r, strcmp(how, "short") ? sizeof(r) : 100, MSG_NOSIGNAL);
	}
	if (close_ms >= 0)
		exit(0);
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	argc_ = argc;
	argv_ = argv;
	strncpy(address.sun_path, argv[1], sizeof(address.sun_path) - 1);
	unlink(argv[1]);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 8))
		return 1;
	for (;;) {
		int peer = accept(fd, NULL, NULL);

		if (peer < 0)
			return 1;
		serve(peer, option("how") ? option("how") : "");
		leased = 0;
		close(peer);
	}
}
