// SPDX-License-Identifier: MIT
/*
 * The program's signal handlers, behind ours: none of them is to see a copy of
 * an instruction, or exceptions that the program did not unmask, and none may
 * block the one signal that a trap needs.  The kernel masks all exceptions while
 * a handler runs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/denormal/jumps.h"
#include "runtime/denormal/trap/trap.h"

#define SIGNALS 65
#define STACK   (64u << 10)
#define PAGE    4096u

typedef int action_fn(int, const struct sigaction *, struct sigaction *);
typedef int mask_fn(int, const sigset_t *, sigset_t *);

static action_fn *next_action;
static mask_fn *next_mask;

/* What the program asked for.  The turn changes before and behind each change. */
static struct action {
	struct sigaction act;
	unsigned turn;
	bool behind; /* ours is in front of it */
} actions[SIGNALS];

static void resolve(void)
{
	if (!next_action)
		next_action = (action_fn *)dlsym(RTLD_NEXT, "sigaction");
	if (!next_mask)
		next_mask = (mask_fn *)dlsym(RTLD_NEXT, "pthread_sigmask");
}

static struct sigaction asked(int sig)
{
	const struct action *a = &actions[sig];
	struct sigaction act;
	unsigned turn;

	do {
		turn = __atomic_load_n(&a->turn, __ATOMIC_ACQUIRE);
		act = a->act;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (turn % 2 || turn != __atomic_load_n(&a->turn, __ATOMIC_RELAXED));
	return act;
}

/* Under the lock. */
static void remember(int sig, const struct sigaction *act, bool behind)
{
	struct action *a = &actions[sig];

	__atomic_fetch_add(&a->turn, 1, __ATOMIC_ACQ_REL);
	a->act = *act;
	a->behind = behind;
	__atomic_fetch_add(&a->turn, 1, __ATOMIC_ACQ_REL);
}

static bool plain(const struct sigaction *act)
{
	return act->sa_handler == SIG_DFL || act->sa_handler == SIG_IGN;
}

/* What the kernel would do without a handler: a fault happens again, another signal is sent again. */
static void by_default(int sig, const siginfo_t *info, bool ignored)
{
	struct sigaction act = {.sa_handler = SIG_DFL};

	if (ignored && info->si_code <= 0)
		return;
	next_action(sig, &act, NULL);
	if (info->si_code <= 0)
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
}

static void call(int sig, siginfo_t *info, ucontext_t *u, const struct sigaction *act)
{
	struct trap_here *here = &trap_here;
	struct _libc_fpstate *fp = u->uc_mcontext.fpregs;
	bool armed;

	trap_leave_stub(u);
	armed = !here->disarmed && !(fp->mxcsr & MXCSR_MASKS);
	if (armed)
		fp->mxcsr |= MXCSR_MASKS;
	if (plain(act)) {
		by_default(sig, info, act->sa_handler == SIG_IGN);
	} else {
		here->inside++;
		if (act->sa_flags & SA_SIGINFO)
			act->sa_sigaction(sig, info, u);
		else
			act->sa_handler(sig);
		if (here->inside) /* it may have been left by a jump that came back */
			here->inside--;
	}
	if (armed && !here->disarmed && !trap.aside)
		fp->mxcsr &= ~MXCSR_MASKS;
}

static void once(int sig, const struct sigaction *act)
{
	const struct sigaction none = {.sa_handler = SIG_DFL};
	sigset_t old;

	if (!((unsigned)act->sa_flags & SA_RESETHAND))
		return;
	den_lock(&old);
	remember(sig, &none, actions[sig].behind);
	den_unlock(&old);
	if (sig != SIGFPE && sig != SIGSEGV && sig != SIGBUS)
		next_action(sig, &none, NULL);
}

void trap_forward(int sig, siginfo_t *info, ucontext_t *u)
{
	struct sigaction act = asked(sig);
	sigset_t mask = u->uc_sigmask, old;

	if (plain(&act)) {
		call(sig, info, u, &act);
		return;
	}
	once(sig, &act);
	sigorset(&mask, &mask, &act.sa_mask);
	if (!(act.sa_flags & SA_NODEFER))
		sigaddset(&mask, sig);
	next_mask(SIG_SETMASK, &mask, &old);
	call(sig, info, u, &act);
	next_mask(SIG_SETMASK, &old, NULL);
}

extern const char trap_peek_bytes[], trap_peek_fault[];

static void relay(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	struct sigaction act;

	if ((sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0 &&
	    (uint64_t)u->uc_mcontext.gregs[REG_RIP] - (uint64_t)trap_peek_bytes <
		    (uint64_t)(trap_peek_fault - trap_peek_bytes)) {
		u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uint64_t)trap_peek_fault;
		return;
	}
	act = asked(sig);
	once(sig, &act);
	call(sig, info, u, &act);
}

/* What the kernel gets for @act. */
static struct sigaction in_front(int sig, const struct sigaction *act)
{
	struct sigaction ours = *act;

	ours.sa_sigaction = relay;
	ours.sa_flags = (int)((unsigned)(act->sa_flags | SA_SIGINFO) & ~(unsigned)SA_RESETHAND);
	if (plain(act)) {
		sigemptyset(&ours.sa_mask);
		ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
	}
	sigdelset(&ours.sa_mask, SIGFPE);
	if (sig != SIGFPE)
		return ours;
	ours.sa_sigaction = trap_fault;
	ours.sa_flags |= SA_ONSTACK;
	sigfillset(&ours.sa_mask);
	sigdelset(&ours.sa_mask, SIGSEGV);
	sigdelset(&ours.sa_mask, SIGBUS);
	return ours;
}

/* Under the lock. */
static int act_on(int sig, const struct sigaction *act, struct sigaction *old)
{
	bool needed = sig == SIGFPE || sig == SIGSEGV || sig == SIGBUS, behind = needed || !plain(act);
	struct sigaction before, ours = behind ? in_front(sig, act) : *act;

	if (next_action(sig, &ours, &before))
		return -1;
	if (old)
		*old = actions[sig].behind ? actions[sig].act : before;
	remember(sig, act, behind);
	return 0;
}

DEN_EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction wanted, before;
	sigset_t mask;
	int ret, error;

	resolve();
	/* In a child of vfork() the memory is the parent's, the handlers are not. */
	if (!trap.on || sig < 1 || sig >= SIGNALS || getpid() != den.pid)
		return next_action(sig, act, old);
	if (act)
		wanted = *act;
	if (act && sig == SIGFPE && !plain(&wanted))
		trap_aside(PRS_DEN_NOTE_HANDLER, (uint64_t)wanted.sa_sigaction);
	den_lock(&mask);
	if (act) {
		ret = act_on(sig, &wanted, &before);
	} else {
		ret = next_action(sig, NULL, &before);
		if (!ret && actions[sig].behind)
			before = actions[sig].act;
	}
	error = errno;
	den_unlock(&mask);
	errno = error;
	if (!ret && old)
		*old = before;
	return ret;
}

static sighandler_t set_handler(int sig, sighandler_t handler, int flags)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags}, old;

	if (!(flags & SA_NODEFER))
		sigaddset(&act.sa_mask, sig);
	return sigaction(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

DEN_EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, SA_RESTART);
}

sighandler_t bsd_signal(int sig, sighandler_t handler); /* not declared by newer standards */
DEN_EXPORT sighandler_t bsd_signal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, SA_RESTART);
}

DEN_EXPORT sighandler_t ssignal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, SA_RESTART);
}

DEN_EXPORT sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

/* What signal() is in strict standard C. */
sighandler_t __sysv_signal(int sig, sighandler_t handler);
DEN_EXPORT sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

/* ---- masks ---- */

static int set_mask(int how, const sigset_t *set, sigset_t *old)
{
	struct trap_here *here = &trap_here;
	bool was = here->blocked, named;
	sigset_t wanted;
	int ret;

	resolve();
	if (!trap.on || here->disarmed)
		return next_mask(how, set, old);
	if (set) {
		wanted = *set;
		named = sigismember(&wanted, SIGFPE) == 1;
		if (how != SIG_UNBLOCK)
			sigdelset(&wanted, SIGFPE);
		if (how != SIG_UNBLOCK && here->sample.timed)
			sigdelset(&wanted, SIGSTKFLT);
	}
	ret = next_mask(how, set ? &wanted : NULL, old);
	if (ret)
		return ret;
	if (set && (how == SIG_SETMASK || named))
		here->blocked = how != SIG_UNBLOCK && named;
	if (old && was)
		sigaddset(old, SIGFPE);
	return 0;
}

DEN_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return set_mask(how, set, old);
}

DEN_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int ret = set_mask(how, set, old);

	if (ret)
		errno = ret;
	return ret ? -1 : 0;
}

/* ---- ways out of a handler ---- */

/* The kernel masked the exceptions for the handler that is left here. */
void jump_begins(const void *to)
{
	(void)to;
	if (trap_here.inside) {
		trap_here.inside = 0;
		trap_arm();
	}
}

/* ---- alternate stacks ---- */

static int kernel_stack(const stack_t *set, stack_t *old)
{
	return (int)syscall(SYS_sigaltstack, set, old);
}

void trap_stack_begin(void)
{
	stack_t now, ours = {.ss_size = STACK};
	unsigned char *p;

	if (trap_here.stack || kernel_stack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
		return;
	p = mmap(NULL, PAGE + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		 0);
	if (p == MAP_FAILED)
		return;
	mprotect(p, PAGE, PROT_NONE);
	ours.ss_sp = p + PAGE;
	if (!kernel_stack(&ours, NULL))
		trap_here.stack = p;
	else
		munmap(p, PAGE + STACK);
}

void trap_stack_end(void)
{
	const stack_t none = {.ss_flags = SS_DISABLE};
	unsigned char *p = trap_here.stack;
	stack_t now;

	if (!p || kernel_stack(NULL, &now) || now.ss_flags & SS_ONSTACK)
		return;
	if (now.ss_sp == p + PAGE)
		kernel_stack(&none, NULL);
	trap_here.stack = NULL;
	munmap(p, PAGE + STACK);
}

DEN_EXPORT int sigaltstack(const stack_t *set, stack_t *old)
{
	unsigned char *p = trap_here.stack;
	stack_t ours = {.ss_sp = p + PAGE, .ss_size = STACK}, before;
	bool off = p && set && set->ss_flags & SS_DISABLE;
	int ret = kernel_stack(off ? &ours : set, &before);

	if (!ret && old) {
		*old = before;
		if (p && before.ss_sp == ours.ss_sp)
			*old = (stack_t){.ss_flags = SS_DISABLE};
	}
	return ret;
}

bool trap_signals_begin(void)
{
	static const int needed[] = {SIGFPE, SIGSEGV, SIGBUS};
	sigset_t fpe, mask;
	bool done = true;

	resolve();
	if (!next_action || !next_mask)
		return false;
	sigemptyset(&fpe);
	sigaddset(&fpe, SIGFPE);
	den_lock(&mask);
	for (unsigned i = 0; i < 3; i++) {
		struct sigaction was, ours;

		done &= !next_action(needed[i], NULL, &was);
		ours = in_front(needed[i], &was);
		remember(needed[i], &was, true);
		done &= !next_action(needed[i], &ours, NULL);
	}
	den_unlock(&mask);
	trap_here.blocked = sigismember(&mask, SIGFPE) == 1;
	next_mask(SIG_UNBLOCK, &fpe, NULL);
	return done;
}
