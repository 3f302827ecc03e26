/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/callers.h"
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

/* Behind a name in a class, the first parameter is a number: "m" of "4Pool8allocateEm". */
static bool takes_size(const char *rest)
{
	return *rest == 'E' && rest[1] && strchr("mljiy", rest[1]);
}

/*
 * A function of the program's that is an allocator as the library wants one, by its name and first
 * parameter: allocate() and do_allocate() of a class, operator new.  Blocks come from who asks it.
 */
static bool is_allocator(const char *name)
{
	static const char *const words[] = {"8allocate", "11do_allocate", "nw", "na"};
	const char *at;

	if (!strncmp(name, "_Znwm", 5) || !strncmp(name, "_Znam", 5))
		return true;
	for (size_t i = 0; !strncmp(name, "_ZN", 3) && i < sizeof(words) / sizeof(words[0]); i++)
		for (at = name; (at = strstr(at, words[i])); at++)
			if (takes_size(at + strlen(words[i])))
				return true;
	return false;
}

static bool hands_on(const struct run *run, const struct run_place *at)
{
	return name_known(at->file) && (run_is_library(run, at->function) || is_allocator(at->function));
}

/*
 * From @at in @*site outwards to who called the function it is in, the calls @*up round it; false: nobody
 * known.  Of an allocator it has to be the very call: those that were not timed are in no record.
 */
static bool step_out(const struct run *run, const struct run_process *p, const struct run_call_site **site,
		     const struct rec_call **up, struct run_place *at)
{
	bool library = run_is_library(run, at->function);
	const struct run_call_site *call;
	char in[sizeof(at->function)];

	if (run_site_place_round(run, *site, at))
		return true;
	call = *up ? run_call_site(p, (*up)->site) : NULL;
	run_outermost((*site)->chain, (*site)->function, in, sizeof(in));
	if (!call || (!library && strcmp(call->callee, in)))
		return false;
	*site = call;
	*up = (*up)->up;
	run_site_place(run, call, at);
	return true;
}

const struct run_call_site *origin_place(const struct run *run, const struct run_process *p,
					 const struct heap_block *b, const struct run_call_site *alloc,
					 struct run_place *place, const struct rec_call **outer)
{
	const struct rec_call *r = heap_caller(p, b), *up = r;
	const struct run_call_site *by = origin_call(p, b), *site = alloc, *asker = NULL;
	struct run_place at;

	/* A function that hands blocks on is not where they come from; one that keeps them may be. */
	if (by != alloc && origin_says_type(by)) {
		site = by;
		up = r->up;
	}
	run_site_place(run, site, place);
	at = *place;
	*outer = up;
	while (hands_on(run, &at)) {
		if (!step_out(run, p, &site, &up, &at))
			return NULL;
		if (!hands_on(run, &at)) {
			*place = at;
			*outer = up;
			asker = site != by && site != alloc ? site : NULL;
		}
	}
	return asker;
}

/* The same by the calls @round the access; false: they do not say. */
static bool access_by_calls(const struct run *run, const struct run_process *p, const char *function,
			    const struct rec_call *round, struct run_place *place)
{
	struct run_place at = *place;
	char in[sizeof(at.function)];

	snprintf(in, sizeof(in), "%s", function);
	/* Calls that were not timed are in no record: each must be of the function that the next stands in. */
	for (; round && run_is_library(run, at.function); round = round->up) {
		const struct run_call_site *call = run_call_site(p, round->site);

		if (!call || strcmp(call->callee, in))
			return false;
		run_site_place(run, call, &at);
		run_outermost(call->chain, call->function, in, sizeof(in));
	}
	if (run_is_library(run, at.function))
		return false;
	*place = at;
	return true;
}

void origin_access(const struct run *run, const struct run_process *p, const struct run_thread *t,
		   const struct run_mem_site *site, double accesses, const struct rec_call *round,
		   struct run_place *place)
{
	char in[sizeof(place->function)];

	run_mem_place(run, site, place);
	run_outermost(site->chain, site->function, in, sizeof(in));
	if (run_is_library(run, place->function) && !access_by_calls(run, p, in, round, place))
		callers_place(run, p, t, in, accesses, place);
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
