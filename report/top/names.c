/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/mem.h"
#include "lib/shown.h"
#include "perseus/sites.h"
#include "record/names/thread-name.h"
#include "record/object-name.h"
#include "report/top/top.h"
#include "report/waits/waits.h"

#define SECOND 1000000000u
#define SHARE  100 /* of the time, one part at most goes into reading names */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void top_names_release(struct top_names *n)
{
	if (!n->open)
		return;
	for (size_t i = 0; i < n->run.n_processes; i++) {
		for (size_t k = 0; k < n->run.processes[i].n_threads; k++)
			free(n->threads[i][k]);
		free(n->threads[i]);
		object_names_free(n->objects[i]);
	}
	free(n->threads);
	free(n->objects);
	run_close(&n->run);
	n->open = false;
}

/* What the kernel calls the threads of @p now, by index; the record has what it called them at their start. */
static const char **called_now(const struct run_process *p, const struct live *l)
{
	const char **kernel = mem_new(p->n_threads + 1, sizeof(*kernel));

	for (size_t i = 0; i < l->threads.n; i++)
		if (l->threads.at[i].pid == p->header->pid && l->threads.at[i].index < p->n_threads)
			kernel[l->threads.at[i].index] = l->threads.at[i].name;
	return kernel;
}

static void make(struct top_names *n, const struct live *l)
{
	n->threads = mem_new(n->run.n_processes + 1, sizeof(*n->threads));
	n->objects = mem_new(n->run.n_processes + 1, sizeof(struct object_names *));
	for (size_t i = 0; i < n->run.n_processes; i++) {
		const char **kernel = called_now(&n->run.processes[i], l);

		n->threads[i] = thread_names(&n->run, &n->run.processes[i], kernel);
		n->objects[i] = object_names_make(&n->run, &n->run.processes[i]);
		free(kernel);
	}
	n->open = true;
}

/* Is one called otherwise than before? */
static uint64_t hash_of_names(const struct live *l)
{
	uint64_t h = PRS_FNV_INIT;

	for (size_t i = 0; i < l->threads.n; i++)
		h = prs_fnv64(h, l->threads.at[i].name, strlen(l->threads.at[i].name) + 1);
	return h;
}

void top_names_update(struct top_names *n, const struct live *l)
{
	uint64_t from = now_ns(), took, least, called = hash_of_names(l);
	size_t there = l->threads.n + l->n_ended;
	struct err err = ERR_INIT;

	if (from < n->next_ns || (there == n->n_threads && called == n->called && n->open))
		return;
	top_names_release(n);
	n->n_threads = there;
	n->called = called;
	if (!run_open(&n->run, l->dir, &err))
		make(n, l);
	took = now_ns() - from;
	least = n->open ? SECOND : SECOND / 10; /* a run that is not there yet costs nothing */
	n->next_ns = from + (SHARE * took > least ? SHARE * took : least);
}

static const struct run_process *process_of(const struct top_names *n, uint32_t pid)
{
	const struct run_process *found = NULL;

	for (size_t i = 0; n->open && i < n->run.n_processes; i++)
		if (n->run.processes[i].header->pid == pid &&
		    (!found || n->run.processes[i].header->epoch > found->header->epoch))
			found = &n->run.processes[i];
	return found;
}

/* What the kernel calls thread @index of @pid, "": it is not there. */
static const char *kernel_name(const struct live *l, uint32_t pid, uint32_t index)
{
	for (size_t i = 0; i < l->threads.n; i++)
		if (l->threads.at[i].pid == pid && l->threads.at[i].index == index)
			return l->threads.at[i].name;
	return "";
}

/* As long as the record cannot be read: its own name is not that of the program, which main has. */
static bool is_own_name(const struct live *l, uint32_t pid, const char *kernel)
{
	return strcmp(kernel, kernel_name(l, pid, 0)) != 0;
}

/* Has thread @index of @p been given the name @kernel by now?  The record has the names of its creator from before. */
static bool is_given_now(const struct live *l, const struct run_process *p, uint32_t index,
			 const char *kernel)
{
	uint32_t pid = p->header->pid;
	uint32_t creator = index < p->n_threads ? p->threads[index].raw->creator : PRS_NO_THREAD;

	return thread_is_named(p, index, kernel) && is_own_name(l, pid, kernel) &&
	       (creator == PRS_NO_THREAD || strcmp(kernel, kernel_name(l, pid, creator)) != 0);
}

bool top_thread_name(struct strbuf *out, const struct live *l, const struct top_names *n, uint32_t pid,
		     uint32_t index, const char *kernel)
{
	const struct run_process *p = process_of(n, pid);
	const char *name = p && index < p->n_threads ? n->threads[p - n->run.processes][index] : NULL;
	char given[THREAD_NAME];

	snprintf(given, sizeof(given), "%.16s", kernel);
	shown_make(given, "");
	/* The names may be a second old. */
	if (p && (!name || strncmp(name, given, strlen(given))) && is_given_now(l, p, index, kernel))
		name = given;
	else if (!name || !*name)
		name = !index ? "main" : !p && is_own_name(l, pid, kernel) ? given : "";
	strbuf_puts(out, name);
	return *name;
}

static void put_object(struct strbuf *out, const struct top_names *n, const struct live_thread *t)
{
	const struct run_process *p = process_of(n, t->pid);
	size_t len = out->len;

	strbuf_puts(out, " ");
	if (wait_descriptor_name(out, t->wait_kind, t->wait_object, t->wait_fd) ||
	    (p && t->wait_kind != PRS_EV_JOIN && t->wait_object &&
	     object_name(out, n->objects[p - n->run.processes], t->wait_object)))
		return;
	out->len = len;
	out->s[len] = '\0';
}

void top_wait_text(struct strbuf *out, const struct live *l, const struct top_names *n,
		   const struct live_thread *t)
{
	size_t len;

	if (!t->wait_kind)
		return;
	strbuf_puts(out, report_wait_kind(t->wait_kind));
	put_object(out, n, t);
	if (t->wait_for == PRS_NO_THREAD)
		return;
	len = out->len;
	strbuf_puts(out, ", ");
	if (top_thread_name(out, l, n, t->pid, t->wait_for, kernel_name(l, t->pid, t->wait_for)))
		return;
	out->len = len;
	strbuf_printf(out, ", thread %u", t->wait_for);
}
