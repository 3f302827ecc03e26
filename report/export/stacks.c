/* SPDX-License-Identifier: MIT */
/* Stacks as text: folded, and as `perf script` prints them. */
#include "report/export/out.h"

int export_folded(struct export *e, struct err *err)
{
	struct report_paths p;
	int ret = report_paths_make(&p, e->s, err);

	if (ret)
		return ret;
	report_paths_folded(&p, &e->out);
	report_paths_release(&p);
	return 0;
}

/*
 * One sample that stands for @ns: the period says so, and so does the time up to
 * the next one.  Readers find the frame's end at its last bracket.
 */
static void put_sample(struct export *e, const struct report_paths *p, const struct path_node *n,
		       const char *leaf, unsigned long long ns, unsigned long long *now)
{
	unsigned pid = p->s->run->n_processes ? p->s->run->processes[0].header->pid : 1;
	const struct path_node *up = n;

	if (!ns)
		return;
	export_name(&e->out, p->s->run->manifest.program, " ");
	strbuf_printf(&e->out, " %u/%u %llu.%09llu: %llu ns:\n", pid, pid, *now / 1000000000,
		      *now % 1000000000, ns);
	if (leaf)
		strbuf_printf(&e->out, "\t%16x %s (perseus)\n", 1, leaf);
	for (;; up = &p->nodes[up->parent]) {
		strbuf_printf(&e->out, "\t%16x ", (unsigned)(up - p->nodes) + 2);
		export_name(&e->out, up->name, ";");
		strbuf_puts(&e->out, " (");
		export_name(&e->out, p->s->run->manifest.program, " ()");
		strbuf_puts(&e->out, ")\n");
		if (up->parent == PATH_NONE)
			break;
	}
	strbuf_puts(&e->out, "\n");
	*now += ns;
	export_ready(e);
}

int export_perf_script(struct export *e, struct err *err)
{
	unsigned long long now = 0;
	struct report_paths p;
	int ret = report_paths_make(&p, e->s, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < p.n; i++) {
		put_sample(e, &p, &p.nodes[i], NULL, export_ns(p.nodes[i].self_ns), &now);
		put_sample(e, &p, &p.nodes[i], "waiting", export_ns(p.nodes[i].wait_ns), &now);
	}
	report_paths_release(&p);
	return 0;
}
