/* SPDX-License-Identifier: MIT */
#include "planner/sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/cost/meet.h"
#include "planner/sim/rounds.h"
#include "planner/sim/turns.h"

/* Slices are not cut finer than this share of the run: they are many enough to tell. */
#define SLICES_MAX (1u << 20)

/* Accesses a ns are counted in this fraction. */
#define RATE_SHIFT 40

/* No thread goes a million times slower for one line. */
#define SLOW_MAX (1000000 * TURN_ONE)

/* Conflicts of one phase that cost something under the design. */
struct clashes {
	struct turn_clash *at;
	uint32_t *from; /* of member i: at[from[i]] .. at[from[i + 1] - 1]; NULL: there are none */
};

struct sim {
	const struct problem *pb;
	const struct design *d;
	const struct blocks *blocks;
	bool priced;
	struct turns turns;
	uint32_t *phase_of;        /* the model's phase -> the problem's */
	uint32_t *member_of;       /* the model's work (blocks.work_at) -> member of that phase */
	uint32_t *member_at;       /* members of phase p: [member_at[p], member_at[p + 1]) */
	struct turn_share *shares; /* of members */
	struct clashes *clashes;   /* of phases */
	struct rounds rounds;      /* made up, if there are no blocks */
	uint32_t *last_unit;       /* of threads, PROB_NONE: not started */
	const uint8_t *last_step;  /* of domains, NULL: program start */
	struct sim_result *out;
};

/* ---- setting up ---- */

static void count_members(struct sim *s)
{
	const struct problem *pb = s->pb;

	s->member_at = mem_new((size_t)pb->n_phases + 1, sizeof(*s->member_at));
	for (uint32_t p = 0; p < pb->n_phases; p++)
		s->member_at[p + 1] = s->member_at[p] + pb->phases[p].n_members;
	s->shares = mem_new((size_t)s->member_at[pb->n_phases] + 1, sizeof(*s->shares));
}

static uint32_t find_member(const struct prob_phase *ph, uint32_t thread)
{
	for (uint32_t i = 0; i < ph->n_members; i++)
		if (ph->members[i].thread == thread)
			return i;
	return 0; /* every work of the model has become a member's */
}

/* Where the works of the model went, and the weight that each member has got. */
static void map_works(struct sim *s, uint64_t *weight)
{
	const struct problem *pb = s->pb;
	const struct model *m = pb->model;
	const uint32_t *work_at = s->blocks->work_at;

	s->phase_of = mem_new(m->n_phases + 1, sizeof(*s->phase_of));
	s->member_of = mem_new((size_t)work_at[m->n_phases] + 1, sizeof(*s->member_of));
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = pb->phases[p].model_first; i < pb->phases[p].model_last; i++) {
			uint32_t mp = pb->order[i];

			s->phase_of[mp] = p;
			for (uint32_t k = 0; k < m->phases[mp].n_work; k++) {
				uint32_t member = find_member(&pb->phases[p], m->phases[mp].work[k].thread);

				s->member_of[work_at[mp] + k] = member;
				weight[s->member_at[p] + member] += s->blocks->weight[work_at[mp] + k];
			}
		}
}

static uint32_t sim_unit_of(const struct sim *s, uint32_t phase, uint32_t member)
{
	return design_unit_in(s->pb, s->d, phase, s->pb->phases[phase].members[member].slot);
}

static uint64_t work_of(const struct sim *s, uint32_t phase, uint32_t member)
{
	const struct machine *m = s->pb->machine;
	uint8_t step = design_steps(s->pb, s->d, phase)[m->units[sim_unit_of(s, phase, member)].domain];

	return s->pb->phases[phase].work_ns[(size_t)member * m->n_steps + step];
}

/* Shares of the members; returns all work there is, ns. */
static uint64_t deal_work(struct sim *s, const uint64_t *weight)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < s->pb->n_phases; p++)
		for (uint32_t i = 0; i < s->pb->phases[p].n_members; i++) {
			uint64_t each = work_of(s, p, i);
			uint64_t total = s->blocks ? each * s->pb->phases[p].repeats : each;

			turn_share_init(&s->shares[s->member_at[p] + i], total, each,
					weight[s->member_at[p] + i]);
			sum += total;
		}
	return sum;
}

static int check_occurrences(const struct sim *s, struct err *err)
{
	const struct model *m = s->pb->model;

	for (size_t i = 0; i < m->n_phases; i++) {
		uint64_t n = m->phases[i].repeats ? m->phases[i].repeats : 1;

		if (s->blocks->occurrences[i] != n)
			return err_set(err, -EINVAL,
				       "the blocks have phase %s %llu times, the model has it %llu times\n"
				       "  perseus analyze --blocks writes both",
				       m->phases[i].name, (unsigned long long)s->blocks->occurrences[i],
				       (unsigned long long)n);
	}
	return 0;
}

/* ---- conflicts ---- */

/* Accesses a ns of own work while both run: an access can lose the line once for each of the other's. */
static uint64_t clash_rate(const struct sim *s, uint32_t p, const struct prob_conflict *c)
{
	uint64_t wa = work_of(s, p, c->a), wb = work_of(s, p, c->b);
	unsigned __int128 a, b;

	if (!wa || !wb)
		return 0;
	a = ((unsigned __int128)c->count_a << RATE_SHIFT) / wa;
	b = ((unsigned __int128)c->count_b << RATE_SHIFT) / wb;
	a = a < b ? a : b;
	return a > UINT64_MAX ? UINT64_MAX : (uint64_t)a;
}

static uint64_t clash_slow(uint64_t rate, uint64_t extra_ps)
{
	unsigned __int128 slow = (unsigned __int128)rate * extra_ps / 1000 * TURN_ONE >> RATE_SHIFT;

	return slow > SLOW_MAX ? SLOW_MAX : (uint64_t)slow;
}

/* Both ends of a conflict, or nothing where the design has made it free. */
static bool clash_of(const struct sim *s, uint32_t p, const struct prob_conflict *c, uint64_t slow[2])
{
	const struct machine *m = s->pb->machine;
	uint32_t ua = sim_unit_of(s, p, c->a), ub = sim_unit_of(s, p, c->b);
	uint8_t distance = m->distance[(size_t)ua * m->n_units + ub];
	uint64_t rate;

	if (ua == ub || !(c->extra_a[distance] | c->extra_b[distance]))
		return false;
	rate = clash_rate(s, p, c);
	slow[0] = clash_slow(rate, c->extra_a[distance]);
	slow[1] = clash_slow(rate, c->extra_b[distance]);
	return slow[0] | slow[1];
}

/* Where the system moves the threads, everybody is slowed by the chance of meeting anybody. */
static void meet_everybody(struct sim *s, uint32_t p)
{
	const struct prob_phase *ph = &s->pb->phases[p];
	struct clashes *out = &s->clashes[p];
	uint64_t *work = mem_new((size_t)ph->n_members + 1, sizeof(*work));
	uint64_t *extra = mem_new((size_t)ph->n_members + 1, sizeof(*extra));
	struct meet_share *shares = mem_new((size_t)ph->n_members + 1, sizeof(*shares));

	for (uint32_t i = 0; i < ph->n_members; i++)
		work[i] = work_of(s, p, i);
	meet_shares_by_chance(s->pb, ph, ph->n_conflicts, shares);
	for (uint32_t i = 0; i < ph->n_conflicts; i++)
		meet_by_chance(s->pb, ph, &ph->conflicts[i], shares, work, extra);
	out->from = mem_new((size_t)ph->n_members + 1, sizeof(*out->from));
	out->at = mem_new((size_t)ph->n_members + 1, sizeof(*out->at));
	for (uint32_t i = 0; i < ph->n_members; i++) {
		unsigned __int128 slow = work[i] ? (unsigned __int128)extra[i] * TURN_ONE / work[i] : 0;

		out->at[i] = (struct turn_clash){TURN_NONE, slow > SLOW_MAX ? SLOW_MAX : (uint64_t)slow};
		out->from[i + 1] = i + 1;
	}
	free(work);
	free(extra);
	free(shares);
}

static void find_clashes(struct sim *s, uint32_t p)
{
	const struct prob_phase *ph = &s->pb->phases[p];
	struct clashes *out = &s->clashes[p];
	uint64_t slow[2];
	uint32_t sum = 0;

	if (!ph->n_conflicts)
		return;
	if (s->d->moved) {
		meet_everybody(s, p);
		return;
	}
	out->from = mem_new((size_t)ph->n_members + 2, sizeof(*out->from));
	for (uint32_t i = 0; i < ph->n_conflicts; i++)
		if (clash_of(s, p, &ph->conflicts[i], slow)) {
			out->from[ph->conflicts[i].a + 2]++;
			out->from[ph->conflicts[i].b + 2]++;
		}
	/* from[i + 1] is where those of i go; when all have gone there it is where they end. */
	for (uint32_t i = 0; i < ph->n_members; i++)
		out->from[i + 2] = sum += out->from[i + 2];
	out->at = mem_new((size_t)sum + 1, sizeof(*out->at));
	for (uint32_t i = 0; i < ph->n_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];

		if (!clash_of(s, p, c, slow))
			continue;
		out->at[out->from[c->a + 1]++] = (struct turn_clash){c->b, slow[0]};
		out->at[out->from[c->b + 1]++] = (struct turn_clash){c->a, slow[1]};
	}
	if (!sum) {
		free(out->from);
		out->from = NULL;
	}
}

/* ---- passages between phases ---- */

/* What a thread does before it goes on; @from: PROB_NONE: it starts. */
static uint64_t move_ns(const struct sim *s, enum slot_kind kind, uint32_t from, uint32_t to)
{
	const struct machine *m = s->pb->machine;

	if (kind == SLOT_FIXED || kind == SLOT_FOLLOW || from == to)
		return 0;
	if (from == PROB_NONE)
		return eval_start_ns(s->pb);
	return m->platform->trigger_ns + m->platform->affinity_ns +
	       m->migrate[(size_t)from * m->n_units + to];
}

static uint64_t steps_ns(const struct sim *s, const uint8_t *from, const uint8_t *to)
{
	const struct platform *pf = s->pb->machine->platform;
	uint64_t changes = 0;

	for (uint32_t k = 0; from != to && k < s->pb->machine->n_domains; k++)
		changes += to[k] != (from ? from[k] : 0);
	return changes ? changes * pf->frequency_ns + pf->trigger_ns : 0;
}

/* The passage into @phase from where everybody was last. */
static uint64_t passage_ns(struct sim *s, uint32_t phase)
{
	const struct prob_phase *ph = &s->pb->phases[phase];
	const uint8_t *steps = design_steps(s->pb, s->d, phase);
	uint64_t ns = 0, change = steps_ns(s, s->last_step, steps);

	for (uint32_t i = 0; i < ph->n_members; i++) {
		const struct prob_member *m = &ph->members[i];
		uint32_t to = sim_unit_of(s, phase, i);
		uint64_t move = move_ns(s, s->pb->slots[m->slot].kind, s->last_unit[m->thread], to);

		ns = move > ns ? move : ns;
		s->last_unit[m->thread] = to;
	}
	s->last_step = steps;
	return s->priced ? ns + change : 0;
}

/* All passages into @phase as the problem foresees them. */
static uint64_t foreseen_ns(const struct sim *s, uint32_t phase)
{
	const struct problem *pb = s->pb;
	uint64_t sum = 0;

	for (uint32_t i = pb->edge_at[phase]; s->priced && i < pb->edge_at[phase + 1]; i++) {
		const struct prob_edge *e = &pb->edges[i];
		uint64_t ns = 0;

		for (uint32_t k = 0; k < e->n_arrivals; k++) {
			const struct prob_arrival *a = &e->arrivals[k];
			uint32_t from = a->before == PROB_NONE ? PROB_NONE : design_unit(pb, s->d, a->before);
			uint64_t move =
				move_ns(s, pb->slots[a->slot].kind, from, design_unit(pb, s->d, a->slot));

			ns = move > ns ? move : ns;
		}
		ns += steps_ns(s, e->from == PROB_NONE ? NULL : design_steps(pb, s->d, e->from),
			       design_steps(pb, s->d, phase));
		sum += ns * e->count;
	}
	return sum;
}

/* ---- an occurrence ---- */

/* What a package drew; @draw: with everybody who has work busy at once. */
static uint64_t package_energy(const struct sim *s, uint32_t k, const uint8_t *step, uint64_t *draw,
			       uint64_t *idle)
{
	const struct machine *m = s->pb->machine;
	const struct machine_package *pkg = &m->packages[k];
	const struct turns *t = &s->turns;
	uint64_t awake = pkg->halts ? t->packages[k].awake : t->time;
	uint64_t energy = pkg->halt_mw * (t->time - awake);

	if (pkg->halts && !awake) {
		*draw += pkg->halt_mw;
		return energy;
	}
	for (uint32_t u = pkg->first; u < pkg->last; u++) {
		uint8_t f = step[m->units[u].domain];
		uint64_t ran = t->units[u].ran;

		energy += m->busy_mw[f] * ran + m->idle_mw[f] * (awake - ran);
		*idle += awake - ran;
		*draw += ran ? m->busy_mw[f] : m->idle_mw[f];
	}
	return energy;
}

/* Count what turns_run() found, @times over, and a passage of @change ns into it. */
static void account(struct sim *s, uint32_t phase, uint64_t times, uint64_t change)
{
	const struct machine *m = s->pb->machine;
	const uint8_t *step = design_steps(s->pb, s->d, phase);
	const struct turns *t = &s->turns;
	uint64_t energy = 0, draw = 0, idle = 0, busy = 0, stalled = 0, halted = 0;
	struct sim_result *o = s->out;

	for (uint32_t k = 0; k < m->n_packages; k++) {
		const struct machine_package *pkg = &m->packages[k];

		energy += package_energy(s, k, step, &draw, &idle);
		if (pkg->halts)
			halted += (t->time - t->packages[k].awake) * (pkg->last - pkg->first);
	}
	for (uint32_t u = 0; u < m->n_units; u++) {
		busy += t->units[u].ran;
		stalled += t->units[u].stalled;
	}
	o->cost.time_ns += t->time * times + change;
	o->cost.energy_pj += energy * times + change * draw;
	o->cost.peak_mw = draw > o->cost.peak_mw ? draw : o->cost.peak_mw;
	o->busy_ns += busy * times;
	o->idle_ns += idle * times;
	o->halted_ns += halted * times;
	o->stalled_ns += stalled * times;
	o->change_ns += change * m->n_units;
	o->occurrences += times;
}

static void sim_begin(struct sim *s, uint32_t phase)
{
	turns_begin(&s->turns, s->pb->phases[phase].n_members);
	s->turns.clashes = s->clashes[phase].at;
	s->turns.clash_at = s->clashes[phase].from;
}

static void add_member(struct sim *s, uint32_t phase, uint32_t i)
{
	turns_add(&s->turns, i, (uint16_t)sim_unit_of(s, phase, i), &s->shares[s->member_at[phase] + i]);
}

/* ... and takes the locks that the model has, without blocks to say when. */
static void add_rounds(struct sim *s, uint32_t phase, uint32_t i)
{
	struct block_cursor body = rounds_body(&s->rounds, s->member_at[phase] + i);

	if (body.at != body.end)
		turns_add_body(&s->turns, i, body);
}

/* Each phase once, for all its occurrences. */
static int run_foreseen(struct sim *s, struct err *err)
{
	int ret = 0;

	for (uint32_t p = 0; p < s->pb->n_phases && !ret; p++) {
		sim_begin(s, p);
		for (uint32_t i = 0; i < s->pb->phases[p].n_members; i++) {
			add_member(s, p, i);
			add_rounds(s, p, i);
		}
		ret = turns_run(&s->turns, err);
		if (!ret)
			account(s, p, s->pb->phases[p].repeats, foreseen_ns(s, p));
	}
	return ret;
}

static void add_parts(struct sim *s, uint32_t phase, struct block_cursor *c, const struct block_occurrence *o)
{
	int64_t work = -1;

	for (uint32_t i = 0; i < o->n_parts; i++) {
		struct block_cursor body = block_part(c, &work);
		uint32_t member = s->member_of[s->blocks->work_at[o->phase] + (size_t)work];

		if (!s->turns.threads[member].there)
			add_member(s, phase, member);
		turns_add_body(&s->turns, member, body);
	}
}

/* Members of whom nothing was recorded work as the model says. */
static void add_unrecorded(struct sim *s, uint32_t phase)
{
	for (uint32_t i = 0; i < s->pb->phases[phase].n_members; i++)
		if (!s->shares[s->member_at[phase] + i].weight && !s->turns.threads[i].there)
			add_member(s, phase, i);
}

/* All occurrences in their order; the model's phases that the problem has joined are run as one. */
static int run_recorded(struct sim *s, struct err *err)
{
	struct block_cursor c = blocks_begin(s->blocks);
	struct block_occurrence o;
	bool more = block_occurrence(&c, &o);
	int ret = 0;

	while (more && !ret) {
		uint32_t phase = s->phase_of[o.phase];
		bool joined = s->pb->phases[phase].model_last - s->pb->phases[phase].model_first > 1;

		sim_begin(s, phase);
		do {
			add_parts(s, phase, &c, &o);
			more = block_occurrence(&c, &o);
		} while (more && joined && s->phase_of[o.phase] == phase);
		add_unrecorded(s, phase);
		ret = turns_run(&s->turns, err);
		if (!ret)
			account(s, phase, 1, passage_ns(s, phase));
	}
	s->out->blocks = s->blocks->header.n_blocks;
	return ret;
}

/* ---- all of it ---- */

/*
 * Busy time is counted where units run, work where threads spend it, the run
 * time where phases end: three counts that have to agree.
 */
static int check_balance(const struct sim *s, struct err *err)
{
	const struct sim_result *o = s->out;
	unsigned __int128 work = 0, states = o->busy_ns;

	for (uint32_t p = 0; p < s->pb->n_phases; p++)
		for (uint32_t i = s->member_at[p]; i < s->member_at[p + 1]; i++) {
			if (s->shares[i].spent != s->shares[i].total_ns)
				return err_set(
					err, -EPROTO,
					"self-check of the simulator failed: a thread did %llu ns of work, "
					"there were %llu",
					(unsigned long long)s->shares[i].spent,
					(unsigned long long)s->shares[i].total_ns);
			work += (unsigned __int128)s->shares[i].spent *
				(s->blocks ? 1 : s->pb->phases[p].repeats);
		}
	states += (unsigned __int128)o->idle_ns + o->halted_ns + o->change_ns;
	if (work + o->stalled_ns != o->busy_ns ||
	    states != (unsigned __int128)o->cost.time_ns * s->pb->machine->n_units)
		return err_set(err, -EPROTO,
			       "self-check of the simulator failed: busy, idle and halted time do not add up "
			       "to cores x run time");
	return 0;
}

static void sim_init(struct sim *s, uint64_t *weight)
{
	const struct problem *pb = s->pb;
	size_t n_threads = pb->model->n_threads;
	uint64_t work;

	if (s->blocks)
		map_works(s, weight);
	else
		rounds_make(&s->rounds, pb, s->d, weight);
	work = deal_work(s, weight);
	turns_init(&s->turns, pb, s->blocks ? s->blocks->work_at[pb->model->n_phases] : pb->max_members,
		   s->blocks ? s->blocks->header.n_objects : s->rounds.n_objects);
	s->turns.slice = pb->machine->platform->slice_ns;
	if (s->turns.slice <= work / SLICES_MAX)
		s->turns.slice = work / SLICES_MAX + 1;
	s->clashes = mem_new(pb->n_phases, sizeof(*s->clashes));
	for (uint32_t p = 0; p < pb->n_phases; p++)
		find_clashes(s, p);
	s->last_unit = mem_new(n_threads + 1, sizeof(*s->last_unit));
	for (size_t t = 0; t < n_threads; t++)
		s->last_unit[t] = PROB_NONE;
}

static void sim_release(struct sim *s)
{
	for (uint32_t p = 0; s->clashes && p < s->pb->n_phases; p++) {
		free(s->clashes[p].at);
		free(s->clashes[p].from);
	}
	turns_release(&s->turns);
	rounds_release(&s->rounds);
	free(s->clashes);
	free(s->phase_of);
	free(s->member_of);
	free(s->member_at);
	free(s->shares);
	free(s->last_unit);
}

int sim_run(const struct problem *pb, const struct design *d, const struct sim_options *opts,
	    struct sim_result *out, struct err *err)
{
	struct sim s = {.pb = pb, .d = d, .blocks = opts->blocks, .priced = opts->priced, .out = out};
	uint64_t *weight;
	int ret = 0;

	*out = (struct sim_result){0};
	if (s.blocks)
		ret = check_occurrences(&s, err);
	if (ret)
		return ret;
	count_members(&s);
	weight = mem_new((size_t)s.member_at[pb->n_phases] + 1, sizeof(*weight));
	sim_init(&s, weight);
	s.turns.always = opts->always;
	ret = s.blocks ? run_recorded(&s, err) : run_foreseen(&s, err);
	if (!ret)
		ret = check_balance(&s, err);
	out->events = s.turns.events;
	out->barrier_ns = s.turns.barrier_ns;
	out->lock_ns = s.turns.lock_ns;
	sim_release(&s);
	free(weight);
	return ret;
}
