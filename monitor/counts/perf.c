/* SPDX-License-Identifier: MIT */
#include "monitor/counts/perf.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "platform/events/counters.h"
#include "platform/events/events.h"

#define SET_MAX  32 /* events in a group */
#define CORE_MAX 1024

/* A thread, or a package: a descriptor for each event, -1 where it could not be opened. */
struct counted {
	struct counts_thread is;
	int cpu; /* of a package, -1: a thread */
	int *fd;
	bool there;
};

struct counts_perf {
	struct VEC(struct event) events; /* in the order of the sets */
	struct VEC(size_t) begin;        /* of each set, and the end */
	struct VEC(bool) package;        /* each set */
	struct VEC(struct counted) counted;
};

/* ---- what can be counted ------------------------------------------------------------ */

/* Is the whole set taken on this thread (or on cpu 0)?  0 or a negative errno. */
static int try_group(const struct event *e, size_t n, bool package)
{
	int fd[SET_MAX], ret = 0;
	size_t opened = 0;
	bool user_only;

	if (n > SET_MAX)
		return -EINVAL;
	for (; !ret && opened < n; opened += !ret) {
		fd[opened] = event_open(&e[opened], package ? -1 : 0, package ? 0 : -1, opened ? fd[0] : -1,
					&user_only);
		ret = fd[opened] < 0 ? fd[opened] : 0;
	}
	while (opened--)
		close(fd[opened]);
	return ret;
}

static int encode_of(const struct family_machine *m, const struct family_event *e, struct event *out,
		     struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char name[PRS_EVENT_NAME];
	int ret;

	if (!strstr(e->event, "::"))
		strbuf_printf(&text, "%s::", m->name);
	strbuf_puts(&text, e->event);
	snprintf(name, sizeof(name), "%s.%s", e->family, e->name);
	ret = event_encode_named(out, name, text.s, err);
	strbuf_release(&text);
	return ret;
}

struct settle {
	struct counts_perf *p;
	const struct family_machine *m;
	struct counts_events *names;
	struct strbuf *left_out;
};

static void leave_out(const struct settle *s, const struct family_event *e, const char *why,
		      const char *remedy)
{
	strbuf_printf(s->left_out, "%s.%s: %s%s%s\n", e->family, e->name, why, remedy ? "; " : "",
		      remedy ? remedy : "");
}

/* Events of the set that are known and taken alone; their number, and which they are. */
static size_t those_taken(const struct settle *s, const struct family_set *set, struct event *out,
			  size_t *which)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n && n < SET_MAX; i++) {
		const struct family_event *e = &s->m->events.at[set->at[i]];
		struct err err = ERR_INIT;
		const char *remedy, *why;
		int ret = encode_of(s->m, e, &out[n], &err);

		if (ret) {
			leave_out(s, e, "libpfm4 does not know it here", NULL);
			continue;
		}
		ret = try_group(&out[n], 1, e->scope == FAMILY_PACKAGE);
		if (!ret) {
			which[n++] = set->at[i];
			continue;
		}
		why = event_refusal(&out[n], -ret, &remedy);
		leave_out(s, e, why, remedy);
	}
	return n;
}

/* False: the set has to be divided. */
static bool settle_set(const struct settle *s, const struct family_set *set)
{
	bool package = set->n && s->m->events.at[set->at[0]].scope == FAMILY_PACKAGE;
	size_t which[SET_MAX], n;
	struct event e[SET_MAX];

	if (set->n > SET_MAX)
		return false;
	n = those_taken(s, set, e, which);
	if (n > 1 && try_group(e, n, package) == -EINVAL)
		return false;
	if (!n)
		return true;
	vec_push(&s->p->begin, s->p->events.n);
	vec_push(&s->p->package, package);
	for (size_t i = 0; i < n; i++) {
		const struct family_event *f = &s->m->events.at[which[i]];
		char name[80];

		snprintf(name, sizeof(name), "%s.%s", f->family, f->name);
		vec_push(&s->p->events, e[i]);
		vec_push(s->names, mem_strdup(name));
	}
	return true;
}

static void open_packages(struct counts_perf *p);

int counts_perf_open(struct counts_perf **out, const struct family_machine *m, const char *wanted,
		     struct counts_events *events, struct strbuf *left_out, struct err *err)
{
	struct counts_perf *p = mem_new(1, sizeof(*p));
	struct settle s = {p, m, events, left_out};
	struct counter_facts facts;
	struct family_sets sets;
	size_t before;

	counters_probe(&facts);
	family_sets_make(&sets, m, wanted, facts.at_once);
	for (size_t i = 0; i < sets.n; i++) {
		before = left_out->len;
		if (settle_set(&s, &sets.at[i]) || !family_sets_halve(&sets, i))
			continue;
		if (left_out->s)
			left_out->s[left_out->len = before] = 0;
		i--;
	}
	vec_push(&p->begin, p->events.n);
	family_sets_release(&sets);
	*out = p;
	if (p->events.n) {
		open_packages(p);
		return 0;
	}
	counts_perf_close(p);
	*out = NULL;
	if (!left_out->len)
		return err_set(err, -ENODEV, "%s has no event of these families", m->name);
	return err_set(err, -ENODEV, "%.*s", (int)strcspn(left_out->s, "\n"), left_out->s);
}

size_t counts_perf_sets(const struct counts_perf *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->package.n; i++)
		n += !p->package.at[i] && !event_is_software(&p->events.at[p->begin.at[i]]);
	return n;
}

/* ---- whom ------------------------------------------------------------------------------ */

static void open_groups(struct counts_perf *p, struct counted *c)
{
	bool user_only;

	c->fd = mem_new(p->events.n, sizeof(*c->fd));
	for (size_t s = 0; s < p->package.n; s++) {
		int lead = -1;

		for (size_t i = p->begin.at[s]; i < p->begin.at[s + 1]; i++) {
			bool mine = p->package.at[s] == (c->cpu >= 0);

			c->fd[i] = mine && (lead >= 0 || i == p->begin.at[s])
					   ? event_open(&p->events.at[i], c->cpu >= 0 ? -1 : (int)c->is.tid,
							c->cpu, lead, &user_only)
					   : -1;
			if (i == p->begin.at[s])
				lead = c->fd[i];
		}
	}
}

static void counted_release(const struct counts_perf *p, struct counted *c)
{
	for (size_t i = 0; i < p->events.n; i++)
		if (c->fd[i] >= 0)
			close(c->fd[i]);
	free(c->fd);
}

void counts_perf_close(struct counts_perf *p)
{
	for (size_t i = 0; p && i < p->counted.n; i++)
		counted_release(p, &p->counted.at[i]);
	if (!p)
		return;
	vec_release(&p->counted);
	vec_release(&p->events);
	vec_release(&p->begin);
	vec_release(&p->package);
	free(p);
}

/* The first cpu of each package. */
static void open_packages(struct counts_perf *p)
{
	uint64_t seen[CORE_MAX], id;
	size_t n = 0;

	for (size_t i = 0; i < p->package.n; i++)
		n += p->package.at[i];
	if (!n)
		return;
	n = 0;
	for (int cpu = 0; cpu < CORE_MAX; cpu++) {
		struct counted c = {.is = {.core = cpu}, .cpu = cpu, .there = true};
		char path[96], text[16];
		bool known = false;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
			 cpu);
		if (fs_read_small("", path, text, sizeof(text)) || num_u64(text, 0, CORE_MAX, &id))
			continue;
		for (size_t i = 0; i < n; i++)
			known |= seen[i] == id;
		if (known)
			continue;
		seen[n++] = id;
		snprintf(c.is.name, sizeof(c.is.name), "package %u", (unsigned)id % 1000u);
		open_groups(p, &c);
		vec_push(&p->counted, c);
	}
}

static struct counted *counted_of(struct counts_perf *p, uint32_t tid)
{
	for (size_t i = 0; i < p->counted.n; i++)
		if (p->counted.at[i].cpu < 0 && p->counted.at[i].is.tid == tid)
			return &p->counted.at[i];
	return NULL;
}

/* Name and core, as proc(5) has them; false: it is gone. */
static bool task_facts(struct counts_thread *t)
{
	char path[64], text[512], *at;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", t->pid, t->tid);
	if (fs_read_small("", path, text, sizeof(text)))
		return false;
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
		return false;
	*at = 0;
	snprintf(t->name, sizeof(t->name), "%.16s", strchr(text, '(') ? strchr(text, '(') + 1 : "");
	/* processor is field 39; the state behind the name is 3 */
	at++;
	for (int field = 3; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	t->core = at && isdigit((unsigned char)at[1]) ? atoi(at + 1) : -1;
	return true;
}

void counts_perf_watch(struct counts_perf *p, uint32_t pid)
{
	char path[32];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		struct counted c = {.cpu = -1};
		uint64_t tid;

		if (num_u64(e->d_name, 1, INT32_MAX, &tid) || counted_of(p, (uint32_t)tid))
			continue;
		c.is = (struct counts_thread){.pid = pid, .tid = (uint32_t)tid, .core = -1};
		if (!task_facts(&c.is))
			continue;
		open_groups(p, &c);
		vec_push(&p->counted, c);
	}
	if (dir)
		closedir(dir);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* What a read of a group has: perf_event_open(2), PERF_FORMAT_GROUP with both times. */
struct group {
	uint64_t n, enabled, running, value[SET_MAX];
};

static void read_set(const struct counts_perf *p, const struct counted *c, size_t set, struct count *to)
{
	size_t from = p->begin.at[set], members = 0;
	struct group g;

	if (c->fd[from] < 0 || read(c->fd[from], &g, sizeof(g)) < (ssize_t)(3 * sizeof(uint64_t)))
		return;
	for (size_t i = from; i < p->begin.at[set + 1]; i++)
		if (c->fd[i] >= 0 && members < g.n)
			to[i] = (struct count){g.value[members++], g.enabled, g.running};
}

static struct count *perf_row_of(struct counts_look *look, const struct counts_thread *t)
{
	for (size_t i = 0; i < look->threads.n; i++)
		if (look->threads.at[i].tid == t->tid && look->threads.at[i].pid == t->pid && t->tid)
			return &look->counts.at[i * look->n_events];
	return counts_look_add(look, t);
}

void counts_perf_look(struct counts_perf *p, struct counts_look *look, size_t from)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->counted.n; i++) {
		struct counted *c = &p->counted.at[i];
		struct count *to;

		if (c->cpu < 0 && !task_facts(&c->is)) {
			counted_release(p, c);
			continue;
		}
		to = perf_row_of(look, &c->is) + from;
		for (size_t s = 0; s < p->package.n; s++)
			read_set(p, c, s, to);
		p->counted.at[kept++] = *c;
	}
	p->counted.n = kept;
}
