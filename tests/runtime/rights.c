/* SPDX-License-Identifier: MIT */
/*
 * rights SCENARIO: what a traced process that gave up its user, or was taken
 * over, can do to the others by the buffers that they share.  Each line of
 * the output is what was found.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perseus/record.h"
#include "perseus/trace.h"
#include "tests/runtime/probe.h"

#define OTHER 65534

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = 3, .unit_id = 0x7acf};

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}

static __attribute__((destructor(101))) void detach(void)
{
	if (__prs_detach)
		__prs_detach(&desc);
}

static void calls(uint32_t site, unsigned n)
{
	while (n--) {
		uint64_t token = probe_enter(&desc, site);

		__asm__ volatile("");
		probe_leave(&desc, site, token);
	}
}

/* The buffers, where a process has them; NULL: it has none. */
static struct prs_trace *shared(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long at = 0, from;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (!at && strstr(line, "memfd:perseus-trace") && sscanf(line, "%lx-", &from) == 1)
			at = from;
	if (f)
		fclose(f);
	return (struct prs_trace *)at;
}

static void *worker(void *site)
{
	calls((uint32_t)(uintptr_t)site, 1000);
	return NULL;
}

static void one_thread(uintptr_t site)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, worker, (void *)site))
		pthread_join(t, NULL);
}

/* ---- descriptors ------------------------------------------------------------------------ */

static int descriptors(void)
{
	calls(0, 100);
	fflush(stdout);
	return system("for fd in /proc/$PPID/fd/* /proc/$$/fd/*; do readlink $fd; done | grep -c perseus-trace");
}

/* ---- what others write into the shared pages ---------------------------------------------- */

#define RING (4u << 20)
static unsigned char precious[RING] __attribute__((aligned(4096)));

static uint32_t touched(const unsigned char *at, size_t bytes)
{
	uint32_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += at[i] != 0;
	return n;
}

/* The rings of the second slot would lie in our own memory. */
static int moved(void)
{
	struct prs_trace *h = shared();

	calls(0, 100);
	if (!h || h->ring_bytes != RING)
		return 2;
	h->rings = (uint64_t)(precious - (unsigned char *)h) - RING;
	h->ring_bytes = 1u << 30;
	h->slots = 1u << 20;
	one_thread(1);
	printf("touched %u\n", touched(precious, RING));
	h->rings = 0;
	return 0;
}

/* Its first record would go beyond the end of the ring. */
static int crooked(void)
{
	struct prs_trace *h = shared();
	struct prs_ring *rings = (struct prs_ring *)((unsigned char *)h + PRS_PAGE_BYTES);
	uint64_t first;

	calls(0, 100);
	if (!h)
		return 2;
	first = h->rings + 2 * h->ring_bytes;
	rings[1].head += h->ring_bytes - 1;
	rings[1].tail = rings[1].head;
	one_thread(1);
	printf("touched %u\n", touched((unsigned char *)h + first, 16));
	return 0;
}

/* ---- giving up ------------------------------------------------------------------------------ */

static void *endless(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
		calls(2, 100);
	return NULL;
}

/* With a thread that is being traced all the time. */
static void give_up(const char *how)
{
	int stop = 0;
	pthread_t t;

	calls(1, 100);
	pthread_create(&t, NULL, endless, &stop);
	usleep(20000);
	if (!strcmp(how, "resuid") && setresuid(OTHER, OTHER, OTHER))
		_exit(3);
	if (!strcmp(how, "reuid") && setreuid(OTHER, OTHER))
		_exit(3);
	if (!strcmp(how, "uid") && setuid(OTHER))
		_exit(3);
	if (!strcmp(how, "call") && (stop = 1, pthread_join(t, NULL), syscall(SYS_setresuid, OTHER, OTHER, OTHER)))
		_exit(3);
	if (!strcmp(how, "euid") && (seteuid(OTHER) || seteuid(0)))
		_exit(3);
	if (!strcmp(how, "saved") && setresuid(OTHER, OTHER, 0))
		_exit(3);
	usleep(20000);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	if (strcmp(how, "call"))
		pthread_join(t, NULL);
	calls(1, 100);
}

/* How the recorder's own descriptor can be had: FD:POLICY:INODE:PID. */
static int open_recorders(void)
{
	unsigned long fd, policy, inode, pid;
	char path[64];
	const char *text = getenv(PRS_ENV_TRACE);

	if (!text || sscanf(text, "%lu:%lu:%lu:%lu", &fd, &policy, &inode, &pid) != 4)
		return 0;
	snprintf(path, sizeof(path), "/proc/%lu/fd/%lu", pid, fd);
	return open(path, O_RDWR) < 0 ? errno : 0;
}

static int user(const char *how)
{
	int status = 0;
	pid_t child;

	calls(0, 100);
	fflush(stdout);
	child = fork();
	if (!child) {
		give_up(how);
		printf("mapped %d open %s\n", shared() != NULL, strerror(open_recorders()));
		fflush(stdout);
		calls(1, 100);
		_exit(0);
	}
	waitpid(child, &status, 0);
	calls(0, 100);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* A filter that allows everything: whoever asks for one locks himself in. */
static int sealed(void)
{
	struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog filter = {1, allow};
	int stop = 0;
	pthread_t t;

	calls(0, 100);
	pthread_create(&t, NULL, endless, &stop);
	usleep(20000);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 3;
	usleep(20000);
	printf("mapped %d\n", shared() != NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "descriptors"))
		return descriptors() < 0;
	if (!strcmp(what, "moved"))
		return moved();
	if (!strcmp(what, "crooked"))
		return crooked();
	if (!strcmp(what, "sealed"))
		return sealed();
	return user(what);
}
