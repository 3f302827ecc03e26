// SPDX-License-Identifier: MIT
/*
 * A limit of traps: a thread that has taken its share of a window goes on
 * masked until the window's CPU time is over.  A timer of its CPU time ends the
 * rest, so a thread that sleeps is never woken.  How many events went by nobody
 * knows; since traps take time, the part of them that was taken is at most that
 * of the CPU time that was watched.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/denormal/trap/trap.h"

#define WINDOW_NS 100000000ull
#define AGAIN_NS  1000000ull /* a handler of the program runs: later */

static uint64_t share; /* traps of a window; 0: no limit */

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool wake_in(struct trap_sample *s, uint64_t ns)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGSTKFLT};
	struct itimerspec when = {.it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (!s->timed && syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &s->timer))
		return false;
	s->timed = true;
	return !syscall(SYS_timer_settime, s->timer, 0, &when, NULL);
}

bool trap_sample_rests(void)
{
	struct trap_sample *s = &trap_here.sample;
	uint64_t now;

	if (!share || s->taken++ < share) {
		if (share && s->taken == 1)
			s->begin = cpu_now();
		return false;
	}
	now = cpu_now();
	if (now - s->begin >= WINDOW_NS || !wake_in(s, WINDOW_NS - (now - s->begin))) {
		s->watched += now - s->begin;
		s->begin = now;
		s->taken = 1;
		return false;
	}
	s->watched += now - s->begin;
	s->begin = now;
	s->rests = true;
	return true;
}

/* The rest is over, unless a handler of the program is at work, for which the kernel masked all. */
static void resume(int sig, siginfo_t *info, void *context)
{
	struct trap_sample *s = &trap_here.sample;
	ucontext_t *u = context;
	uint64_t now;

	(void)sig;
	if (!s->rests || info->si_code != SI_TIMER)
		return;
	if (trap_here.inside) {
		wake_in(s, AGAIN_NS);
		return;
	}
	now = cpu_now();
	s->rested += now - s->begin;
	s->rests = false;
	s->taken = 0;
	if (trap.aside || trap_here.disarmed)
		return;
	trap_here.mxcsr = u->uc_mcontext.fpregs->mxcsr;
	u->uc_mcontext.fpregs->mxcsr &= ~MXCSR_MASKS;
}

void trap_sample_end(void)
{
	struct trap_sample *s = &trap_here.sample;

	if (s->timed)
		syscall(SYS_timer_delete, s->timer);
	s->timed = false;
	if (s->rests)
		s->rested += cpu_now() - s->begin;
	if (s->rested)
		trap_note(PRS_DEN_NOTE_SAMPLED, 1 + s->rested / (s->watched ? s->watched : 1));
	*s = (struct trap_sample){0};
}

static void child(void)
{
	trap_here.sample = (struct trap_sample){0};
	trap_arm();
}

bool trap_sample_begin(void)
{
	const char *rate = secure_getenv(PRS_DEN_ENV_RATE);
	uint64_t second = rate ? strtoull(rate, NULL, 10) : 0;
	struct sigaction act = {.sa_sigaction = resume, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

	if (!second)
		return true;
	share = second / 10 ? second / 10 : 1;
	sigfillset(&act.sa_mask);
	return !sigaction(SIGSTKFLT, &act, NULL) && !pthread_atfork(NULL, NULL, child);
}
