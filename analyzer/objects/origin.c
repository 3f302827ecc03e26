/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/origin.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/heap.h"
#include "analyzer/objects/names.h"
#include "lib/fs.h"
#include "lib/strbuf.h"

#define CHAIN_CALLS 4
#define MAX_CHAIN   65536u

bool origin_says_type(const struct run_call_site *alloc)
{
	static const char *const bytes[] = {"char", "unsigned char", "signed char", "void"};

	if (!name_known(alloc->alloc_type))
		return false;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		if (!strcmp(alloc->alloc_type, bytes[i]))
			return false;
	return true;
}

const struct run_call_site *origin_call(const struct run_process *p, const struct heap_block *b)
{
	const struct run_call_site *alloc = run_call_site(p, b->site), *caller;
	const struct rec_call *r = heap_caller(p, b);

	if (!alloc || origin_says_type(alloc) || !r)
		return alloc;
	caller = run_call_site(p, r->site);
	return caller && !strcmp(caller->callee, alloc->function) ? caller : alloc;
}

char *origin_functions(const struct run_process *p, const struct heap_block *b,
		       const struct run_call_site *alloc)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s %s", alloc->function, alloc->chain);
	for (const struct rec_call *r = heap_caller(p, b); r && sb.len < MAX_CHAIN; r = r->up) {
		const struct run_call_site *site = run_call_site(p, r->site);

		if (site)
			strbuf_printf(&sb, " %s %s", site->function, site->chain);
	}
	return strbuf_detach(&sb);
}

void origin_place(const struct run *run, const struct run_process *p, const struct heap_block *b,
		  const struct run_call_site *alloc, struct run_place *place, const struct rec_call **outer)
{
	const struct rec_call *r = heap_caller(p, b), *up = r;
	const struct run_call_site *by = origin_call(p, b), *site = alloc;
	struct run_place at;

	/* A function that hands blocks on is not where they come from; one that keeps them may be. */
	if (by != alloc && origin_says_type(by)) {
		site = by;
		up = r->up;
	}
	run_site_place(run, site, place);
	for (at = *place, *outer = up; name_known(at.file) && run_is_library(run, at.function); up = up->up) {
		site = up ? run_call_site(p, up->site) : NULL;
		if (!site)
			return;
		run_site_place(run, site, &at);
		if (!run_is_library(run, at.function)) {
			*place = at;
			*outer = up->up;
		}
	}
}

void origin_access(const struct run *run, const struct run_process *p, const struct run_mem_site *site,
		   const struct rec_call *round, struct run_place *place)
{
	const char *in = site->function;
	struct run_place at;

	run_mem_place(run, site, place);
	at = *place;
	/* Calls that were not timed are in no record: each must be of the function that the next stands in. */
	for (; round && run_is_library(run, at.function); round = round->up) {
		const struct run_call_site *call = run_call_site(p, round->site);

		if (!call || strcmp(call->callee, in))
			return;
		run_site_place(run, call, &at);
		in = call->function;
	}
	if (!run_is_library(run, at.function))
		*place = at;
}

char *origin_chain(const struct run *run, const struct run_process *p, const struct rec_call *r)
{
	struct strbuf sb = STRBUF_INIT;
	struct run_place place;
	int n = 0;

	for (; r && n < CHAIN_CALLS; r = r->up) {
		const struct run_call_site *site = run_call_site(p, r->site);
		const struct run_function *f;

		if (!site)
			continue;
		run_site_place(run, site, &place);
		if (run_is_library(run, place.function))
			continue;
		f = run_function(run, place.function);
		strbuf_printf(&sb, "%s%s()", n++ ? ", " : "",
			      f && name_known(f->pretty) ? f->pretty : place.function);
		if (name_known(place.file))
			strbuf_printf(&sb, " %s:%u", fs_base_name(place.file), place.line);
	}
	return n ? strbuf_detach(&sb) : NULL;
}
