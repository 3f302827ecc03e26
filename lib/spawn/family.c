/* SPDX-License-Identifier: MIT */
#include "lib/spawn/family.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "lib/vec.h"

#define SHARE 200 /* one part of so many goes into looking for new members */

struct member {
	int pid;
	double cpu; /* s, when it was last seen */
};

struct family {
	struct VEC(struct member) members; /* without the first process */
	double ended;                      /* CPU seconds of members that are gone */
	uint64_t next_ns;                  /* when to look for new ones */
};

struct family *family_new(void)
{
	return mem_new(1, sizeof(struct family));
}

void family_free(struct family *f)
{
	if (!f)
		return;
	vec_release(&f->members);
	free(f);
}

static double clock_of(int pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return -1;
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static bool is_member(const struct family *f, int pid)
{
	for (size_t i = 0; i < f->members.n; i++)
		if (f->members.at[i].pid == pid)
			return true;
	return false;
}

/* The children of one thread. */
static void add_children(struct family *f, int pid, const char *thread)
{
	char path[64], text[4096], *at = text;
	int child, used;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", pid, thread);
	if (fs_read_small("", path, text, sizeof(text)))
		return;
	for (; sscanf(at, "%d%n", &child, &used) == 1; at += used)
		if (!is_member(f, child))
			vec_push(&f->members, ((struct member){child, 0}));
}

static void family_look_at(struct family *f, int pid)
{
	const struct dirent *e;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return;
	while ((e = readdir(tasks)))
		if (*e->d_name != '.')
			add_children(f, pid, e->d_name);
	closedir(tasks);
}

/* Members that are found are looked at, too. */
static void family_look(struct family *f, int pid)
{
	uint64_t begin = child_clock_ns(), end;

	if (begin < f->next_ns)
		return;
	family_look_at(f, pid);
	for (size_t i = 0; i < f->members.n; i++)
		family_look_at(f, f->members.at[i].pid);
	end = child_clock_ns();
	f->next_ns = end + SHARE * (end - begin);
}

/* CPU seconds of what @pid waited for. */
static double waited_for(int pid)
{
	unsigned long long user, system;
	char path[32], text[1024];
	const char *behind;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (fs_read_small("", path, text, sizeof(text)))
		return 0;
	/* The name, in brackets, may hold anything. */
	behind = strrchr(text, ')');
	if (!behind || sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %llu %llu",
			      &user, &system) != 2)
		return 0;
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

double family_cpu(struct family *f, int pid)
{
	double own = pid > 0 ? clock_of(pid) : -1, live = 0, waited;

	if (own < 0)
		return -1;
	family_look(f, pid);
	for (size_t i = 0; i < f->members.n;) {
		struct member *m = &f->members.at[i];
		double cpu = clock_of(m->pid);

		if (cpu < m->cpu) { /* it is gone, or its number is another's */
			f->ended += m->cpu;
			*m = f->members.at[--f->members.n];
			continue;
		}
		m->cpu = cpu;
		live += cpu;
		i++;
	}
	waited = waited_for(pid);
	return own + live + (waited > f->ended ? waited : f->ended);
}
