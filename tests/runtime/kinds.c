/* SPDX-License-Identifier: MIT */
/*
 * kinds: a thread waits PAUSE ms in each way there is, for a partner who is
 * known; and the same calls when there is nothing to wait for.
 *
 *   kinds KIND        "waiter" is thread 1, its partner thread 0
 *   kinds KIND free   nobody has to wait
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime/asleep.h"
#include "tests/runtime/probe.h"

#define PAUSE 30

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = 4, .unit_id = 0x9a};

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}

static bool busy;   /* somebody has to wait */
static sem_t begun; /* the waiter is about to wait */
static pid_t waiter_tid;

/* Without a wait of its own: that would be one more. */
static void pass_time(void)
{
	struct timespec a, b;

	if (!busy)
		return;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		clock_gettime(CLOCK_MONOTONIC, &b);
		sched_yield();
	} while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < PAUSE);
}

static void fail(const char *what)
{
	fprintf(stderr, "kinds: %s: %s\n", what, strerror(errno));
	exit(9);
}

#define MUST(x)                                                                                              \
	do {                                                                                                 \
		if (!(x))                                                                                    \
			fail(#x);                                                                            \
	} while (0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static mtx_t mtx;
static cnd_t cnd;
static _Atomic unsigned word;
static int ready, in, out, listener;

/* ---- one function a side; prepare runs first, alone -------------------------------- */

static void mutex_prepare(void)
{
	if (busy)
		pthread_mutex_lock(&mutex);
}
static void mutex_wait(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}
static void mutex_release(void)
{
	if (busy)
		pthread_mutex_unlock(&mutex);
}

static void mtx_prepare(void)
{
	mtx_init(&mtx, mtx_timed);
	if (busy)
		mtx_lock(&mtx);
}
static void mtx_wait(void)
{
	struct timespec far;

	timespec_get(&far, TIME_UTC);
	far.tv_sec += 100;
	MUST(mtx_timedlock(&mtx, &far) == thrd_success);
	mtx_unlock(&mtx);
}
static void mtx_release(void)
{
	if (busy)
		mtx_unlock(&mtx);
}

static void cond_prepare(void)
{
	ready = !busy;
}
static void cond_wait(void)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
}
static void cond_release(void)
{
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_mutex_unlock(&mutex);
	pthread_cond_signal(&cond);
}

static void cnd_prepare(void)
{
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
	ready = !busy;
}
static void cnd_wait_(void)
{
	mtx_lock(&mtx);
	while (!ready)
		cnd_wait(&cnd, &mtx);
	mtx_unlock(&mtx);
}
static void cnd_release(void)
{
	mtx_lock(&mtx);
	ready = 1;
	mtx_unlock(&mtx);
	cnd_broadcast(&cnd);
}

static void rwlock_prepare(void)
{
	if (busy)
		pthread_rwlock_wrlock(&rwlock);
}
static void rwlock_wait(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}
static void rwlock_release(void)
{
	if (busy)
		pthread_rwlock_unlock(&rwlock);
}

static void spin_prepare(void)
{
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	if (busy)
		pthread_spin_lock(&spin);
}
static void spin_wait(void)
{
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
}
static void spin_release(void)
{
	if (busy)
		pthread_spin_unlock(&spin);
}

static void sem_prepare(void)
{
	sem_init(&sem, 0, !busy);
}
static void sem_wait_(void)
{
	errno = 77;
	MUST(!sem_wait(&sem) && errno == 77);
}
static void sem_release(void)
{
	sem_post(&sem);
}

static void barrier_prepare(void)
{
	pthread_barrier_init(&barrier, NULL, busy ? 2 : 1);
}
static void barrier_wait(void)
{
	pthread_barrier_wait(&barrier);
}
static void barrier_release(void)
{
	if (busy)
		pthread_barrier_wait(&barrier);
}

static long futex(int op, unsigned value, const struct timespec *limit)
{
	return syscall(SYS_futex, &word, op | FUTEX_PRIVATE_FLAG, value, limit, NULL, 0);
}
static void futex_prepare(void)
{
	word = !busy;
}
static void futex_wait(void)
{
	struct timespec brief = {0, 1};

	if (!busy) { /* the word is not 0: nobody waits, and nothing else changes either */
		errno = 0;
		MUST(futex(FUTEX_WAIT, 0, NULL) == -1 && errno == EAGAIN);
		errno = 77;
		MUST(futex(FUTEX_WAKE, 1, NULL) == 0 && errno == 77);
		MUST(syscall(SYS_futex, 1, FUTEX_WAIT, 0, NULL, NULL, 0) == -1 && errno == EINVAL);
		return;
	}
	while (!word)
		MUST(!futex(FUTEX_WAIT, 0, NULL) || errno == EAGAIN);
	MUST(futex(FUTEX_WAIT, 1, &brief) == -1 && errno == ETIMEDOUT);
}
static void futex_release(void)
{
	word = 1;
	futex(FUTEX_WAKE, 1, NULL);
}

static void pipe_prepare(void)
{
	int fd[2];

	MUST(!pipe(fd));
	in = fd[0];
	out = fd[1];
	if (!busy)
		MUST(write(out, "x", 1) == 1);
}
static void pipe_wait(void)
{
	char c;

	errno = 77;
	MUST(read(in, &c, 1) == 1 && c == 'x' && errno == 77);
}
static void pipe_release(void)
{
	if (busy)
		MUST(write(out, "x", 1) == 1);
}

static void full_prepare(void)
{
	char fill[4096] = {0};

	pipe_prepare();
	MUST(!fcntl(out, F_SETFL, O_NONBLOCK));
	while (busy && write(out, fill, sizeof(fill)) > 0)
		;
	MUST(!fcntl(out, F_SETFL, 0));
}
static void full_wait(void)
{
	struct iovec v = {"y", 1};

	MUST(writev(out, &v, 1) == 1);
}
static void full_release(void)
{
	char space[65536];

	if (busy)
		MUST(read(in, space, sizeof(space)) > 0);
}

/* Never a wait, however long it takes: the descriptor does not block. */
static void nonblock_prepare(void)
{
	pipe_prepare();
	MUST(!fcntl(in, F_SETFL, O_NONBLOCK));
}
static void nonblock_wait(void)
{
	char c;

	while (read(in, &c, 1) != 1)
		MUST(errno == EAGAIN);
}

static void event_prepare(void)
{
	in = out = eventfd(!busy, 0);
	MUST(in >= 0);
}
static void event_wait(void)
{
	uint64_t n;

	MUST(read(in, &n, sizeof(n)) == sizeof(n));
}
static void event_release(void)
{
	uint64_t one = 1;

	if (busy)
		MUST(write(out, &one, sizeof(one)) == sizeof(one));
}

static void poll_wait(void)
{
	struct pollfd p = {.fd = in, .events = POLLIN};

	MUST(poll(&p, 1, 0) == !busy);
	MUST(poll(&p, 1, -1) == 1 && p.revents & POLLIN);
}
static void select_wait(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(in, &set);
	MUST(select(in + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(in, &set));
}
static void epoll_wait_(void)
{
	struct epoll_event e = {.events = EPOLLIN};
	int ep = epoll_create1(0);

	MUST(ep >= 0 && !epoll_ctl(ep, EPOLL_CTL_ADD, in, &e));
	MUST(epoll_wait(ep, &e, 1, -1) == 1);
}

static void socket_prepare(void)
{
	int fd[2];

	MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	in = fd[0];
	out = fd[1];
	if (!busy)
		MUST(send(out, "x", 1, 0) == 1);
}
static void socket_wait(void)
{
	char c;

	MUST(recv(in, &c, 1, MSG_DONTWAIT) == (busy ? -1 : 1));
	if (busy)
		MUST(recv(in, &c, 1, 0) == 1);
}
static void socket_release(void)
{
	if (busy)
		MUST(send(out, "x", 1, 0) == 1);
}

static struct sockaddr_in address;
static void dial(void)
{
	out = socket(AF_INET, SOCK_STREAM, 0);
	MUST(out >= 0 && !connect(out, (struct sockaddr *)&address, sizeof(address)));
}
static void accept_prepare(void)
{
	socklen_t len = sizeof(address);

	address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	MUST(listener >= 0 && !bind(listener, (struct sockaddr *)&address, len) && !listen(listener, 1));
	MUST(!getsockname(listener, (struct sockaddr *)&address, &len));
	if (!busy)
		dial();
}
static void accept_wait(void)
{
	MUST(accept(listener, NULL, NULL) >= 0);
}
static void accept_release(void)
{
	if (busy)
		dial();
}

static pid_t child;
static int child_end[2]; /* the child ends when the other end is closed */
static void child_prepare(void)
{
	siginfo_t info;
	char c;

	MUST(!pipe(child_end));
	child = fork();
	MUST(child >= 0);
	if (!child) {
		syscall(SYS_close, child_end[1]);
		if (busy)
			(void)!syscall(SYS_read, child_end[0], &c, 1);
		_exit(3);
	}
	if (!busy)
		waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
}
static void child_release(void)
{
	syscall(SYS_close, child_end[1]);
}
static void child_wait(void)
{
	int status;

	MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
}

static void signal_prepare(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}
static void signal_wait(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (busy)
		MUST(!sigwait(&set, &sig) && sig == SIGUSR1);
}
static void signal_release(void)
{
	if (busy)
		kill(getpid(), SIGUSR1);
}

static void nothing(void)
{
}
static void nap(void)
{
	struct timespec t = {0, PAUSE * 1000000};

	if (busy)
		thrd_sleep(&t, NULL);
}

static const struct kind {
	const char *name;
	void (*prepare)(void), (*wait)(void), (*release)(void);
} kinds[] = {
	{"mutex", mutex_prepare, mutex_wait, mutex_release},
	{"mtx", mtx_prepare, mtx_wait, mtx_release},
	{"cond", cond_prepare, cond_wait, cond_release},
	{"cnd", cnd_prepare, cnd_wait_, cnd_release},
	{"rwlock", rwlock_prepare, rwlock_wait, rwlock_release},
	{"spin", spin_prepare, spin_wait, spin_release},
	{"sem", sem_prepare, sem_wait_, sem_release},
	{"barrier", barrier_prepare, barrier_wait, barrier_release},
	{"futex", futex_prepare, futex_wait, futex_release},
	{"pipe", pipe_prepare, pipe_wait, pipe_release},
	{"full", full_prepare, full_wait, full_release},
	{"nonblock", nonblock_prepare, nonblock_wait, pipe_release},
	{"event", event_prepare, event_wait, event_release},
	{"poll", pipe_prepare, poll_wait, pipe_release},
	{"select", pipe_prepare, select_wait, pipe_release},
	{"epoll", pipe_prepare, epoll_wait_, pipe_release},
	{"socket", socket_prepare, socket_wait, socket_release},
	{"accept", accept_prepare, accept_wait, accept_release},
	{"child", child_prepare, child_wait, child_release},
	{"signal", signal_prepare, signal_wait, signal_release},
	{"sleep", nothing, nap, nothing},
};

/* It sleeps, or takes CPU time at a spin lock: in both cases it waits; or it has ended without. */
static void until_it_waits(pthread_t id)
{
	struct timespec first, now = {0};
	clockid_t clock;
	char state;

	if (pthread_getcpuclockid(id, &clock) || clock_gettime(clock, &first))
		return;
	do {
		sched_yield();
		state = thread_state(waiter_tid);
	} while (state != 'S' && state != '?' && !clock_gettime(clock, &now) &&
		 (now.tv_sec - first.tv_sec) * 1000000000 + now.tv_nsec - first.tv_nsec < 5000000);
}

static void *waiter(void *arg)
{
	const struct kind *k = arg;

	i_am(&waiter_tid);
	MUST(!sem_post(&begun));
	k->wait();
	return arg;
}

/* ---- other things ---------------------------------------------------------------------- */

/* The thread holds the mutex for PAUSE ms, the first three times, and nobody wants it. */
static int hold(void)
{
	for (int i = 0; i < 3 * 32; i++) {
		pthread_mutex_lock(&mutex);
		if (i < 3)
			pass_time();
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}

/* More mutexes than a thread may keep apart. */
static int many(void)
{
	static pthread_mutex_t all[5000];

	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 5000; i++) {
			pthread_mutex_lock(&all[i]);
			pthread_mutex_unlock(&all[i]);
		}
	return 0;
}

/* More posts than there is room for events. */
static int posts(void)
{
	sem_init(&sem, 0, 0);
	for (int i = 0; i < 200000; i++) {
		sem_post(&sem);
		sem_wait(&sem);
	}
	return 0;
}

/* Exit with a thread that waits. */
static void *forever(void *arg)
{
	i_am(&waiter_tid);
	sem_post(&begun);
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	return arg;
}
static int open_end(void)
{
	pthread_t id;

	MUST(!pthread_create(&id, NULL, forever, NULL));
	sem_wait(&begun);
	until_asleep(&waiter_tid);
	pass_time();
	return 0;
}

/* A handler that posts and locks while the thread does. */
static pthread_mutex_t handlers = PTHREAD_MUTEX_INITIALIZER;
static void on_alarm(int sig)
{
	(void)sig;
	pthread_mutex_lock(&handlers);
	pthread_mutex_unlock(&handlers);
	sem_post(&sem);
}
static int storm(void)
{
	static pthread_mutex_t some[64];
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
	struct itimerspec every = {{0, 50000}, {0, 50000}};
	int value;
	timer_t timer;

	sem_init(&sem, 0, 0);
	sigaction(SIGUSR2, &sa, NULL);
	MUST(!timer_create(CLOCK_MONOTONIC, &ev, &timer) && !timer_settime(timer, 0, &every, NULL));
	for (int i = 0; i < 300000; i++) {
		pthread_mutex_lock(&some[i % 64]);
		pthread_mutex_unlock(&some[i % 64]);
	}
	timer_delete(timer);
	sem_getvalue(&sem, &value);
	printf("handled=%d\n", value);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t id;

	busy = argc < 3 || strcmp(argv[2], "free");
	sem_init(&begun, 0, 0);
	if (!strcmp(what, "hold"))
		return hold();
	if (!strcmp(what, "many"))
		return many();
	if (!strcmp(what, "posts"))
		return posts();
	if (!strcmp(what, "open"))
		return open_end();
	if (!strcmp(what, "storm"))
		return storm();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(what, kinds[i].name))
			continue;
		kinds[i].prepare();
		MUST(!pthread_create(&id, NULL, waiter, (void *)&kinds[i]));
		MUST(!sem_wait(&begun));
		if (busy)
			until_it_waits(id);
		pass_time();
		kinds[i].release();
		MUST(!pthread_join(id, NULL));
		return 0;
	}
	return 2;
}
