/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct fake fake;
struct perseus_status perseus_status;
char fake_plan[65];

#define MAX_CASES 256
static struct {
	const char *name;
	void (*run)(void);
} cases[MAX_CASES];
static int n_cases;
static int failed;
static const char *current;

/* ---- judging ---- */

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fake.logged +=
		(size_t)vsnprintf(fake.log + fake.logged, sizeof(fake.log) - fake.logged, format, args);
	va_end(args);
	if (fake.logged >= sizeof(fake.log))
		abort();
}

void check(const char *file, int line, const char *what, int good)
{
	if (good)
		return;
	failed = 1;
	printf("failed: %s: %s:%d: %s\n", current, file, line, what);
}

void log_forget(void)
{
	fake.logged = 0;
	fake.log[0] = '\0';
}

/* From where two logs part, the line of each. */
static void show_difference(const char *want, const char *got)
{
	size_t at = 0;

	for (size_t i = 0; want[i] && want[i] == got[i]; i++)
		if (want[i] == '\n')
			at = i + 1;
	printf("failed: %s: wanted `%.*s`, got `%.*s`\n", current, (int)strcspn(want + at, "\n"), want + at,
	       (int)strcspn(got + at, "\n"), got + at);
}

void log_is(const char *file, int line, const char *format, ...)
{
	static char want[1 << 18];
	va_list args;

	va_start(args, format);
	vsnprintf(want, sizeof(want), format, args);
	va_end(args);
	check(file, line, "the calls of the system", !strcmp(want, fake.log));
	if (strcmp(want, fake.log))
		show_difference(want, fake.log);
	log_forget();
}

void add_case(const char *name, void (*run)(void))
{
	if (n_cases == MAX_CASES)
		abort();
	cases[n_cases].name = name;
	cases[n_cases++].run = run;
}

/* 1 if it failed, 2 if it was ended by a signal: then the rest is not run, or a loop without end would be met in each. */
static int run_case(int i)
{
	struct rlimit cpu = {5, 5};
	int status;
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_CPU, &cpu);
		alarm(120);
		current = cases[i].name;
		planned_machine();
		cases[i].run();
		fflush(stdout);
		exit(failed);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 2;
	if (WIFEXITED(status))
		return status != 0;
	printf("failed: %s: ended by signal %d\n", cases[i].name, WTERMSIG(status));
	return 2;
}

int main(void)
{
	int bad = 0, how = 0;

	for (int i = 0; i < n_cases && how < 2; i++) {
		fflush(stdout);
		how = run_case(i);
		bad += how > 0;
	}
	printf("%d cases, %d failed\n", n_cases, bad);
	return bad > 0 || !n_cases;
}

/* Every call may leave errno as it likes. */
static void spoil(void)
{
	errno = EDOM;
}

static int ends(int error)
{
	errno = error ? error : EDOM;
	return error ? -1 : 0;
}

/* ---- files ---- */

struct fake_file *find_file(const char *path)
{
	for (int i = 0; i < fake.files; i++)
		if (!strcmp(fake.file[i].path, path))
			return &fake.file[i];
	return NULL;
}

struct fake_file *put_file(const char *path, const char *text)
{
	struct fake_file *f = find_file(path);

	if (!f) {
		if (fake.files == FILES)
			abort();
		f = &fake.file[fake.files++];
	}
	memset(f, 0, sizeof(*f));
	snprintf(f->path, sizeof(f->path), "%s", path);
	f->n = strlen(text);
	memcpy(f->text, text, f->n);
	return f;
}

static int last_opened;

int fake_open(const char *path, int flags, ...);
int fake_open(const char *path, int flags, ...)
{
	struct fake_file *f = find_file(path);

	note("open %s 0x%x\n", path, (unsigned)flags);
	if (!strcmp(path, PRS_CTL_DEVICE) && fake.device) {
		spoil();
		return fake.from_nought ? 0 : 200;
	}
	if (ends(!f ? ENOENT : f->open_error))
		return -1;
	last_opened = (int)(f - fake.file);
	return fake.from_nought ? 0 : 1000 + last_opened;
}

static struct fake_file *file_at(int fd)
{
	return &fake.file[fd ? fd - 1000 : last_opened];
}

ssize_t fake_read(int fd, void *buffer, size_t bytes);
ssize_t fake_read(int fd, void *buffer, size_t bytes)
{
	struct fake_file *f = file_at(fd);
	const char *text = f->waits > 0 ? f->before : f->text;
	size_t n = f->waits > 0 ? strlen(f->before) : f->n;

	note("read %zu\n", bytes);
	if (ends(f->read_error))
		return -1;
	f->waits -= f->waits > 0;
	n = n < bytes ? n : bytes;
	memcpy(buffer, text, n);
	return (ssize_t)n;
}

ssize_t fake_write(int fd, const void *buffer, size_t bytes);
ssize_t fake_write(int fd, const void *buffer, size_t bytes)
{
	struct fake_file *f = file_at(fd);
	size_t line = bytes;

	note("write %.*s %zu\n",
	     (int)strcspn(buffer, "\n") < (int)bytes ? (int)strcspn(buffer, "\n") : (int)bytes,
	     (const char *)buffer, bytes);
	if (ends(f->write_error))
		return -1;
	if (!f->sticky) {
		snprintf(f->before, sizeof(f->before), "%.*s", (int)f->n, f->text);
		f->waits = f->late;
		memcpy(f->text, buffer, bytes);
		if (!bytes || f->text[bytes - 1] != '\n')
			f->text[line++] = '\n';
		f->n = line;
	}
	return (ssize_t)bytes - f->cut;
}

int fake_close(int fd);
int fake_close(int fd)
{
	note(fd >= 1000 ? "close\n" : "close %d\n", fd);
	spoil();
	return 0;
}

int fake_access(const char *path, int mode);
int fake_access(const char *path, int mode)
{
	note("access %s %d\n", path, mode);
	return ends(find_file(path) ? 0 : ENOENT);
}

int fake_poll(void *files, unsigned long n, int ms);
int fake_poll(void *files, unsigned long n, int ms)
{
	note("wait %d%s\n", ms, files || n ? " for something" : "");
	spoil();
	return 0;
}

/* ---- the machine ---- */

long fake_sysconf(int name);
long fake_sysconf(int name)
{
	note("sysconf %s\n", name == _SC_NPROCESSORS_ONLN ? "online" : "?");
	spoil();
	return fake.online;
}

pid_t fake_getpid(void);
pid_t fake_getpid(void)
{
	return fake.pid;
}

pid_t fake_gettid(void);
pid_t fake_gettid(void)
{
	return fake.tid;
}

cpu_set_t cores(int first, ...)
{
	cpu_set_t mask;
	va_list args;

	CPU_ZERO(&mask);
	va_start(args, first);
	for (int c = first; c >= 0; c = va_arg(args, int))
		CPU_SET(c, &mask);
	va_end(args);
	return mask;
}

const char *cores_text(const cpu_set_t *mask)
{
	static char text[4][8192];
	static int turn;
	char *out = text[turn++ % 4];
	size_t n = 0;

	out[0] = '\0';
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, mask))
			n += (size_t)snprintf(out + n, 8192 - n, "%s%d", n ? "," : "", c);
	return out;
}

int fake_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *mask);
int fake_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *mask)
{
	note("get %d%s\n", pid, bytes == sizeof(*mask) ? "" : " of another size");
	if (ends(fake.get_error))
		return -1;
	*mask = fake.mask;
	return fake.get_answer;
}

int fake_sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *mask);
int fake_sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *mask)
{
	note("set %d %s%s\n", pid, cores_text(mask), bytes == sizeof(*mask) ? "" : " of another size");
	if (ends(fake.set_error))
		return -1;
	if (!fake.set_ignored)
		fake.mask = *mask;
	return 0;
}

int fake_atexit(void (*function)(void));
int fake_atexit(void (*function)(void))
{
	note("atexit\n");
	fake.at_exit = function;
	spoil();
	return fake.atexit_error;
}

int fake_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int fake_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	note("atfork%s\n", prepare || parent || !child ? " with other handlers" : "");
	fake.in_child = child;
	spoil();
	return fake.atfork_error;
}

int fake_pthread_setcancelstate(int state, int *before);
int fake_pthread_setcancelstate(int state, int *before)
{
	note("cancel %d\n", state);
	*before = fake.cancel;
	fake.cancel = state;
	spoil();
	return 0;
}

int fake_pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
int fake_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	int all = sigismember(set, SIGALRM) && sigismember(set, SIGUSR1) && sigismember(set, SIGPROF) &&
		  sigismember(set, SIGTERM);
	int back = sigismember(set, SIGWINCH) && !sigismember(set, SIGUSR1) && !sigismember(set, SIGALRM);

	note("mask %s%s\n", all ? "all" : back ? "back" : "?", how == SIG_SETMASK ? "" : " not set");
	if (before) {
		sigemptyset(before);
		sigaddset(before, SIGWINCH);
	}
	spoil();
	return 0;
}

/* ---- perseusd ---- */

struct fake_reply *put_reply(uint32_t status)
{
	struct fake_reply *r = &fake.answer[fake.answers++];

	if (fake.answers == REPLIES)
		abort();
	*r = (struct fake_reply){.bytes = -1, .magic = -1, .op = -1, .tag = -1, .version = -1};
	r->reply.status = status;
	return r;
}

int fake_socket(int family, int type, int protocol);
int fake_socket(int family, int type, int protocol)
{
	note("socket%s\n", family == AF_UNIX && type == (SOCK_SEQPACKET | SOCK_CLOEXEC) && !protocol
				   ? ""
				   : " of another kind");
	return ends(fake.socket_error) ? -1 : fake.from_nought ? 0 : 100;
}

int fake_setsockopt(int fd, int level, int name, const void *value, socklen_t bytes);
int fake_setsockopt(int fd, int level, int name, const void *value, socklen_t bytes)
{
	const struct timeval *t = value;

	note("%s %d %d %ld.%06ld%s\n",
	     name == SO_RCVTIMEO   ? "receive"
	     : name == SO_SNDTIMEO ? "send"
				   : "?",
	     fd, level == SOL_SOCKET, (long)t->tv_sec, (long)t->tv_usec,
	     bytes == sizeof(*t) ? "" : " of another size");
	return ends(fake.option_error[name == SO_SNDTIMEO]);
}

int fake_connect(int fd, const struct sockaddr *address, socklen_t bytes);
int fake_connect(int fd, const struct sockaddr *address, socklen_t bytes)
{
	const struct sockaddr_un *a = (const void *)address;

	note("connect %d %s%s\n", fd, a->sun_path,
	     a->sun_family == AF_UNIX && bytes == sizeof(*a) ? "" : " of another kind");
	for (size_t i = sizeof(PRS_CTL_SOCKET); i < sizeof(a->sun_path); i++)
		CHECK(!a->sun_path[i]);
	return ends(fake.connect_error);
}

ssize_t fake_send(int fd, const void *message, size_t bytes, int flags);
ssize_t fake_send(int fd, const void *message, size_t bytes, int flags)
{
	struct prs_ctl_request *r = &fake.request[fake.requests];

	note("send %d%s\n", fd, bytes == sizeof(*r) && flags == MSG_NOSIGNAL ? "" : " otherwise");
	if (ends(fake.send_error[fake.sends++]))
		return -1;
	memcpy(r, message, sizeof(*r));
	fake.requests++;
	return fake.sent_bytes ? fake.sent_bytes : (ssize_t)bytes;
}

ssize_t fake_recv(int fd, void *message, size_t bytes, int flags);
ssize_t fake_recv(int fd, void *message, size_t bytes, int flags)
{
	struct fake_reply *a = &fake.answer[fake.given];
	struct prs_ctl_reply *r = &a->reply;
	const struct prs_ctl_request *q = &fake.request[fake.requests ? fake.requests - 1 : 0];

	note("recv %d%s\n", fd, bytes == sizeof(*r) && flags == MSG_TRUNC ? "" : " otherwise");
	if (fake.given == fake.answers)
		return ends(EAGAIN);
	fake.given++;
	if (ends(a->error))
		return -1;
	r->magic = a->magic < 0 ? PRS_CTL_MAGIC : (uint32_t)a->magic;
	r->version = a->version < 0 ? PRS_CTL_VERSION : (uint16_t)a->version;
	r->op = a->op < 0 ? q->op : (uint16_t)a->op;
	r->tag = a->tag < 0 ? q->tag : (uint32_t)a->tag;
	memcpy(message, r, a->bytes < 0 ? sizeof(*r) : 0);
	return a->bytes < 0 ? (ssize_t)sizeof(*r) : a->bytes;
}

/* ---- /dev/perseus ---- */

static int all_zero(const uint32_t *at, int n)
{
	for (int i = 0; i < n; i++)
		if (at[i])
			return 0;
	return 1;
}

int fake_ioctl(int fd, unsigned long request, ...);
int fake_ioctl(int fd, unsigned long request, ...)
{
	struct prs_ctl_caps *caps;
	struct prs_ctl_hold *hold;
	va_list args;

	va_start(args, request);
	if (request == PRS_CTL_IOC_CAPS) {
		caps = va_arg(args, struct prs_ctl_caps *);
		note("caps %d %u%s\n", fd, caps->version, all_zero(&caps->policies, 7) ? "" : " and more");
		caps->version = fake.caps_version;
		va_end(args);
		return ends(fake.caps_error);
	}
	hold = va_arg(args, struct prs_ctl_hold *);
	va_end(args);
	note("%s %d %u %u %u %u%s\n", request == PRS_CTL_IOC_HOLD ? "hold" : "?", fd, hold->version,
	     hold->cpu, hold->min_khz, hold->max_khz, all_zero(&hold->granted_min_khz, 8) ? "" : " and more");
	hold->policy_min_khz = fake.policy_min ? fake.policy_min : hold->min_khz;
	hold->policy_max_khz = fake.policy_max ? fake.policy_max : hold->max_khz;
	return ends(fake.hold_error);
}

/* ---- threads ---- */

int fake_pthread_mutex_lock(pthread_mutex_t *lock);
int fake_pthread_mutex_lock(pthread_mutex_t *lock)
{
	if (fake.lock_error >= 0)
		note("lock\n");
	return fake.lock_error > 0 ? fake.lock_error : fake.lock_error < 0 ? pthread_mutex_lock(lock) : 0;
}

int fake_pthread_mutex_unlock(pthread_mutex_t *lock);
int fake_pthread_mutex_unlock(pthread_mutex_t *lock)
{
	if (fake.lock_error >= 0)
		note("unlock\n");
	return fake.lock_error < 0 ? pthread_mutex_unlock(lock) : 0;
}

struct put_off {
	void *(*start)(void *);
	void *argument;
};
static struct put_off put_off[256];

void *user_start(void *argument)
{
	note("user %s\n", (const char *)argument);
	return argument;
}

static void run(const struct put_off *p)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, p->start, p->argument) || pthread_join(thread, &fake.returned))
		abort();
}

void fake_run(int which)
{
	run(&put_off[which]);
}

int fake_system_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		       void *argument);
int fake_system_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		       void *argument)
{
	const char *whose = !attributes ? "none" : attributes == (void *)0x40 ? "the user's" : "own";
	int error = fake.create_error[fake.creates % 4];

	note("create %s, %s%s%s\n", whose, start == user_start ? "the user's " : "ours",
	     start == user_start ? (const char *)argument : "",
	     thread == (void *)0x80 ? "" : ", another thread");
	put_off[fake.creates % 256] = (struct put_off){start, argument};
	fake.creates++;
	spoil();
	if (!error && !fake.later)
		run(&(struct put_off){start, argument});
	return error;
}

void *fake_dlsym(void *from, const char *name);
void *fake_dlsym(void *from, const char *name)
{
	union {
		int (*function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
		void *object;
	} u = {.function = fake_system_create};

	if (from != RTLD_NEXT || strcmp(name, "pthread_create"))
		note("dlsym %s\n", name);
	spoil();
	return fake.no_creator ? NULL : u.object;
}

int fake_pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int fake_pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	note("key%s\n", destructor ? " with destructor" : "");
	return fake.key_error ? fake.key_error : pthread_key_create(key, NULL);
}

int fake_pthread_setspecific(pthread_key_t key, const void *value);
int fake_pthread_setspecific(pthread_key_t key, const void *value)
{
	return fake.specific_error ? fake.specific_error : pthread_setspecific(key, value);
}

/* ---- the triggers ---- */

uint32_t perseus_creation_take(void)
{
	note("take\n");
	spoil();
	return fake.child;
}

void perseus_creation_undo(void)
{
	note("undo\n");
	spoil();
}

void perseus_thread_enter(uint32_t instance)
{
	note("enter %u\n", instance);
}

uint32_t perseus_recheck(void);
uint32_t perseus_recheck(void)
{
	note("recheck\n");
	spoil();
	return 0;
}

/* ---- a machine that the plan is for ---- */

/* What a function finds in variables that it did not set is seldom 0 in a program that has run for a while. */
__attribute__((noinline)) void dirty_stack(void)
{
	volatile char stack[8192];

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = 0x5a;
}

void planned_machine(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.online = CORES;
	fake.pid = fake.tid = PID;
	fake.mask = cores(1, 2, 3, CPU_SETSIZE - 1, -1);
	fake.caps_version = PRS_CTL_VERSION;
	fake.socket_error = EMFILE;
	fake.child = PERSEUS_NO_THREAD;
	memcpy(fake_plan, PLAN, sizeof(fake_plan));
#ifdef CPU_NAME
	put_file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: " CPU_NAME "\nflags\t: fpu\n");
#endif
}

void started(void)
{
	CHECK(perseus_platform_start() == PERSEUS_SET);
	log_forget();
}
