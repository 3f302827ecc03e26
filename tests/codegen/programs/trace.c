/* SPDX-License-Identifier: MIT */
/*
 * In the place of perseus_triggers.o: each function notes its name.  At the
 * end of the program, one line a thread: its path (creator's path, number of
 * the creation there), then the names in the order of the calls.  -DFUNCTIONS
 * names a file with a line T(name) for each function.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 256
#define BYTES   65536

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct thread {
	char path[64], log[BYTES];
	size_t len;
	unsigned children;
	void *(*start)(void *);
	void *arg;
};

static struct thread threads[THREADS];
static unsigned n_threads;
static __thread struct thread *self;

static struct thread *me(void)
{
	if (!self) {
		self = &threads[__atomic_fetch_add(&n_threads, 1, __ATOMIC_RELAXED)];
		strcpy(self->path, "0");
	}
	return self;
}

static void note(const char *name)
{
	struct thread *t = me();

	t->len += (size_t)snprintf(t->log + t->len, BYTES - t->len, " %s", name + strlen("perseus_"));
	if (t->len >= BYTES)
		abort();
}

static void *enter(void *arg)
{
	self = arg;
	return self->start(self->arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct thread *creator = me(), *t = &threads[__atomic_fetch_add(&n_threads, 1, __ATOMIC_RELAXED)];
	void *real = dlsym(RTLD_NEXT, "pthread_create");
	create_fn *create;

	memcpy(&create, &real, sizeof(create));
	snprintf(t->path, sizeof(t->path), "%.40s.%u", creator->path, creator->children++);
	t->start = start;
	t->arg = arg;
	note("perseus_created");
	return create(thread, attr, enter, t);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct thread *)a)->path, ((const struct thread *)b)->path);
}

__attribute__((destructor)) static void tell(void)
{
	FILE *out = fopen("trace.out", "w");

	qsort(threads, n_threads, sizeof(*threads), by_path);
	for (unsigned i = 0; out && i < n_threads; i++)
		fprintf(out, "%s:%s\n", threads[i].path, threads[i].log);
	if (out)
		fclose(out);
}

/* What the program itself wants to be noted: that a function is entered. */
void note_call(const char *name);
void note_call(const char *name)
{
	struct thread *t = me();

	t->len += (size_t)snprintf(t->log + t->len, BYTES - t->len, " [%s]", name);
	if (t->len >= BYTES)
		abort();
}

#define T(name)                                                                                              \
	void name(void);                                                                                     \
	void name(void)                                                                                      \
	{                                                                                                    \
		note(#name);                                                                                 \
	}
#include FUNCTIONS
