/* SPDX-License-Identifier: MIT */
/* Programs that traps must not disturb: what each prints, and how it ends, is the same without them. */
#define _GNU_SOURCE
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <xmmintrin.h>

extern char __executable_start, etext;

/* One denormal operand each time; the value goes through memory, so nothing is folded. */
__attribute__((noinline)) static float multiply(unsigned n)
{
	volatile float d = 1e-40f, two = 2.0f, r = 0;

	for (unsigned i = 0; i < n; i++)
		r = d * two;
	return r;
}

/* One tiny result each time, of normal operands: exact, or not. */
__attribute__((noinline)) static float divide(unsigned n, float by)
{
	volatile float a = 0x1.000002p-126f, b = by, r = 0;

	for (unsigned i = 0; i < n; i++)
		r = a / b;
	return r;
}

static uint32_t bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, 4);
	return u;
}

/* ---- threads ---- */

static void *work(void *arg)
{
	return (void *)(uintptr_t)bits(multiply((unsigned)(uintptr_t)arg));
}

static int threads(unsigned count, unsigned each, size_t stack)
{
	pthread_t *t = malloc(count * sizeof(*t));
	pthread_attr_t attr;
	uintptr_t sum = 0;

	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&t[i], &attr, work, (void *)(uintptr_t)each))
			return 3;
	for (unsigned i = 0; i < count; i++) {
		void *r;

		pthread_join(t[i], &r);
		sum += (uintptr_t)r;
	}
	printf("%llu\n", (unsigned long long)sum);
	free(t);
	return 0;
}

static int ten(void)
{
	return threads(10, 1000, 0);
}

static int thousand(void)
{
	return threads(1000, 10, 0);
}

static int small(void)
{
	return threads(4, 100, 16384);
}

/* ---- the stack's end ---- */

static ucontext_t back, there;
static uint32_t seen;

static void on_little(void)
{
	seen = bits(multiply(100));
}

/* A stack of 1,024 bytes, below which nothing may be written. */
static int edge(void)
{
	unsigned char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(p, 4096, PROT_NONE);
	getcontext(&there);
	there.uc_stack.ss_sp = p + 4096;
	there.uc_stack.ss_size = 1024;
	there.uc_link = &back;
	makecontext(&there, on_little, 0);
	swapcontext(&back, &there);
	printf("%08x\n", seen);
	return 0;
}

/* ---- the floating-point environment ---- */

static void flags(const char *what)
{
	printf("%s %x %x\n", what, (unsigned)fetestexcept(FE_ALL_EXCEPT), _mm_getcsr() & 0x3fu);
}

static int environment(void)
{
	fenv_t e;

	flags("begin");
	divide(1, 2.0f); /* tiny and inexact */
	flags("inexact");
	feclearexcept(FE_ALL_EXCEPT);
	flags("cleared");
	volatile float a = 0x1p-126f, b = 2.0f, r = a / b; /* tiny and exact: no flag */
	flags("exact");
	multiply(1);
	flags("operand");
	fegetenv(&e);
	printf("%x %x\n", e.__mxcsr & 0xffc0u, (unsigned)fegetexcept());
	feholdexcept(&e);
	divide(3, 3.0f);
	flags("held");
	feupdateenv(&e);
	flags("updated");
	fesetround(FE_UPWARD);
	r = divide(5, 3.0f);
	printf("%08x\n", bits(r));
	fesetenv(FE_DFL_ENV);
	flags("default");
	r = multiply(7);
	printf("%08x\n", bits(r));
	return 0;
}

static int enable(void)
{
	volatile float zero = 0, one = 1;

	printf("%d\n", feenableexcept(FE_DIVBYZERO));
	multiply(100);
	printf("%x\n", (unsigned)fegetexcept());
	fflush(stdout);
	one = one / zero;
	return 0;
}

static int enable_underflow(void)
{
	multiply(10);
	printf("%d\n", feenableexcept(FE_UNDERFLOW));
	fflush(stdout);
	multiply(10); /* result and operand are denormal: tiny */
	return 0;
}

static int masked(void)
{
	multiply(10);
	_mm_setcsr(0x1f80);
	printf("%08x\n", bits(multiply(10)));
	return 0;
}

static int flush(void)
{
	_mm_setcsr(_mm_getcsr() | 0x8000);
	printf("%08x %08x\n", bits(multiply(10)), bits(divide(10, 2.0f)));
	_mm_setcsr(_mm_getcsr() | 0x40);
	printf("%08x %08x\n", bits(multiply(10)), bits(divide(10, 2.0f)));
	return 0;
}

static int x87(void)
{
	volatile long double d = 1e-4940L, r = d * 2;

	printf("%d\n", r > 0);
	return 0;
}

/* ---- signals ---- */

static void own(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)sig;
	printf("%d %x\n", info->si_code, u->uc_mcontext.fpregs->mxcsr & 0xffc0u);
	fflush(stdout);
	_exit(9);
}

static int handler(void)
{
	struct sigaction act = {.sa_sigaction = own, .sa_flags = SA_SIGINFO}, old;
	volatile int zero = 0;

	multiply(10);
	sigaction(SIGFPE, &act, &old);
	printf("%d %08x\n", old.sa_handler == SIG_DFL, bits(multiply(10)));
	return 1 / zero;
}

static int integer(void)
{
	volatile int zero = 0;

	multiply(10);
	return 1 / zero;
}

static volatile sig_atomic_t ticks, wrong;

/* What a profiler or a collector sees: an address of the program, and its environment. */
static void tick(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *u = context;
	const char *at = (const char *)u->uc_mcontext.gregs[REG_RIP];
	uint32_t mxcsr = u->uc_mcontext.fpregs->mxcsr;

	(void)sig;
	(void)info;
	ticks++;
	if (at < &__executable_start || at >= &etext) {
		char *base = (char *)u; /* a library is a place of the program as well */

		(void)base;
		if (*(const unsigned char *)at == 0x64 || !memcmp(at, "\xf3\x0f\x59", 3))
			wrong++;
	}
	if ((mxcsr & 0x1f80u) != 0x1f80u)
		wrong++;
	multiply(3);
}

/* Timer signals as often as they come until @n multiplications are done. */
static int often(void)
{
	struct sigaction act = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct itimerval every = {{0, 50}, {0, 50}}, none = {{0, 0}, {0, 0}};
	uint32_t r = 0;
	unsigned rounds = 0;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (rounds < 200 || ticks < 100) {
		r = bits(multiply(100));
		rounds++;
		if (rounds >= 200 && ticks >= 100)
			break;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	fprintf(stderr, "rounds=%u\n", rounds);
	printf("%08x %d\n", r, (int)wrong);
	return 0;
}

static sigjmp_buf place;

static void leave(int sig)
{
	siglongjmp(place, sig);
}

static int jump(void)
{
	signal(SIGUSR1, leave);
	for (volatile int i = 0; i < 20; i++)
		if (!sigsetjmp(place, 1)) {
			multiply(5);
			raise(SIGUSR1);
		}
	printf("%08x\n", bits(multiply(5)));
	return 0;
}

static int blocked(void)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	printf("%d\n", sigismember(&old, SIGFPE));
	pthread_sigmask(SIG_SETMASK, NULL, &old);
	printf("%d %08x\n", sigismember(&old, SIGFPE), bits(multiply(10)));
	sigemptyset(&all);
	sigaddset(&all, SIGFPE);
	sigprocmask(SIG_UNBLOCK, &all, &old);
	printf("%d\n", sigismember(&old, SIGFPE));
	sigprocmask(SIG_BLOCK, NULL, &old);
	printf("%d %d\n", sigismember(&old, SIGFPE), sigismember(&old, SIGINT));
	return 0;
}

static void where(int sig)
{
	volatile char here = 0;
	stack_t now;

	(void)sig;
	sigaltstack(NULL, &now);
	printf("%d %d\n", now.ss_flags, &here >= (char *)now.ss_sp && &here < (char *)now.ss_sp + now.ss_size);
}

static int stacks(void)
{
	static char room[65536];
	stack_t set = {.ss_sp = room, .ss_size = sizeof(room)}, old;
	struct sigaction act = {.sa_handler = where, .sa_flags = SA_ONSTACK};

	sigaltstack(NULL, &old);
	printf("%d\n", old.ss_flags);
	sigaction(SIGUSR1, &act, NULL);
	sigaltstack(&set, &old);
	printf("%d\n", old.ss_flags);
	multiply(10);
	raise(SIGUSR1);
	set.ss_flags = SS_DISABLE;
	sigaltstack(&set, &old);
	printf("%d %d\n", old.ss_flags, old.ss_sp == room);
	sigaltstack(NULL, &old);
	printf("%d %08x\n", old.ss_flags, bits(multiply(10)));
	return 0;
}

static int crash(void)
{
	multiply(10);
	*(volatile int *)16 = 1;
	return 0;
}

static int sent(void)
{
	signal(SIGSEGV, SIG_IGN);
	raise(SIGSEGV);
	printf("%08x\n", bits(multiply(10)));
	fflush(stdout);
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 0;
}

/* ---- code ---- */

/* mulss %xmm1, %xmm0 or addss; ret */
static const unsigned char mul[] = {0xf3, 0x0f, 0x59, 0xc1, 0xc3}, add[] = {0xf3, 0x0f, 0x58, 0xc1, 0xc3};

static float run(const void *code, float a, float b)
{
	float (*f)(float, float);

	memcpy(&f, &code, sizeof(f));
	return f(a, b);
}

static unsigned char *room(void)
{
	unsigned char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int rewritten(void)
{
	unsigned char *p = room();
	float r = 0;

	for (int i = 0; i < 100; i++) {
		memcpy(p, i % 2 ? add : mul, sizeof(mul));
		r += run(p, 1e-40f, 3.0f);
	}
	munmap(p, 8192);
	printf("%08x\n", bits(r));
	return 0;
}

/* The instruction ends where memory does; the one that crosses a page; code that comes and goes. */
static int page_end(void)
{
	unsigned char *p = room();
	uint32_t r = 0;

	munmap(p + 4096, 4096);
	memcpy(p + 4096 - sizeof(mul), mul, sizeof(mul));
	r ^= bits(run(p + 4096 - sizeof(mul), 1e-40f, 3.0f));
	munmap(p, 4096);
	p = room();
	memcpy(p + 4094, mul, sizeof(mul));
	r ^= bits(run(p + 4094, 1e-40f, 5.0f));
	munmap(p, 8192);
	for (int i = 0; i < 50; i++) {
		p = room();
		memcpy(p + i, mul, sizeof(mul));
		r ^= bits(run(p + i, 1e-40f, (float)i));
		munmap(p, 8192);
	}
	printf("%08x\n", r);
	return 0;
}

static int library(void)
{
	volatile double x = -740, y = exp(x);

	printf("%a\n", y);
	return 0;
}

/* ---- processes ---- */

static void *forks(void *arg)
{
	int status;
	pid_t pid;

	multiply(10);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		multiply(7);
		_exit(bits(multiply(1)) == bits(2e-40f) ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	return status ? arg : NULL;
}

static int forked(void)
{
	pthread_t t[4];
	int bad = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, forks, t);
	for (int i = 0; i < 4; i++) {
		void *r;

		pthread_join(t[i], &r);
		bad += r != NULL;
	}
	printf("%d\n", bad);
	return 0;
}

static int executes(void)
{
	int status;
	pid_t pid = vfork();

	if (!pid) {
		signal(SIGUSR1, SIG_DFL);
		execl("/proc/self/exe", "trap", "ten", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	printf("%d %08x\n", status, bits(multiply(10)));
	return 0;
}

static int killed(void)
{
	multiply(1234);
	raise(SIGKILL);
	return 0;
}

/* Nothing but writing, the return from a handler and the end. */
static int limited(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};
	char text[32];

	multiply(10);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0))
		return 1;
	snprintf(text, sizeof(text), "%08x\n", bits(multiply(10)));
	if (write(1, text, strlen(text)) < 0)
		return 1;
	_exit(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
		{"ten", ten},	      {"thousand", thousand}, {"small", small},	    {"edge", edge},
		{"fenv", environment}, {"enable", enable},   {"underflow", enable_underflow},
		{"masked", masked},   {"flush", flush},	      {"x87", x87},	    {"handler", handler},
		{"integer", integer}, {"often", often},	      {"jump", jump},	    {"blocked", blocked},
		{"stacks", stacks},   {"crash", crash},	      {"sent", sent},	    {"rewritten", rewritten},
		{"page", page_end},   {"library", library},   {"fork", forked},	    {"exec", executes},
		{"kill", killed},     {"seccomp", limited},
	};

	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			return modes[i].run();
	return 2;
}
