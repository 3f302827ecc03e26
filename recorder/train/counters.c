/* SPDX-License-Identifier: MIT */
#include "recorder/train/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/events/counters.h"

static const char generic[] = "cycles,instructions,branches,branch-misses,cache-references,cache-misses";

/* Those of @c that are counted here, @most of them; the others go. */
static void keep_usable(struct train_counters *c, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n && n < most; i++) {
		bool user_only;

		if (event_try(&c->event[i], &user_only))
			continue;
		c->event[n] = c->event[i];
		c->user_only[n++] = user_only;
	}
	c->n = n;
}

int train_counters_choose(struct train_counters *c, const char *names, struct err *err)
{
	struct counter_facts f;
	int ret;

	memset(c, 0, sizeof(*c));
	ret = events_encode(c->event, TRAIN_MOST_EVENTS, &c->n, names ? names : generic, err);
	if (ret && names)
		return ret;
	if (ret)
		c->n = 0;
	if (!names) {
		counters_probe(&f);
		keep_usable(c, f.error || f.dead_cycles ? 0 : f.at_once ? f.at_once : 1);
		return 0;
	}
	for (size_t i = 0; i < c->n; i++) {
		const char *remedy;

		ret = event_try(&c->event[i], &c->user_only[i]);
		if (!ret)
			continue;
		err_set(err, ret, "%s is not counted here: %s", c->event[i].name,
			event_refusal(&c->event[i], -ret, &remedy));
		if (remedy)
			err_advise(err, "%s", remedy);
		return ret;
	}
	return 0;
}

static int open_one(const struct event *e, bool user_only, int group)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	int fd;

	attr.type = e->type;
	attr.config = e->config;
	attr.config1 = e->config1;
	attr.config2 = e->config2;
	attr.disabled = group < 0;
	attr.enable_on_exec = group < 0;
	attr.inherit = 1;
	attr.exclude_kernel = user_only;
	attr.exclude_hv = user_only;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Software events are in no group of the hardware's: each is enabled by itself. */
int train_counters_open(struct train_counters *c)
{
	int group = -1, ret = 0;

	for (size_t i = 0; i < c->n; i++)
		c->fd[i] = -1;
	for (size_t i = 0; i < c->n && !ret; i++) {
		bool alone = event_is_software(&c->event[i]);

		c->fd[i] = open_one(&c->event[i], c->user_only[i], alone ? -1 : group);
		/* One more than are counted at once takes turns by itself. */
		if (c->fd[i] < 0 && group >= 0)
			c->fd[i] = open_one(&c->event[i], c->user_only[i], -1);
		ret = c->fd[i] < 0 ? c->fd[i] : 0;
		if (!alone && group < 0)
			group = c->fd[i];
	}
	if (ret)
		train_counters_close(c, NULL);
	return ret;
}

int train_counters_close(struct train_counters *c, struct train_counts *out)
{
	int ret = 0;

	if (out)
		memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < c->n; i++) {
		uint64_t value[3] = {0};

		if (c->fd[i] < 0)
			continue;
		if (out && read(c->fd[i], value, sizeof(value)) != sizeof(value))
			ret = -EIO;
		if (out) {
			out->count[i] = value[2] ? (double)value[0] * (double)value[1] / (double)value[2] : 0;
			out->enabled += (double)value[1];
			out->running += (double)value[2];
		}
		close(c->fd[i]);
		c->fd[i] = -1;
	}
	return ret;
}
