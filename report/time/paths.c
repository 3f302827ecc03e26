/* SPDX-License-Identifier: MIT */
#include "report/time/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "report/time/callers.h"
#include "report/time/collect.h"
#include "report/time/times.h"

struct node_list VEC(struct path_node);

/* A tree while it grows. */
struct builder {
	struct report_summary *s;
	struct node_list nodes;
	uint32_t root; /* first of the roots, PATH_NONE */
	uint64_t lost;
};

/* What a node is distinguished by. */
struct key {
	const char *name, *asm_name;
	const struct run_module *home;
	const struct run_call_site *site;
	const char *file;
	uint32_t line;
};

static bool is_node(const struct path_node *n, const struct key *k)
{
	return n->line == k->line && n->home == k->home && text_equal(n->asm_name, k->asm_name) &&
	       text_equal(n->name, k->name) && text_equal(n->file, k->file);
}

/* The callee @k of node @parent (PATH_NONE: a root), made if it is not there. */
static uint32_t child(struct builder *b, uint32_t parent, const struct key *k)
{
	uint32_t *first = parent == PATH_NONE ? &b->root : &b->nodes.at[parent].first, i, n;

	for (i = *first; i != PATH_NONE; i = b->nodes.at[i].next)
		if (is_node(&b->nodes.at[i], k))
			return i;
	n = (uint32_t)b->nodes.n;
	vec_push(&b->nodes, ((struct path_node){.name = k->name,
						.asm_name = k->asm_name,
						.home = k->home,
						.site = k->site,
						.file = k->file,
						.line = k->line,
						.parent = parent,
						.first = PATH_NONE}));
	first = parent == PATH_NONE ? &b->root : &b->nodes.at[parent].first;
	b->nodes.at[n].next = *first;
	*first = n;
	return n;
}

static void add_times(struct path_node *n, const struct rec_call *c, double tick)
{
	double min = (double)c->min * tick, max = (double)c->max * tick;

	if (c->timed && (!n->timed || min < n->min_ns))
		n->min_ns = min;
	if (max > n->max_ns)
		n->max_ns = max;
	n->timed += c->timed;
	n->sum_ns += (double)c->sum * tick;
	n->switched += c->switched;
	n->switched_ns += (double)c->switched_ticks * tick;
	n->open += c->open;
	for (int i = 0; i < PRS_HIST_BUCKETS; i++)
		n->hist[i] += c->hist[i];
}

/* Put call @i below @parent; its node. */
static uint32_t add_call(struct builder *b, const struct thread_times *x, size_t i, uint32_t parent)
{
	const struct rec_call *c = x->thread->calls[i];
	const struct run_call_site *site = run_call_site(x->process, c->site);
	double tick = x->process->ns_per_tick;
	struct run_place place = {.file = NULL};
	struct path_node *n;
	struct key key = {.site = site};
	uint32_t at;

	if (site) {
		run_site_place(b->s->run, site, &place);
		key.file = strcmp(place.file, "-") ? place.file : NULL;
		key.line = place.line;
	}
	key.asm_name = collect_callee(b->s, x->process, c, site);
	key.home = collect_home(x->process, c->site, key.asm_name);
	key.name = pretty_name(b->s, key.asm_name);
	at = child(b, parent, &key);
	n = &b->nodes.at[at];
	n->calls += x->thread->totals[i] > c->timed ? x->thread->totals[i] : c->timed;
	n->about |= x->about[i] & TIMES_ABOUT_PATH;
	n->self_ns += x->self[i] * tick;
	n->wait_ns += x->wait[i] * tick;
	add_times(n, c, tick);
	return at;
}

/* Time that is no function's. */
static void add_other(struct builder *b, uint32_t parent, const char *name, double ns)
{
	struct key key = {.name = name};
	uint32_t at;

	if (ns <= 0)
		return;
	at = child(b, parent, &key); /* which may move the nodes */
	b->nodes.at[at].self_ns += ns;
}

/* The node of call @i of a thread, whose root is @root; those of its callers are made first. */
static uint32_t place_call(struct builder *b, const struct thread_times *x, uint32_t *node_of, size_t i,
			   uint32_t root)
{
	const struct rec_call *c = x->thread->calls[i];
	struct key lost = {.name = "[path not kept]"};
	uint32_t parent = root;

	if (node_of[i] != PATH_NONE)
		return node_of[i];
	if (x->callers && x->callers[i] != CALLER_NONE) {
		parent = place_call(b, x, node_of, x->callers[i], root);
	} else if (c->flags & PRS_CALL_OVERFLOW || c->parent != PRS_NO_SITE) {
		b->lost += x->thread->totals[i];
		parent = child(b, root, &lost);
	}
	node_of[i] = add_call(b, x, i, parent);
	return node_of[i];
}

static void paths_add_thread(struct builder *b, const struct run_process *p, const struct run_thread *t)
{
	const struct run_function *f;
	struct thread_times x;
	struct key key = {0};
	uint32_t *node_of = mem_new(t->n_calls + 1, sizeof(*node_of)), root;
	bool called;

	thread_times_make(&x, p, t);
	for (size_t i = 0; i < t->n_calls; i++)
		if (collect_blocks(b->s->run, p, run_call_site(p, t->calls[i]->site)))
			thread_times_blocked(&x, i);
	key.name = thread_name(b->s, p, t, &key.asm_name, &called);
	if (called)
		key.asm_name = NULL;
	if (key.asm_name)
		key.home = collect_home(p, PRS_NO_SITE, key.asm_name);
	f = key.asm_name ? collect_function(b->s->run, key.home, key.asm_name) : NULL;
	key.file = f && strcmp(f->file, "-") ? f->file : NULL;
	key.line = key.file ? f->line : 0;
	root = child(b, PATH_NONE, &key);
	b->nodes.at[root].calls++;
	b->nodes.at[root].self_ns += x.rest * p->ns_per_tick;
	b->nodes.at[root].wait_ns += x.loose_wait * p->ns_per_tick;
	add_other(b, root, "[recording]", x.probes * p->ns_per_tick);
	add_other(b, root, "[in line for a core]", x.line * p->ns_per_tick);
	for (size_t i = 0; i < t->n_calls; i++)
		node_of[i] = PATH_NONE;
	for (size_t i = 0; i < t->n_calls; i++)
		place_call(b, &x, node_of, i, root);
	thread_times_release(&x);
	free(node_of);
}

static void add_totals(struct node_list *nodes)
{
	for (size_t i = nodes->n; i-- > 0;) {
		struct path_node *n = &nodes->at[i];

		n->total_ns += n->self_ns + n->wait_ns;
		if (n->parent != PATH_NONE)
			nodes->at[n->parent].total_ns += n->total_ns;
	}
}

int report_paths_make(struct report_paths *p, struct report_summary *s, struct err *err)
{
	const struct run *run = s->run;
	struct builder b = {.s = s, .nodes = VEC_INIT, .root = PATH_NONE};
	bool any = false;

	*p = (struct report_paths){.s = s, .root = PATH_NONE};
	for (size_t i = 0; i < run->n_processes; i++)
		any |= run->processes[i].header->minor >= 1;
	if (!any)
		return err_set(err, -ENODATA,
			       "run '%s' has no call paths: its records are of format 1.0, which had none\n"
			       "  record again with this version",
			       run->path);
	for (size_t i = 0; i < run->n_processes; i++)
		for (size_t k = 0; k < run->processes[i].n_threads; k++)
			paths_add_thread(&b, &run->processes[i], &run->processes[i].threads[k]);
	add_totals(&b.nodes);
	p->nodes = b.nodes.at;
	p->n = b.nodes.n;
	p->root = b.root;
	p->lost = b.lost;
	return 0;
}

/* Add what @n was on its own to node @at, which stands for it or for one of its callers. */
static void add_weight(struct path_node *at, const struct path_node *n)
{
	at->calls += n->calls;
	at->timed += n->timed;
	at->about |= n->about;
	at->self_ns += n->self_ns;
	at->wait_ns += n->wait_ns;
	at->switched += n->switched;
	at->switched_ns += n->switched_ns;
	at->sum_ns += n->sum_ns;
	at->open += n->open;
	if (n->max_ns > at->max_ns)
		at->max_ns = n->max_ns;
	if (n->timed && (!at->min_ns || n->min_ns < at->min_ns))
		at->min_ns = n->min_ns;
	for (int i = 0; i < PRS_HIST_BUCKETS; i++)
		at->hist[i] += n->hist[i];
}

void report_paths_turn(struct report_paths *out, const struct report_paths *in)
{
	struct builder b = {.nodes = VEC_INIT, .root = PATH_NONE};

	for (size_t i = 0; i < in->n; i++) {
		const struct path_node *n = &in->nodes[i], *up = n;
		struct key key = {.name = n->name, .asm_name = n->asm_name, .home = n->home};
		uint32_t at = child(&b, PATH_NONE, &key);

		add_weight(&b.nodes.at[at], n);
		for (; up->parent != PATH_NONE; up = &in->nodes[up->parent]) {
			const struct path_node *caller = &in->nodes[up->parent];

			/* The place is that of the call in the caller. */
			key = (struct key){.name = caller->name,
					   .asm_name = caller->asm_name,
					   .home = caller->home,
					   .site = up->site,
					   .file = up->file,
					   .line = up->line};
			at = child(&b, at, &key);
			add_weight(&b.nodes.at[at], n);
		}
	}
	for (size_t i = 0; i < b.nodes.n; i++)
		b.nodes.at[i].total_ns = b.nodes.at[i].self_ns + b.nodes.at[i].wait_ns;
	*out = (struct report_paths){.s = in->s,
				     .nodes = b.nodes.at,
				     .n = b.nodes.n,
				     .root = b.root,
				     .bottom_up = true,
				     .lost = in->lost};
}

void report_paths_release(struct report_paths *p)
{
	free(p->nodes);
	*p = (struct report_paths){0};
}
