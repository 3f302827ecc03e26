/* SPDX-License-Identifier: MIT */
/*
 * sandbox HOW: calls and accesses before and behind a seccomp sandbox that
 * allows what this program needs and nothing else.  HOW: 0 strict mode, 1 a
 * filter by prctl(), 2 a filter by syscall(), 3 a filter that is refused, 4 no
 * clock register.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOW(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int table[4];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define STEP(n)                                                                                              \
	__attribute__((noinline)) static void step##n(int i)                                                 \
	{                                                                                                    \
		table[(i + n) & 3]++;                                                                        \
	}
STEP(0)
STEP(1) STEP(2) STEP(3)

	__attribute__((noinline)) static void steps(int i)
{
	step0(i);
	step1(i);
	step2(i);
	step3(i);
}

static int seal(int how)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_write),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_clone),
		ALLOW(SYS_wait4),
		ALLOW(SYS_set_robust_list),
		ALLOW(SYS_rt_sigprocmask), /* fork() of newer C libraries */
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog all = {sizeof(code) / sizeof(*code), code}, none = {0, code};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0) != -1 || errno != EFAULT)
		return 9;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 8;
	switch (how) {
	case 0:
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	case 1:
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
	case 2:
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &all);
	case 3:
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &none) == -1 && errno == EINVAL ? 0
													: 7;
	default:
		return prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	}
}

/* A child goes through the sandbox, too. */
static int child_fails(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		steps(1);
		_exit(5);
	}
	return child < 0 || waitpid(child, &status, 0) < 0 || WEXITSTATUS(status) != 5;
}

int main(int argc, char **argv)
{
	int how = argc > 1 ? atoi(argv[1]) : 0, bad;

	step0(1);
	bad = seal(how);
	if (bad)
		return bad;
	for (int i = 0; i < 3000; i++)
		steps(i);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	if (how && how < 3 && child_fails())
		return 6;
	if (write(1, "done\n", 5) != 5)
		return 5;
	if (!how)
		syscall(SYS_exit, 0);
	return 0;
}
