/* SPDX-License-Identifier: MIT */
#include "recorder/outcome.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/mem.h"
#include "record/cores/cores.h"

void outcome_program(struct manifest *m, const struct child_result *c, bool goes_on)
{
	bool killed = WIFSIGNALED(c->status);

	free(m->status);
	m->status = mem_strdup(goes_on ? "stopped" : killed ? "killed" : "exited");
	m->wall_ns = c->wall_ns;
	if (goes_on)
		return;
	m->signal = killed ? WTERMSIG(c->status) : 0;
	m->exit_code = killed ? 0 : WEXITSTATUS(c->status);
	m->user_ns = c->user_ns;
	m->system_ns = c->system_ns;
}

void outcome_samples(struct manifest *m, const struct samples_totals *s)
{
	m->samples = s->all;
	m->samples_runtime = s->inside;
	m->samples_watching = s->watching;
	m->samples_resting = s->resting;
	m->samples_counting = s->counting;
	m->samples_loading = s->loading;
	m->samples_taken = s->taken;
	m->sample_ns = s->taken ? samples_price_ns() : 0;
	m->samples_user_only = s->user_only;
}

/* What the runtime pays for most of what it asks the system. */
static uint64_t syscall_price(void)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < 8; round++) {
		struct timespec a, b;

		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int i = 0; i < 64; i++)
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		clock_gettime(CLOCK_MONOTONIC, &b);
		if (best > (uint64_t)((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec) / 64)
			best = (uint64_t)((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec) / 64;
	}
	return best;
}

int outcome_cores(const char *dir, const struct samples_cores *cores, struct err *err)
{
	struct core_looks looks = VEC_INIT;
	int ret;

	for (size_t i = 0; i < cores->n; i++) {
		const struct samples_core *c = &cores->at[i];

		vec_push(&looks, ((struct core_look){c->ns, c->pid, c->tid, c->core}));
	}
	ret = cores_write(dir, &looks, err);
	vec_release(&looks);
	return ret;
}

void outcome_recorder(struct manifest *m)
{
	struct rusage use;

	if (!m->syscall_ns)
		m->syscall_ns = syscall_price();
	if (!getrusage(RUSAGE_SELF, &use))
		m->recorder_ns = (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000u +
				 (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000u;
}

void outcome_use_all_space(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_AS, &limit);
}
