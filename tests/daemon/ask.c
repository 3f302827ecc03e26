/* SPDX-License-Identifier: MIT */
/*
 * A client of perseusd for scripts: `ask SOCKET COMMAND...`, each command one
 * word of the shell.  Prints one line for each reply.
 *
 *   connect | close            ask connects (and says HELLO) by itself unless the first command is `raw`
 *   raw                        connect, but say nothing
 *   lease CPUS|none MIN-MAX [frequency] [reserve] [balanced] [ttl=MS] [plan=BYTE]
 *   set CPU MIN-MAX | renew MS | release | query CPU [reserve]     of the last lease, or `of=LEASE`
 *   revoke LEASE               of anybody
 *   energy                     joules of its own, after having worked a little
 *   sleep MS | hold            hold: until stdin ends
 *   pid                        prints its own
 *   child                      a forked child that keeps the connection and sleeps until its stdin ends
 *   chain N                    a child that forks its successor and ends, and so on, N times
 *   childset CPU MIN-MAX       `set`, sent by a forked child
 *   bad WHAT                   short long empty magic version op reserved flag field session again descriptor
 *   flood N                    N queries, each answered; prints how often each status came
 *   unread N                   N queries, none of whose replies is read
 *   sets CPU N                 SET, N times, the lower and the upper bound of the lease in turn; silent
 *   each N                     lease, release, N times: as the last `lease` command; prints how many were OK
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/client.h"
#include "daemon/machine/cpus.h"

#define TIMEOUT_MS 20000

static struct ctl_client client = {.fd = -1};
static struct prs_ctl_request last_lease;
static prs_u32 lease;
static const char *path;

static void fail(const char *what)
{
	fprintf(stderr, "ask: %s\n", what);
	exit(2);
}

static void print_reply(const char *what, int status, const struct prs_ctl_reply *r)
{
	struct cpus cpus;
	char list[CPUS_TEXT];

	if (status < 0) {
		printf("%s gone %s\n", what, strerror(-status));
		return;
	}
	memcpy(cpus.bits, r->cpus, sizeof(cpus.bits));
	cpus_print(&cpus, list, sizeof(list));
	printf("%s %s lease=%u cpu=%u khz=%u-%u current=%u ttl=%u holder=%u uid=%u flags=%#x error=%u "
	       "plan=%02x "
	       "cpus=%s\n",
	       what, ctl_status_name(r->status), r->lease, r->cpu, r->min_khz, r->max_khz, r->current_khz,
	       r->ttl_ms, r->holder_pid, r->holder_uid, r->flags, r->error, r->plan[0], list);
}

static int ask(const char *what, struct prs_ctl_request *q, struct prs_ctl_reply *r)
{
	int status = ctl_request(&client, q, r);

	print_reply(what, status, r);
	return status;
}

static void do_connect(void)
{
	int status = ctl_connect(&client, path, TIMEOUT_MS);

	print_reply("hello", status, &client.hello);
}

static void connect_raw(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	client = (struct ctl_client){.timeout_ms = TIMEOUT_MS};
	client.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (connect(client.fd, (struct sockaddr *)&address, sizeof(address)))
		printf("raw gone %s\n", strerror(errno));
}

/* "MIN-MAX" */
static void parse_khz(const char *text, struct prs_ctl_request *q)
{
	if (!text || sscanf(text, "%u-%u", &q->min_khz, &q->max_khz) != 2)
		fail("MIN-MAX expected");
}

static void do_lease(char **word, int n)
{
	struct prs_ctl_request q = {.op = PRS_CTL_LEASE};
	struct prs_ctl_reply r;
	struct cpus cpus;

	if (n < 3 || cpus_parse(&cpus, strcmp(word[1], "none") ? word[1] : ""))
		fail("lease CPUS MIN-MAX");
	memcpy(q.cpus, cpus.bits, sizeof(q.cpus));
	parse_khz(word[2], &q);
	for (int i = 3; i < n; i++) {
		unsigned int value = 0;

		if (!strcmp(word[i], "frequency"))
			q.flags |= PRS_CTL_FREQUENCY;
		else if (!strcmp(word[i], "reserve"))
			q.flags |= PRS_CTL_RESERVE;
		else if (!strcmp(word[i], "balanced"))
			q.flags |= PRS_CTL_BALANCED;
		else if (sscanf(word[i], "ttl=%u", &value) == 1)
			q.ttl_ms = value;
		else if (sscanf(word[i], "plan=%x", &value) == 1)
			memset(q.plan, (int)value, sizeof(q.plan));
		else
			fail(word[i]);
	}
	last_lease = q;
	if (ask("lease", &q, &r) >= 0 && r.lease && r.status != PRS_CTL_BUSY_STATUS)
		lease = r.lease;
}

static void do_set(char **word, int n, const char *what)
{
	struct prs_ctl_request q = {.op = PRS_CTL_SET, .lease = lease};
	struct prs_ctl_reply r;

	if (n < 3)
		fail("set CPU MIN-MAX");
	q.cpu = (prs_u32)atoi(word[1]);
	parse_khz(word[2], &q);
	if (n > 3)
		sscanf(word[3], "of=%u", &q.lease);
	ask(what, &q, &r);
}

static void do_simple(char **word, int n)
{
	struct prs_ctl_request q = {.lease = lease};
	struct prs_ctl_reply r;

	if (!strcmp(word[0], "renew")) {
		q.op = PRS_CTL_RENEW;
		q.ttl_ms = n > 1 ? (prs_u32)atoi(word[1]) : 0;
	} else if (!strcmp(word[0], "release")) {
		q.op = PRS_CTL_RELEASE;
	} else if (!strcmp(word[0], "revoke")) {
		q.op = PRS_CTL_REVOKE;
		q.lease = n > 1 ? (prs_u32)atoi(word[1]) : 0;
	} else {
		q = (struct prs_ctl_request){.op = PRS_CTL_QUERY, .cpu = n > 1 ? (prs_u32)atoi(word[1]) : 0};
		q.flags = n > 2 && !strcmp(word[2], "reserve") ? PRS_CTL_RESERVE : 0;
	}
	if (q.op != PRS_CTL_QUERY && n > 1)
		sscanf(word[n - 1], "of=%u", &q.lease);
	ask(word[0], &q, &r);
}

static void do_energy(void)
{
	struct prs_ctl_request q = {.op = PRS_CTL_ENERGY};
	volatile unsigned int turns = 2000000;
	struct prs_ctl_reply r;
	int status;

	while (turns)
		turns--;
	status = ctl_request(&client, &q, &r);
	if (status < 0)
		printf("energy gone %s\n", strerror(-status));
	else
		printf("energy %s mj=%llu windows=%u each=%u\n", ctl_status_name(r.status),
		       (unsigned long long)r.energy_mj, r.windows, r.window_ms);
}

/* ---- what a client should not do -------------------------------------------- */

static void receive(const char *what)
{
	struct prs_ctl_reply r;
	struct pollfd p = {.fd = client.fd, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, TIMEOUT_MS) != 1) {
		printf("%s gone %s\n", what, strerror(ETIMEDOUT));
		return;
	}
	n = recv(client.fd, &r, sizeof(r), 0);
	if (n < 0 && errno == ECONNRESET)
		n = recv(client.fd, &r, sizeof(r), 0);
	print_reply(what, n == sizeof(r) ? (int)r.status : n < 0 ? -errno : -ECONNRESET, &r);
}

static void send_with_descriptor(struct prs_ctl_request *q)
{
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {q, sizeof(*q)};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int fds[2] = {0, 1};

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	if (sendmsg(client.fd, &m, MSG_NOSIGNAL) < 0)
		perror("sendmsg");
}

static void do_bad(const char *what)
{
	char buffer[2 * PRS_CTL_MESSAGE] = {0};
	struct prs_ctl_request q = {.magic = PRS_CTL_MAGIC,
				    .version = PRS_CTL_VERSION,
				    .op = PRS_CTL_QUERY,
				    .session = client.session,
				    .tag = 77};
	size_t n = sizeof(q);

	if (!strcmp(what, "short"))
		n = sizeof(q) - 1;
	else if (!strcmp(what, "long"))
		n = sizeof(q) + 1;
	else if (!strcmp(what, "empty"))
		n = 0;
	else if (!strcmp(what, "magic"))
		q.magic ^= 1;
	else if (!strcmp(what, "version"))
		q.version = PRS_CTL_VERSION + 1;
	else if (!strcmp(what, "op"))
		q.op = 99;
	else if (!strcmp(what, "reserved"))
		q.reserved[sizeof(q.reserved) - 1] = 1;
	else if (!strcmp(what, "flag"))
		q.flags = 0x80000000u;
	else if (!strcmp(what, "field"))
		q.ttl_ms = 1;
	else if (!strcmp(what, "session"))
		q.session ^= 1;
	else if (!strcmp(what, "again"))
		q = (struct prs_ctl_request){.magic = q.magic, .version = q.version, .op = PRS_CTL_HELLO};
	else if (strcmp(what, "descriptor"))
		fail(what);
	memcpy(buffer, &q, sizeof(q));
	if (!strcmp(what, "descriptor"))
		send_with_descriptor(&q);
	else if (send(client.fd, buffer, n, MSG_NOSIGNAL) < 0)
		perror("send");
	receive(what);
}

static void do_flood(unsigned int n)
{
	unsigned int seen[PRS_CTL_STATUS_COUNT + 1] = {0};

	for (unsigned int i = 0; i < n; i++) {
		struct prs_ctl_request q = {.op = PRS_CTL_QUERY};
		struct prs_ctl_reply r;
		int status = ctl_request(&client, &q, &r);

		seen[status < 0 ? PRS_CTL_STATUS_COUNT : status]++;
	}
	printf("flood");
	for (prs_u32 i = 0; i < PRS_CTL_STATUS_COUNT; i++) {
		if (seen[i])
			printf(" %s=%u", ctl_status_name(i), seen[i]);
	}
	printf(" gone=%u\n", seen[PRS_CTL_STATUS_COUNT]);
}

static void do_unread(unsigned int n)
{
	struct prs_ctl_request q = {.magic = PRS_CTL_MAGIC,
				    .version = PRS_CTL_VERSION,
				    .op = PRS_CTL_QUERY,
				    .session = client.session};
	unsigned int sent = 0;

	while (sent < n && send(client.fd, &q, sizeof(q), MSG_NOSIGNAL) == sizeof(q))
		sent++;
	printf("unread %s\n", sent < n ? "closed" : "sent");
}

static void do_each(unsigned int n)
{
	unsigned int ok = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct prs_ctl_request q = last_lease, end = {.op = PRS_CTL_RELEASE};
		struct prs_ctl_reply r;

		if (ctl_request(&client, &q, &r))
			continue;
		end.lease = r.lease;
		ok += !ctl_request(&client, &end, &r);
	}
	printf("each ok=%u of=%u\n", ok, n);
}

static void do_sets(prs_u32 cpu, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct prs_ctl_request q = {.op = PRS_CTL_SET, .lease = lease, .cpu = cpu};
		struct prs_ctl_reply r;

		q.min_khz = q.max_khz = i % 2 ? last_lease.min_khz : last_lease.max_khz;
		if (ctl_request(&client, &q, &r) < 0)
			return;
	}
}

/* ---- processes -------------------------------------------------------------- */

static void hold(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static void do_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		hold();
		_exit(0);
	}
	printf("child %d\n", (int)pid);
}

static void do_chain(unsigned int n)
{
	pid_t pid = fork();

	/* The first that is a parent goes on with the commands. */
	if (pid)
		return;
	while (n--) {
		usleep(200);
		if (fork())
			_exit(0);
	}
	_exit(0);
}

static void do_in_child(char **word, int n)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		do_set(word, n, "childset");
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void run(char **word, int n)
{
	const char *what = word[0];
	unsigned int count = n > 1 ? (unsigned int)atoi(word[1]) : 0;

	if (!strcmp(what, "raw"))
		connect_raw();
	else if (!strcmp(what, "connect"))
		do_connect();
	else if (!strcmp(what, "close"))
		ctl_close(&client);
	else if (!strcmp(what, "lease"))
		do_lease(word, n);
	else if (!strcmp(what, "set"))
		do_set(word, n, "set");
	else if (!strcmp(what, "renew") || !strcmp(what, "release") || !strcmp(what, "revoke") ||
		 !strcmp(what, "query"))
		do_simple(word, n);
	else if (!strcmp(what, "energy"))
		do_energy();
	else if (!strcmp(what, "sleep"))
		usleep(count * 1000);
	else if (!strcmp(what, "hold"))
		hold();
	else if (!strcmp(what, "pid"))
		printf("pid %d\n", (int)getpid());
	else if (!strcmp(what, "child"))
		do_child();
	else if (!strcmp(what, "chain"))
		do_chain(count);
	else if (!strcmp(what, "childset"))
		do_in_child(word, n);
	else if (!strcmp(what, "bad") && n > 1)
		do_bad(word[1]);
	else if (!strcmp(what, "receive"))
		receive("receive");
	else if (!strcmp(what, "flood"))
		do_flood(count);
	else if (!strcmp(what, "unread"))
		do_unread(count);
	else if (!strcmp(what, "sets") && n > 2)
		do_sets(count, (unsigned int)atoi(word[2]));
	else if (!strcmp(what, "each"))
		do_each(count);
	else
		fail(what);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 3)
		fail("usage: ask SOCKET COMMAND...");
	path = argv[1];
	if (strcmp(argv[2], "raw") && strcmp(argv[2], "pid"))
		do_connect();
	for (int i = 2; i < argc; i++) {
		char *words[16], *save = NULL;
		int n = 0;

		for (char *w = strtok_r(argv[i], " ", &save); w && n < 16; w = strtok_r(NULL, " ", &save))
			words[n++] = w;
		if (n)
			run(words, n);
	}
	return 0;
}
