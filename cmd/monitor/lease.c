/* SPDX-License-Identifier: MIT */
/* --act: the cores that perseusd reserves for this process and what it starts, and the audit. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cmd/monitor/monitor.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/num.h"

static void lease_audit(void *arg, const char *line)
{
	struct monitor_lease *l = arg;
	struct strbuf out = STRBUF_INIT;
	time_t now = time(NULL);
	char stamp[32] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	strbuf_printf(&l->said, "%s\n", line);
	strbuf_printf(&out, "%s %s\n", stamp, line);
	if (l->audit_fd >= 0 && write(l->audit_fd, out.s, out.len) != (ssize_t)out.len) {
		close(l->audit_fd);
		l->audit_fd = -1;
		strbuf_puts(&l->said, "the audit cannot be written any more\n");
	}
	strbuf_release(&out);
}

/* What is done without an audit line must not be done. */
static bool lease_is_there(void *arg)
{
	struct monitor_lease *l = arg;
	char byte;
	ssize_t n = recv(l->link.client.fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);

	return l->audit_fd >= 0 && !(!n || (n < 0 && errno != EAGAIN && errno != EINTR));
}

/* NAME:LEAST:FIRST */
static int take_workers(struct monitor_lease *l, const char *text, struct act_options *options,
			struct err *err)
{
	char *least, *first;

	l->workers = mem_strdup(text);
	least = strchr(l->workers, ':');
	first = least ? strchr(least + 1, ':') : NULL;
	if (first) {
		*least++ = 0;
		*first++ = 0;
	}
	if (!first || !*l->workers || num_u64(least, 1, 100000, &options->least_workers) ||
	    num_u64(first, options->least_workers, 100000, &options->workers))
		return err_set(err, -EINVAL, "--workers=%s: expected NAME:LEAST:FIRST, such as workers:1:8",
			       text);
	l->machine.workers = l->workers;
	return 0;
}

/* The file that the program's tunable reads. */
static int make_live_file(struct monitor_lease *l, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	snprintf(l->machine.live, sizeof(l->machine.live), "%s/perseus-live-XXXXXX",
		 dir && *dir ? dir : "/tmp");
	fd = mkstemp(l->machine.live);
	if (fd < 0)
		return err_set(err, -errno, "%s: %s", l->machine.live, strerror(errno));
	close(fd);
	setenv("PERSEUS_TUNE_LIVE", l->machine.live, 1);
	return 0;
}

static void plan_of(const struct rules *rules, prs_u8 plan[32])
{
	struct strbuf text = STRBUF_INIT;
	char hex[SHA256_HEX], byte[3] = "";

	for (size_t i = 0; i < rules->n; i++)
		strbuf_printf(&text, "%s %s %g %d\n", rules->at[i].name, rules->at[i].event,
			      rules->at[i].above, (int)rules->at[i].answer);
	sha256_of(text.s ? text.s : "", text.len, hex);
	for (int i = 0; i < 32; i++) {
		memcpy(byte, hex + 2 * i, 2);
		plan[i] = (prs_u8)strtoul(byte, NULL, 16);
	}
	strbuf_release(&text);
}

static int lease_reserve(struct monitor_lease *l, const struct monitor_options *o, const struct rules *rules,
			 struct act_options *options, struct err *err)
{
	struct prs_ctl_request q = {.op = PRS_CTL_LEASE, .flags = PRS_CTL_RESERVE | PRS_CTL_BALANCED};
	struct prs_ctl_reply r;
	int ret = ctl_parse_cpus(o->cpus, q.cpus, err);

	if (ret)
		return err_prefix(err, "--cpus");
	plan_of(rules, q.plan);
	ret = ctl_open(&l->link, o->socket, err);
	if (!ret) {
		ret = ctl_lease(&l->link, &q, &r, err);
		l->held = ret >= 0;
		if (ret < 0)
			ctl_close(&l->link.client);
	}
	if (ret < 0)
		return ret;
	l->number = options->lease = r.lease;
	for (unsigned c = 0; c < ACT_CORES && c < PRS_CTL_CPUS; c++)
		if (ctl_cpus_has(q.cpus, c))
			act_cores_add(&options->cores, c);
	return 0;
}

int monitor_lease_open(struct monitor_lease *l, const struct monitor_options *o, const struct rules *rules,
		       struct err *err)
{
	struct act_options options = {.lease = 0};
	int ret = 0;

	*l = (struct monitor_lease){.audit_fd = -1};
	if (o->workers)
		ret = take_workers(l, o->workers, &options, err);
	if (!ret && o->workers)
		ret = make_live_file(l, err);
	if (!ret) {
		l->audit_fd = o->audit ? open(o->audit,
					      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)
				       : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		if (l->audit_fd < 0)
			ret = err_set(err, -errno, "%s: %s", o->audit ? o->audit : "the audit on stderr",
				      strerror(errno));
	}
	if (!ret)
		ret = lease_reserve(l, o, rules, &options, err);
	l->machine.audit = lease_audit;
	l->machine.leased = lease_is_there;
	l->machine.arg = l;
	l->hands = hands_of_machine(&l->machine);
	act_init(&l->act, &l->hands, &options);
	return ret;
}

void monitor_lease_close(struct monitor_lease *l)
{
	act_end(&l->act);
	if (l->held)
		ctl_close(&l->link.client);
	if (l->audit_fd >= 0)
		close(l->audit_fd);
	if (*l->machine.live)
		unlink(l->machine.live);
	free(l->workers);
	strbuf_release(&l->said);
}
