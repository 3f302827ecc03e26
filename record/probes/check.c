/* SPDX-License-Identifier: MIT */
/*
 * What a pair of probes times should be the call.  So from the end of the enter
 * probe every instruction is looked at up to the call, and from there up to the
 * leave probe.  Allowed is what hands over arguments and results: moves between
 * registers, constants, the frame and the stack; extensions of narrow values;
 * addresses at a constant distance; changes of the stack pointer; no-ops and jumps to the next block; and a
 * look at the token, where a call exists twice.  Where the call passes aggregates by value (the plugin says so), copying them cannot be
 * taken out, and loads and stores are allowed, too.
 */
#include "record/probes/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/inspect/x86.h"
#include "record/probes/image.h"

#define STEPS_MAX 2000 /* instructions on one side of a call */
#define ARGUMENTS 16   /* from here on arguments lie above a frame pointer */

enum step {
	STEP_MOVE,
	STEP_LOAD,
	STEP_STORE,
	STEP_DIVIDE,
	STEP_WORK,
	STEP_CALL,
	STEP_JUMP,
	STEP_BRANCH,
	STEP_END, /* nothing follows */
};

/* A walk along the code from a probe. */
struct walk {
	const struct sites_image *img;
	const struct image_enter *enter; /* whose token was not looked at yet */
	uint64_t at;
	bool aggregates; /* copying is allowed */
	bool faulty;
	struct region_finding finding;
};

static bool in(uint8_t op, const uint8_t *list, size_t n)
{
	return memchr(list, op, n) != NULL;
}

/*
 * Memory that belongs to the call: the frame, stack arguments, constants.  Code
 * that is compiled without a frame pointer uses rbp as any register; distances
 * that no local variable or argument has distinguish the two mostly.
 */
static bool own_memory(const struct sites_image *img, uint64_t at, const struct x86_insn *x, bool store)
{
	if (x->segment)
		return false;
	if (x->base == X86_RSP)
		return true;
	if (x->base == X86_RBP)
		return x->disp < 0 || x->disp >= ARGUMENTS;
	if (store || x->index != X86_NONE)
		return false;
	if (x->base == X86_RIP)
		return sites_image_constant(img, at + x->length + (uint64_t)x->disp);
	return x->base == X86_NONE && sites_image_constant(img, (uint64_t)x->disp);
}

static enum step access_of(const struct sites_image *img, uint64_t at, const struct x86_insn *x, bool store)
{
	if (!x->memory || own_memory(img, at, x, store))
		return STEP_MOVE;
	return store ? STEP_STORE : STEP_LOAD;
}

/* Arithmetic that is none: of the stack pointer, and constants written as such. */
static bool sets_up(const struct x86_insn *x)
{
	uint8_t op = x->reg & 7;

	if (x->memory)
		return false;
	if (x->opcode == 0x83 || x->opcode == 0x81)
		return (x->rm == X86_RSP && (op == 0 || op == 4 || op == 5)) || (op == 1 && x->imm == -1);
	/* xor, sub of a register with itself */
	return (x->opcode == 0x31 || x->opcode == 0x33 || x->opcode == 0x29 || x->opcode == 0x2b) &&
	       x->reg == x->rm;
}

/* Address of something at a fixed distance: as cheap as a move, and where the compiler likes to put it. */
static bool is_address(const struct x86_insn *x)
{
	return !x->segment && x->index == X86_NONE;
}

static enum step x87_step(const struct sites_image *img, uint64_t at, const struct x86_insn *x)
{
	uint8_t op = x->reg & 7;

	if (!x->memory) {
		if (x->opcode == 0xd9 && (op <= 1 || op == 5)) /* fld, fxch, constants */
			return STEP_MOVE;
		return x->opcode == 0xdd && (op == 2 || op == 3) ? STEP_MOVE : STEP_WORK;
	}
	if ((x->opcode == 0xd9 || x->opcode == 0xdd) && (op == 0 || op == 2 || op == 3))
		return access_of(img, at, x, op != 0);
	if (x->opcode == 0xdb && (op == 5 || op == 7))
		return access_of(img, at, x, op == 7);
	return STEP_WORK;
}

/* Groups whose meaning is in the register field. */
static enum step group_step(const struct sites_image *img, uint64_t at, const struct x86_insn *x)
{
	uint8_t op = x->reg & 7;

	if (x->opcode == 0xf6 || x->opcode == 0xf7)
		return op >= 6 ? STEP_DIVIDE : STEP_WORK;
	if (x->opcode == 0xc6 || x->opcode == 0xc7)
		return op == 0 ? access_of(img, at, x, true) : STEP_WORK;
	if (x->opcode == 0x8f)
		return access_of(img, at, x, true);
	if (x->opcode != 0xff)
		return STEP_WORK;
	if (op == 2 || op == 3)
		return STEP_CALL;
	if (op == 4 || op == 5)
		return STEP_END;
	return op == 6 ? access_of(img, at, x, false) : STEP_WORK;
}

static enum step one_byte_step(const struct sites_image *img, uint64_t at, const struct x86_insn *x)
{
	static const uint8_t groups[] = {0xf6, 0xf7, 0xc6, 0xc7, 0x8f, 0xff};
	static const uint8_t ends[] = {0xc2, 0xc3, 0xcb, 0xca, 0xcc, 0xf4};
	uint8_t op = x->opcode;

	if (x->lock)
		return STEP_WORK;
	if (in(op, groups, sizeof(groups)))
		return group_step(img, at, x);
	if (in(op, ends, sizeof(ends)))
		return STEP_END;
	if (op >= 0xd8 && op <= 0xdf)
		return x87_step(img, at, x);
	if (op == 0x88 || op == 0x89)
		return access_of(img, at, x, true);
	if (op == 0x8a || op == 0x8b || op == 0x63)
		return access_of(img, at, x, false);
	if ((op >= 0x50 && op <= 0x5f) || op == 0x68 || op == 0x6a) /* push, pop */
		return STEP_MOVE;
	if ((op >= 0x90 && op <= 0x98) || (op >= 0xb0 && op <= 0xbf)) /* xchg, extension, constants */
		return STEP_MOVE;
	if (op == 0x87)
		return x->memory ? STEP_STORE : STEP_MOVE;
	if (op == 0x8d)
		return is_address(x) ? STEP_MOVE : STEP_WORK;
	if (op == 0xa4 || op == 0xa5)
		return STEP_STORE;
	if (op >= 0xa0 && op <= 0xa3)
		return op >= 0xa2 ? STEP_STORE : STEP_LOAD;
	if (op == 0xe8)
		return STEP_CALL;
	if (op == 0xe9 || op == 0xeb)
		return STEP_JUMP;
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3))
		return STEP_BRANCH;
	return sets_up(x) ? STEP_MOVE : STEP_WORK;
}

/* Map 0f: the moves of vector registers are the same in VEX and EVEX. */
static enum step two_byte_step(const struct sites_image *img, uint64_t at, const struct x86_insn *x)
{
	static const uint8_t loads[] = {0x10, 0x12, 0x16, 0x28, 0x6e, 0x6f};
	static const uint8_t stores[] = {0x11, 0x13, 0x17, 0x29, 0x7f, 0xd6};
	static const uint8_t extensions[] = {0xb6, 0xb7, 0xbe, 0xbf};
	static const uint8_t zeroing[] = {0x57, 0xef};
	uint8_t op = x->opcode;

	if (in(op, loads, sizeof(loads)))
		return access_of(img, at, x, false);
	if (in(op, stores, sizeof(stores)))
		return access_of(img, at, x, true);
	if (op == 0x7e)
		return access_of(img, at, x, !x->rep);
	if (in(op, zeroing, sizeof(zeroing)) && !x->memory && x->reg == x->rm)
		return STEP_MOVE;
	if (op == 0x77)
		return x->form == X86_VEX ? STEP_MOVE : STEP_WORK; /* vzeroupper is part of calling */
	if (op == 0x5e)
		return STEP_DIVIDE;
	if (x->form != X86_LEGACY)
		return STEP_WORK;
	if (in(op, extensions, sizeof(extensions)))
		return access_of(img, at, x, false);
	if (op == 0x0b || op == 0xb9 || op == 0xff)
		return STEP_END;
	if (op >= 0x80 && op <= 0x8f)
		return STEP_BRANCH;
	return op == 0x1e || op == 0x1f ? STEP_MOVE : STEP_WORK; /* no-ops, endbr64 */
}

static enum step step_of(const struct sites_image *img, uint64_t at, const struct x86_insn *x)
{
	if (x->form == X86_LEGACY && x->map == 0)
		return one_byte_step(img, at, x);
	return x->map == 1 && x->form != X86_XOP ? two_byte_step(img, at, x) : STEP_WORK;
}

/* Note the first thing that is wrong. */
static void fault(struct walk *w, enum region_fault what, const struct x86_insn *x)
{
	size_t size = 0;
	const uint8_t *code = sites_image_code(w->img, w->at, &size);
	unsigned n = x ? x->length : 0;

	if (w->faulty)
		return;
	w->faulty = true;
	w->finding.fault = what;
	w->finding.address = w->at;
	if (!code || n > size)
		n = 0;
	memcpy(w->finding.bytes, code ? (const void *)code : "", n);
	w->finding.n_bytes = n;
}

static void judge(struct walk *w, enum step s, const struct x86_insn *x)
{
	if (s == STEP_DIVIDE)
		fault(w, REGION_DIVISION, x);
	else if (s == STEP_WORK)
		fault(w, REGION_WORK, x);
	else if (s == STEP_LOAD && !w->aggregates)
		fault(w, REGION_LOAD, x);
	else if (s == STEP_STORE && !w->aggregates)
		fault(w, REGION_STORE, x);
	else if (s == STEP_BRANCH)
		fault(w, REGION_BRANCH, x);
}

/* A call that exists twice: go on where it is timed. */
static bool take_timed(struct walk *w)
{
	struct image_leave leave;

	if (!w->enter || sites_image_leave(w->img, w->at, &leave) ||
	    !sites_image_choice(w->img, w->enter, w->at, &w->at))
		return false;
	w->enter = NULL;
	return true;
}

/* From behind the enter probe to behind the call; false: there is none. */
static bool walk_to_call(struct walk *w)
{
	struct x86_insn x;

	for (int i = 0; i < STEPS_MAX; i++) {
		enum step s;

		if (take_timed(w))
			continue;
		if (!sites_image_insn(w->img, w->at, &x)) {
			fault(w, REGION_UNREADABLE, NULL);
			return false;
		}
		s = step_of(w->img, w->at, &x);
		if (s == STEP_END || (i && sites_image_enters(w->img, w->at))) {
			fault(w, REGION_NO_CALL, &x);
			return false;
		}
		judge(w, s, &x);
		w->at += x.length;
		if (s == STEP_CALL)
			return true;
		if (s == STEP_JUMP)
			w->at += (uint64_t)x.imm;
	}
	fault(w, REGION_NO_CALL, NULL);
	return false;
}

/* From behind the call to the leave probe of slot @site. */
static void walk_to_leave(struct walk *w, uint32_t site)
{
	struct image_leave leave;
	struct x86_insn x;

	for (int i = 0; i < STEPS_MAX; i++) {
		enum step s;

		if (sites_image_leave(w->img, w->at, &leave)) {
			if (leave.site != site)
				fault(w, REGION_WRONG, NULL);
			return;
		}
		if (!sites_image_insn(w->img, w->at, &x)) {
			fault(w, REGION_UNREADABLE, NULL);
			return;
		}
		s = step_of(w->img, w->at, &x);
		if (s == STEP_END || sites_image_enters(w->img, w->at)) {
			fault(w, REGION_NO_LEAVE, &x);
			return;
		}
		if (s == STEP_CALL)
			fault(w, REGION_CALL, &x);
		judge(w, s, &x);
		w->at += x.length;
		if (s == STEP_JUMP)
			w->at += (uint64_t)x.imm;
	}
	fault(w, REGION_NO_LEAVE, NULL);
}

static void check_pair(const struct sites_image *img, const struct image_enter *e,
		       const struct run_call_site *c, struct region_counts *counts,
		       struct region_findings *findings)
{
	struct walk w = {
		.img = img, .enter = e, .at = e->after, .aggregates = run_has_flag(c->flags, PRS_CF_STRUCT)};
	bool noreturn = run_has_flag(c->flags, PRS_CF_NORETURN);

	counts->pairs++;
	counts->noreturn += noreturn;
	if (run_has_flag(c->flags, PRS_CF_REGION))
		return;
	if (walk_to_call(&w) && !noreturn) {
		w.finding.after = !w.faulty;
		walk_to_leave(&w, e->site);
	}
	if (!w.faulty)
		return;
	counts->faulty++;
	w.finding.site = c;
	w.finding.copies = 1;
	vec_push(findings, w.finding);
}

/* ---- what has no code ---- */

static int by_name(const void *a, const void *b)
{
	const struct run_call_site *x = *(const struct run_call_site *const *)a;
	const struct run_call_site *y = *(const struct run_call_site *const *)b;
	int order = strcmp(x->id, y->id);

	return order ? order : strcmp(x->instance, y->instance);
}

/* Slots without code: has the same site code in another unit? */
static void count_absent(const struct sites *sites, uint64_t *const *seen, struct region_counts *counts)
{
	struct VEC(const struct run_call_site *) there = VEC_INIT;

	for (size_t i = 0; i < sites->n_units; i++)
		for (uint32_t k = 0; k < sites->units[i].n_calls; k++)
			if (seen[i][k])
				vec_push(&there, &sites->units[i].calls[k]);
	if (there.n)
		qsort(there.at, there.n, sizeof(*there.at), by_name);
	for (size_t i = 0; i < sites->n_units; i++)
		for (uint32_t k = 0; k < sites->units[i].n_calls; k++) {
			const struct run_call_site *c = &sites->units[i].calls[k];

			counts->slots++;
			counts->found += seen[i][k] > 0;
			counts->copied += seen[i][k] > 1;
			if (seen[i][k])
				continue;
			if (there.n && bsearch(&c, there.at, there.n, sizeof(*there.at), by_name))
				counts->elsewhere++;
			else
				counts->gone++;
		}
	vec_release(&there);
}

static void check_all(const struct sites_image *img, const struct sites *sites, struct region_counts *counts,
		      struct region_findings *findings)
{
	uint64_t **seen = mem_new(sites->n_units + 1, sizeof(*seen));

	for (size_t i = 0; i < sites->n_units; i++)
		seen[i] = mem_new(sites->units[i].n_calls + 1, sizeof(**seen));
	for (size_t i = 0; i < img->enters.n; i++) {
		const struct image_enter *e = &img->enters.at[i];
		const struct sites_unit *u = &sites->units[e->unit];

		if (e->site >= u->n_calls)
			continue;
		seen[e->unit][e->site]++;
		check_pair(img, e, &u->calls[e->site], counts, findings);
	}
	count_absent(sites, seen, counts);
	for (size_t i = 0; i < sites->n_units; i++)
		free(seen[i]);
	free(seen);
}

/* ---- findings ---- */

const char *region_fault_name(enum region_fault f)
{
	static const char *const names[] = {
		[REGION_DIVISION] = "division", [REGION_CALL] = "call",
		[REGION_LOAD] = "load",         [REGION_STORE] = "store",
		[REGION_BRANCH] = "branch",     [REGION_WORK] = "computation",
		[REGION_NO_CALL] = "no-call",   [REGION_NO_LEAVE] = "no-leave",
		[REGION_WRONG] = "wrong-leave", [REGION_UNREADABLE] = "unreadable"};

	return names[f];
}

static int by_site(const void *a, const void *b)
{
	const struct region_finding *x = a, *y = b;
	int order = strcmp(x->site->id, y->site->id);

	if (!order)
		order = strcmp(x->site->instance, y->site->instance);
	if (!order)
		order = (int)x->fault - (int)y->fault;
	if (!order)
		order = x->after - y->after;
	return order ? order : x->address < y->address ? -1 : x->address > y->address;
}

static bool same_finding(const struct region_finding *x, const struct region_finding *y)
{
	return !strcmp(x->site->id, y->site->id) && !strcmp(x->site->instance, y->site->instance) &&
	       x->fault == y->fault && x->after == y->after;
}

/* Copies of one call become one finding. */
static void fold(struct region_findings *f)
{
	size_t n = 0;

	if (f->n)
		qsort(f->at, f->n, sizeof(*f->at), by_site);
	for (size_t i = 0; i < f->n; i++) {
		if (n && same_finding(&f->at[n - 1], &f->at[i]))
			f->at[n - 1].copies++;
		else
			f->at[n++] = f->at[i];
	}
	f->n = n;
}

static bool id_taken(const struct region_findings *f, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f->at[i].id, id))
			return true;
	return false;
}

static void name_findings(struct region_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct region_finding *x = &f->at[i];
		unsigned step = 0;
		char key[80];

		snprintf(key, sizeof(key), "%s %s %s %d", x->site->id, x->site->instance,
			 region_fault_name(x->fault), x->after);
		do
			evidence_id(x->id, sizeof(x->id), "region", key, step++);
		while (id_taken(f, i, x->id));
	}
}

int sites_check(const char *path, const struct sites *sites, struct region_counts *counts,
		struct region_findings *findings, struct err *err)
{
	struct sites_image img;
	int ret = sites_image_open(&img, path, sites, err);

	*counts = (struct region_counts){0};
	*findings = (struct region_findings)VEC_INIT;
	if (ret)
		return ret;
	check_all(&img, sites, counts, findings);
	if (counts->slots && !counts->pairs)
		ret = err_set(err, -ENOTSUP,
			      "'%s': none of its %llu call sites has a probe of a known form in the code\n"
			      "  it was built with another version of the plugin, or changed afterwards",
			      path, (unsigned long long)counts->slots);
	sites_image_release(&img);
	fold(findings);
	name_findings(findings);
	return ret;
}
