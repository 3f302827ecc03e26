// SPDX-License-Identifier: MIT
/*
 * Threads: a thread item each, until there are DEN_OWN; from then on a thread
 * goes on with the item and the tables of an ended one of the same start
 * routine.  Nothing is added up and nothing emptied, so a kill finds no moment
 * at which something is missing or there twice.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/denormal/den.h"

#define FTZ    0x8000u
#define DAZ    0x40u
#define DE     2u
#define ROUNDS 2 /* destructors of the program may compute as well */

static __thread struct den_self *self;
static __thread struct beginning {
	uint64_t routine, top, bytes;
	uint32_t creator, mxcsr; /* mxcsr: as its start routine began */
} begun;
static __thread bool over; /* the thread has ended; what it still counts is lost */

static pthread_key_t key;
static bool have_key;

static uint32_t get_mxcsr(void)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
}

static void set_mxcsr(uint32_t mxcsr)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

void den_calm(struct den_self *s)
{
	uint32_t mxcsr = get_mxcsr();

	if (!(mxcsr & DE))
		return;
	s->calmed = true;
	set_mxcsr(mxcsr & ~DE);
}

bool den_flush_is_new(const struct den_self *s)
{
	return get_mxcsr() & (FTZ | DAZ) && !(s->item->mxcsr_seen & (FTZ | DAZ));
}

static void look(struct den_self *s, uint64_t address)
{
	uint32_t mxcsr = get_mxcsr(), before = s->item->mxcsr_seen;

	s->item->mxcsr_seen = before | mxcsr;
	if (!(mxcsr & (FTZ | DAZ)) || (before & (FTZ | DAZ)))
		return;
	struct prs_den_note *n = den_take(PRS_DEN_ITEM_NOTE, sizeof(*n));

	if (!n)
		return;
	n->kind = PRS_DEN_NOTE_FTZ;
	n->thread = s->number;
	n->value = mxcsr & (FTZ | DAZ);
	n->count = 1;
	n->address = address;
	den_publish(n);
}

void den_look(struct den_self *s, uint64_t address)
{
	sigset_t old;

	if (!(get_mxcsr() & ~s->item->mxcsr_seen))
		return;
	den_lock(&old);
	look(s, address);
	den_unlock(&old);
}

static void place_stack(struct den_self *s)
{
	struct rlimit limit;
	uint64_t here = (uint64_t)__builtin_frame_address(0), bytes = begun.bytes;

	if (!bytes && !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		bytes = limit.rlim_cur;
	if (!bytes)
		bytes = 8 << 20;
	s->stack_top = begun.top > here ? begun.top : (here | 0xffff) + 1;
	s->stack_low = s->stack_top > bytes ? s->stack_top - bytes : 0;
}

static struct den_self *ended_one(void)
{
	unsigned n = 0;
	struct den_self *found = NULL;

	for (struct den_self *s = den.threads; s; s = s->next) {
		n++;
		if (s->ended && s->start == begun.routine)
			found = s;
	}
	return n >= DEN_OWN ? found : NULL;
}

static struct den_self *new_one(void)
{
	struct den_self *s = den_alloc(&den.arena, sizeof(*s));
	struct prs_den_thread *t = s ? den_take(PRS_DEN_ITEM_THREAD, sizeof(*t)) : NULL;

	if (!t)
		return NULL;
	s->item = t;
	s->number = t->item.number;
	s->start = t->start = begun.routine;
	s->stack_object = DEN_NONE;
	t->begin_ns = den_now();
	t->creator = begun.creator;
	t->mxcsr = begun.routine ? begun.mxcsr : get_mxcsr();
	return s;
}

/* Under the lock. */
static struct den_self *begin(uint64_t address)
{
	struct den_self *s = ended_one();
	bool is_new = !s;

	if (is_new)
		s = new_one();
	if (!s)
		return NULL;
	s->ended = false;
	s->rounds = 0;
	place_stack(s);
	s->item->tid = (uint32_t)syscall(SYS_gettid);
	s->item->threads++;
	s->item->end_ns = 0;
	prctl(PR_GET_NAME, s->item->name);
	if (is_new) {
		den_publish(s->item);
		s->next = den.threads;
		den.threads = s;
	}
	look(s, address);
	self = s;
	return s;
}

bool den_thread_is_new(void)
{
	return !self;
}

struct den_self *den_self(void)
{
	return den_self_at(0);
}

struct den_self *den_self_at(uint64_t address)
{
	struct den_self *s = self;
	sigset_t old;

	if (s || over || !den.wanted)
		return s;
	den_lock(&old);
	if (!den.open)
		den.wanted = den.open = den_file_open(den.dir);
	s = self || !den.open ? self : begin(address);
	den_unlock(&old);
	if (s && have_key)
		pthread_setspecific(key, s);
	if (s && den.begins)
		den.begins(s);
	return s;
}

void den_tables_close(struct den_self *s)
{
	for (struct den_table *t = s->tables; t; t = t->next)
		t->pointer = NULL;
}

/* Thread-local variables of a module that is still there go back to NULL; of others the memory is gone. */
static int close_pointers(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct den_self *s = arg;
	uint64_t from = (uint64_t)info->dlpi_tls_data, bytes = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			bytes = info->dlpi_phdr[i].p_memsz;
	for (struct den_table *t = s->tables; t && from && bytes; t = t->next)
		if ((uint64_t)t->pointer - from < bytes) {
			*t->pointer = NULL;
			t->pointer = NULL;
		}
	return 0;
}

void den_thread_end(void)
{
	struct den_self *s = self;
	sigset_t old;

	if (!s)
		return;
	if (den.ends)
		den.ends(s);
	dl_iterate_phdr(close_pointers, s);
	den_tables_close(s);
	den_lock(&old);
	if (s->calmed)
		set_mxcsr(get_mxcsr() | DE);
	look(s, 0);
	prctl(PR_GET_NAME, s->item->name);
	s->item->end_ns = den_now();
	if (s->here)
		*s->here = NULL;
	s->here = NULL;
	self = NULL;
	over = true;
	s->ended = true;
	den_unlock(&old);
}

static void at_end(void *arg)
{
	struct den_self *s = arg;

	if (s->rounds++ < ROUNDS && !pthread_setspecific(key, s))
		return;
	den_thread_end();
}

void den_threads_fork(void)
{
	for (struct den_self *s = den.threads; s; s = s->next) {
		s->item->tid = (uint32_t)getpid();
		if (s == self)
			continue;
		if (!s->item->end_ns)
			s->item->end_ns = den_now();
		den_tables_close(s);
		s->ended = true;
	}
}

/* ---- start routines ---- */

struct package {
	void *(*routine)(void *);
	void *arg;
	uint64_t bytes;
	uint32_t creator;
};

static void *run(void *arg)
{
	struct package p = *(struct package *)arg;

	munmap(arg, sizeof(struct package));
	begun.routine = (uint64_t)p.routine;
	begun.creator = p.creator;
	begun.top = (uint64_t)__builtin_frame_address(0) + 4096;
	begun.bytes = p.bytes;
	begun.mxcsr = get_mxcsr();
	if (den.begins)
		den_self();
	return p.routine(p.arg);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static create_fn *next_create(void)
{
	static create_fn *real;

	if (!real)
		real = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
	return real;
}

DEN_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
			      void *arg)
{
	struct package *p = MAP_FAILED;
	size_t bytes = 0;
	int ret;

	if (den.wanted)
		p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return next_create()(thread, attr, routine, arg);
	if (attr)
		pthread_attr_getstacksize(attr, &bytes);
	*p = (struct package){routine, arg, bytes, self ? self->number : DEN_NONE};
	ret = next_create()(thread, attr, run, p);
	if (ret)
		munmap(p, sizeof(*p));
	return ret;
}

__attribute__((constructor)) static void main_thread(void)
{
	begun.creator = DEN_NONE;
	begun.top = (uint64_t)environ;
	next_create();
	have_key = !pthread_key_create(&key, at_end);
}
