/* SPDX-License-Identifier: MIT */
/* life2 SCENARIO: processes that double, limit, lock in, or leave in unusual ways. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/probe.h"

enum { SITE_A, SITE_B, SITE_C, SITE_CREATE, N_SITES };

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = N_SITES, .unit_id = 0x2222};
static struct prs_desc late = {.version = PRS_ABI_VERSION, .n_calls = N_SITES, .unit_id = 0x3333};
static char **arguments;

extern char **environ;

static __attribute__((constructor(101))) void attach(void)
{
	if (!__prs_attach)
		return;
	__prs_attach(&desc);
	__prs_attach(&late);
}

static __attribute__((destructor(101))) void detach(void)
{
	if (__prs_detach)
		__prs_detach(&desc);
}

static void call_of(const struct prs_desc *d, uint32_t site)
{
	uint64_t token = probe_enter(d, site);

	__asm__ volatile("");
	probe_leave(d, site, token);
}

static void calls(uint32_t site, unsigned n)
{
	while (n--)
		call_of(&desc, site);
}

static int ended(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

static void *worker(void *arg)
{
	calls(SITE_C, (unsigned)(uintptr_t)arg);
	return NULL;
}

static int thread(unsigned n)
{
	uint64_t token = probe_enter(&desc, SITE_CREATE);
	pthread_t id;
	int ret = pthread_create(&id, NULL, worker, (void *)(uintptr_t)n);

	probe_leave(&desc, SITE_CREATE, token);
	return ret ? ret : pthread_join(id, NULL);
}

/* ---- doubling ------------------------------------------------------------------------- */

static int cloned(void *arg)
{
	(void)arg;
	calls(SITE_B, 7);
	thread(3);
	_exit(0);
}

static char stack[1 << 18] __attribute__((aligned(64)));

static int clone_fork(void)
{
	pid_t child;

	calls(SITE_A, 10);
	child = clone(cloned, stack + sizeof(stack), SIGCHLD, NULL);
	calls(SITE_B, 5);
	return child < 0 || ended(child);
}

static int raw_fork(long nr)
{
	pid_t child;

	calls(SITE_A, 10);
	child = (pid_t)syscall(nr, nr == SYS_clone ? (long)SIGCHLD : 0L, 0L, 0L, 0L, 0L);
	if (!child)
		cloned(NULL);
	calls(SITE_B, 5);
	return child < 0 || ended(child);
}

static int syscall_clone(void)
{
	return raw_fork(SYS_clone);
}

static int syscall_fork(void)
{
	return raw_fork(SYS_fork);
}

static int sharer(void *arg)
{
	(void)arg;
	calls(SITE_B, 1000);
	return 0;
}

/* Shares memory and thread pointer, as some sandboxes do: the parent waits meanwhile. */
static int clone_vm(void)
{
	pid_t child = clone(sharer, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	calls(SITE_A, 10);
	return child < 0 || ended(child);
}

static int spawn(void)
{
	char program[] = "/proc/self/exe", what[] = "once";
	char *argv[] = {arguments[0], what, NULL};
	pid_t child;

	calls(SITE_A, 10);
	if (posix_spawn(&child, program, NULL, NULL, argv, environ))
		return 1;
	calls(SITE_A, 10);
	return ended(child);
}

static int vforked(void)
{
	pid_t child = vfork();

	if (!child)
		_exit(3);
	calls(SITE_A, 10);
	return ended(child) != 1;
}

static void *executer(void *arg)
{
	(void)arg;
	calls(SITE_C, 4);
	execl("/proc/self/exe", arguments[0], "once", NULL);
	return NULL;
}

static int exec_thread(void)
{
	pthread_t id;

	calls(SITE_A, 10);
	if (pthread_create(&id, NULL, executer, NULL))
		return 1;
	for (;;)
		pause();
}

static int once(void)
{
	calls(SITE_B, 6);
	return 0;
}

/* As daemons do it; the grandchild says in a file that it is done. */
static int daemonise(void)
{
	const char *done = arguments[2];
	pid_t child = fork();
	int fd;

	if (child)
		return child < 0 || ended(child);
	setsid();
	signal(SIGHUP, SIG_IGN);
	if (fork())
		_exit(0);
	if (chdir("/"))
		_exit(2);
	closefrom(0);
	fd = open("/dev/null", O_RDWR);
	dup(fd);
	dup(fd);
	for (int i = 0; i < 300; i++) {
		calls(SITE_B, 10);
		thread(2);
	}
	fd = open(done, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	exit(0);
}

/* ---- leaving ---------------------------------------------------------------------------- */

static int quick(void)
{
	calls(SITE_A, 10);
	quick_exit(0);
}

static int aborts(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	calls(SITE_A, 10);
	abort();
}

static void after_all(void)
{
	calls(SITE_B, 9);
	call_of(&late, SITE_A);
}

/* Probes whose object has been detached, and an exit handler that calls. */
static int leftovers(void)
{
	atexit(after_all);
	call_of(&late, SITE_A);
	if (__prs_detach)
		__prs_detach(&late);
	call_of(&late, SITE_A);
	calls(SITE_A, 10);
	return 0;
}

/* ---- limits ------------------------------------------------------------------------------- */

static int files_gone(void)
{
	closefrom(3);
	for (int i = 0; i < 200; i++)
		if (thread(20))
			return 1;
	return 0;
}

static int few_files(void)
{
	struct rlimit few = {4, 4};

	if (setrlimit(RLIMIT_NOFILE, &few))
		return 1;
	return files_gone();
}

static int in_chroot(void)
{
	if (chroot(arguments[2]) || chdir("/"))
		return 77;
	for (int i = 0; i < 200; i++)
		if (thread(20))
			return 1;
	return 0;
}

static int in_chroot_closed(void)
{
	closefrom(3);
	return in_chroot();
}

static int other_user(void)
{
	if (setgid(65534) || setuid(65534))
		return 77;
	for (int i = 0; i < 200; i++)
		if (thread(20))
			return 1;
	return 0;
}

/* A quarter of a gigabyte: enough for the threads, not for what is asked for at the end. */
static int little_space(void)
{
	const struct rlimit want = {256u << 20, 300u << 20};
	struct rlimit got;
	pthread_t id[8];
	void *p;

	calls(SITE_A, 10);
	if (setrlimit(RLIMIT_AS, &want) || getrlimit(RLIMIT_AS, &got))
		return 2;
	if (got.rlim_cur != want.rlim_cur || got.rlim_max != want.rlim_max)
		return 3;
	for (int i = 0; i < 8; i++)
		if (pthread_create(&id[i], NULL, worker, (void *)20))
			return 4;
	for (int i = 0; i < 8; i++)
		pthread_join(id[i], NULL);
	p = mmap(NULL, 1u << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? 0 : 5;
}

static int print_space(void)
{
	struct rlimit got;

	getrlimit(RLIMIT_AS, &got);
	printf("%llu %llu\n", (unsigned long long)got.rlim_cur, (unsigned long long)got.rlim_max);
	return 0;
}

/* The next program begins with the limit that this one set. */
static int exec_space(void)
{
	const struct rlimit want = {256u << 20, 300u << 20};

	if (setrlimit(RLIMIT_AS, &want))
		return 2;
	execl("/no/such/file", "none", NULL);
	if (thread(5))
		return 3;
	execl("/bin/sh", "sh", "-c", "ulimit -v", NULL);
	return 4;
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t handled;

static void handler(int sig)
{
	char here;

	(void)sig;
	calls(SITE_C, 10);
	handled += &here >= stack && &here < stack + sizeof(stack);
}

/* Handlers on their own stack, which interrupt probes and runtime at any point. */
static int altstack(void)
{
	struct itimerval t = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART};
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};
	unsigned n = 0;

	if (sigaltstack(&ss, NULL) || sigaction(SIGALRM, &sa, NULL))
		return 1;
	setitimer(ITIMER_REAL, &t, NULL);
	while (handled < 1000) {
		calls(SITE_A, 10);
		n += 10;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	printf("A=%u C=%u\n", n, 10 * (unsigned)handled);
	return 0;
}

/* Stays until its standard input ends. */
static int lingers(void)
{
	char c;

	calls(SITE_A, 10);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}

static int fills(void)
{
	for (int i = 0; i < 30; i++)
		if (thread(100))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} all[] = {
		{"clone_fork", clone_fork},
		{"syscall_clone", syscall_clone},
		{"syscall_fork", syscall_fork},
		{"clone_vm", clone_vm},
		{"spawn", spawn},
		{"vforked", vforked},
		{"exec_thread", exec_thread},
		{"once", once},
		{"daemonise", daemonise},
		{"quick", quick},
		{"aborts", aborts},
		{"leftovers", leftovers},
		{"files_gone", files_gone},
		{"few_files", few_files},
		{"in_chroot", in_chroot},
		{"in_chroot_closed", in_chroot_closed},
		{"other_user", other_user},
		{"little_space", little_space},
		{"print_space", print_space},
		{"exec_space", exec_space},
		{"altstack", altstack},
		{"lingers", lingers},
		{"fills", fills},
	};

	arguments = argv;
	for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(argv[1], all[i].name))
			return all[i].run();
	return 99;
}
