/* SPDX-License-Identifier: MIT */
/*
 * Which items to take.  A set with more items ends more conflicts, so no placement takes longer
 * with it than with a part of it: what none is below with a set, none is below with its parts.  A
 * set of no more bytes that reaches as little makes the search of such a part needless.  What a
 * set reaches may well be more than a part of it does: where the system's own scheduler is as
 * good as the placement found, the plan promises the baseline.
 */
#include "planner/weigh.h"

#include <errno.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/num.h"

/* ---- the best placement with a set ---- */

static const struct weigh_point *find_point(const struct weighing *w, uint64_t set)
{
	for (size_t i = 0; i < w->points.n; i++)
		if (w->points.at[i].set == set)
			return &w->points.at[i];
	return NULL;
}

/* Search, if that was not done before. */
static int run_set(struct weighing *w, uint64_t set, struct weigh_point *out, struct err *err)
{
	const struct weigh_point *known = find_point(w, set);
	struct planner p;
	struct model m;
	int ret;

	if (known) {
		*out = *known;
		return 0;
	}
	weigh_model(w, set, NULL, &m);
	ret = planner_run(&p, &m, w->platform, &w->opts, err);
	if (!ret) {
		bool gains = p.out.verdict == PLANNER_GAIN;
		uint64_t time = gains ? p.out.best_ev.total.time_ns : p.out.base_ev.total.time_ns;

		*out = (struct weigh_point){
			.set = set, .bytes = weigh_bytes(w, set), .time_ns = time, .gains = gains};
		out->bound_ns = p.out.bound.time_ns < time ? p.out.bound.time_ns : time;
		vec_push(&w->points, *out);
		planner_release(&p);
	}
	free(m.conflicts);
	return ret;
}

static bool fits(const struct weighing *w, uint64_t set)
{
	return !w->limits.max_bytes || weigh_bytes(w, set) <= w->limits.max_bytes;
}

/* ---- all sets ---- */

/* What no placement with @set is below, as far as searched sets tell: those that hold all of it. */
static uint64_t floor_of(const struct weighing *w, uint64_t set)
{
	uint64_t most = 0;

	for (size_t i = 0; i < w->points.n; i++)
		if (!(set & ~w->points.at[i].set) && w->points.at[i].bound_ns > most)
			most = w->points.at[i].bound_ns;
	return most;
}

/* Less is not worth anything. */
static uint64_t worth_of(const struct weighing *w, uint64_t time_ns)
{
	uint64_t millionths = w->opts.worth_set ? w->opts.trigger_worth : TRIGGER_WORTH;

	return (uint64_t)((unsigned __int128)time_ns * millionths / 1000000);
}

/* Is there a set that costs no more, than which @set cannot be better by what is worth it? */
static bool beaten(const struct weighing *w, uint64_t set)
{
	uint64_t bytes = weigh_bytes(w, set), least = floor_of(w, set) + worth_of(w, w->points.at[0].time_ns);

	for (size_t i = 0; i < w->points.n; i++)
		if (w->points.at[i].bytes <= bytes && w->points.at[i].time_ns <= least)
			return true;
	return false;
}

struct sized_set {
	uint64_t set, bytes;
};

static int by_bytes(const void *a, const void *b)
{
	const struct sized_set *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return (x->set > y->set) - (x->set < y->set);
}

/* Search each set that may be on the front, the least bytes first; false in w->exact: there were too many. */
static int all_sets(struct weighing *w, struct err *err)
{
	struct sized_set *list = mem_new((size_t)1 << w->n_open, sizeof(*list));
	struct weigh_point at;
	int ret = 0;

	for (uint64_t set = 0; set < 1ull << w->n_open; set++)
		if (fits(w, set))
			list[w->sets++] = (struct sized_set){set, weigh_bytes(w, set)};
	qsort(list, w->sets, sizeof(*list), by_bytes);
	w->exact = true;
	for (size_t i = 0; i < w->sets && w->exact && !ret; i++) {
		if (find_point(w, list[i].set) || beaten(w, list[i].set))
			continue;
		w->exact = w->points.n < WEIGH_RUNS;
		if (w->exact)
			ret = run_set(w, list[i].set, &at, err);
	}
	free(list);
	return ret;
}

/* ---- too many of them ---- */

/* What the baseline takes with @set, where nothing is searched. */
static int base_time(const struct weighing *w, uint64_t set, enum baseline baseline, uint64_t *out,
		     struct err *err)
{
	struct planner_options opts = w->opts;
	struct planner p;
	struct model m;
	int ret;

	opts.baseline = baseline;
	weigh_model(w, set, NULL, &m);
	ret = planner_prepare(&p, &m, w->platform, &opts, err);
	if (!ret) {
		*out = p.out.base_ev.total.time_ns;
		planner_release(&p);
	}
	free(m.conflicts);
	return ret;
}

/* The item not in @set that saves the baseline most for a byte and fits; n_open: none saves anything. */
static int next_item(const struct weighing *w, uint64_t set, uint32_t *out, struct err *err)
{
	uint64_t before = 0, after = 0;
	int ret = base_time(w, set, w->opts.baseline, &before, err);
	uint64_t least = worth_of(w, before);
	double best = 0;

	*out = w->n_open;
	for (uint32_t i = 0; i < w->n_open && !ret; i++) {
		uint64_t bytes = w->items[w->open[i]].bytes;
		double worth;

		if (set >> i & 1 || !fits(w, set | 1ull << i))
			continue;
		ret = base_time(w, set | 1ull << i, w->opts.baseline, &after, err);
		worth = before > after && before - after >= least
				? (double)(before - after) / (double)(bytes ? bytes : 1)
				: 0;
		if (worth > best) {
			best = worth;
			*out = i;
		}
	}
	return ret;
}

/* One item after the other, by what it saves the baseline for a byte; @search: a placement with each set. */
static int greedy(struct weighing *w, bool search, uint64_t *set, struct err *err)
{
	struct weigh_point at;
	uint32_t i;
	int ret;

	for (*set = 0;; *set |= 1ull << i) {
		ret = search ? run_set(w, *set, &at, err) : 0;
		if (!ret)
			ret = next_item(w, *set, &i, err);
		if (ret || i == w->n_open)
			return ret;
	}
}

/* ---- the choice ---- */

/* Of all that was searched and fits the one that takes least, of those the one with the least bytes. */
static struct weigh_point best_point(const struct weighing *w)
{
	struct weigh_point best = *find_point(w, 0);

	for (size_t i = 0; i < w->points.n; i++) {
		const struct weigh_point *p = &w->points.at[i];

		if (fits(w, p->set) &&
		    (p->time_ns < best.time_ns || (p->time_ns == best.time_ns && p->bytes < best.bytes)))
			best = *p;
	}
	return best;
}

/* Take out of the chosen set what saves least, as long as that is less than it must be worth. */
static int drop_unworthy(struct weighing *w, struct weigh_point best, struct err *err)
{
	uint64_t worth = worth_of(w, find_point(w, 0)->time_ns);
	int ret = 0;

	for (bool again = true; again && !ret && w->points.n < 2 * WEIGH_RUNS;) {
		struct weigh_point least = best, at;

		again = false;
		for (uint32_t i = 0; i < w->n_open && !ret; i++) {
			if (!(best.set >> i & 1))
				continue;
			ret = run_set(w, best.set & ~(1ull << i), &at, err);
			if (!ret && at.time_ns < best.time_ns + worth &&
			    (!again || at.time_ns < least.time_ns)) {
				least = at;
				again = true;
			}
		}
		best = least;
	}
	w->chosen = best.set;
	return ret;
}

/* Is a part of a set faster than the set can be? */
static bool find_rise(const struct weighing *w)
{
	for (size_t i = 0; i < w->points.n; i++)
		for (size_t k = 0; k < w->points.n; k++)
			if (!(w->points.at[k].set & ~w->points.at[i].set) &&
			    w->points.at[k].time_ns < w->points.at[i].bound_ns)
				return true;
	return false;
}

static void set_fates(struct weighing *w)
{
	for (uint32_t i = 0; i < w->n_open; i++) {
		bool taken = w->chosen >> i & 1;

		w->items[w->open[i]].fate = taken                            ? WEIGH_TAKEN
					    : fits(w, w->chosen | 1ull << i) ? WEIGH_NO_WORTH
									     : WEIGH_NO_ROOM;
	}
}

int weigh_run(struct weighing *w, const struct model *model, const struct platform *platform,
	      const struct plan *from, const struct planner_options *opts, const struct weigh_options *limits,
	      struct err *err)
{
	struct weigh_point at;
	uint64_t greedy_set = 0;
	int ret;

	*w = (struct weighing){
		.whole = model, .platform = platform, .from = from, .opts = *opts, .limits = *limits};
	w->opts.log = NULL;
	w->opts.ranks = NULL; /* each process chooses, all the same */
	weigh_items(w);
	if (w->n_open > WEIGH_ITEMS)
		return err_set(err, -E2BIG,
			       "%u layouts to be weighed, expected at most %u\n"
			       "  choose findings: perseus conflicts --plan with fewer of them",
			       w->n_open, WEIGH_ITEMS);
	ret = run_set(w, 0, &at, err);
	if (!ret && w->n_open) /* bounds all others, whether it fits or not */
		ret = run_set(w, w->n_open < 64 ? (1ull << w->n_open) - 1 : UINT64_MAX, &at, err);
	if (!ret && w->n_open <= WEIGH_EXACT)
		ret = all_sets(w, err);
	if (!ret && !w->exact)
		ret = greedy(w, true, &greedy_set, err);
	if (!ret)
		ret = greedy(w, false, &w->padding, err);
	if (!ret)
		ret = drop_unworthy(w, best_point(w), err);
	if (ret)
		return ret;
	w->rises = find_rise(w);
	set_fates(w);
	weigh_model(w, w->chosen, NULL, &w->model);
	return 0;
}

bool weigh_front(const struct weighing *w, size_t i, struct weigh_point *out)
{
	struct weigh_point last = {.time_ns = UINT64_MAX}, next;
	uint64_t worth = worth_of(w, find_point(w, 0)->time_ns), least = 1;
	bool any;

	for (size_t n = 0;; n++) {
		any = false;
		for (size_t k = 0; k < w->points.n; k++) {
			const struct weigh_point *p = &w->points.at[k];

			if (!fits(w, p->set) || p->time_ns > last.time_ns - least)
				continue;
			if (!any || p->bytes < next.bytes ||
			    (p->bytes == next.bytes && p->time_ns < next.time_ns))
				next = *p;
			any = true;
		}
		if (!any || n == i)
			break;
		last = next;
		least = worth ? worth : 1;
	}
	if (any)
		*out = next;
	return any;
}

void weigh_release(struct weighing *w)
{
	for (uint32_t i = 0; i < w->n_items; i++)
		strbuf_release(&w->items[i].ids);
	free(w->items);
	free(w->item_of);
	free(w->ended_by);
	free(w->model.conflicts);
	vec_release(&w->points);
	*w = (struct weighing){0};
}

/* ---- what the four take ---- */

static int choose_four(struct weighing *w, const struct planner *p, const struct plan *plan, struct err *err)
{
	const struct weigh_point *alone = find_point(w, 0);
	enum baseline baseline = p->task.opts.baseline;
	struct weigh_choice *c = w->choice;
	int ret = base_time(w, 0, baseline, &c[PLAN_NEITHER].time_ns, err);

	if (!ret)
		ret = base_time(w, w->padding, baseline, &c[PLAN_LAYOUTS_ALONE].time_ns, err);
	c[PLAN_LAYOUTS_ALONE].set = w->padding;
	c[PLAN_PLACEMENT_ALONE].bound_ns = alone->bound_ns;
	c[PLAN_PLACEMENT_ALONE].time_ns = c[PLAN_NEITHER].time_ns;
	if (alone->gains && alone->time_ns < c[PLAN_NEITHER].time_ns)
		c[PLAN_PLACEMENT_ALONE].time_ns = alone->time_ns;
	c[PLAN_BOTH] = (struct weigh_choice){w->chosen, 0, plan->time_ns, plan->bound_time_ns};
	for (int i = 0; i < PLAN_CHOICES; i++)
		c[i].bytes = weigh_bytes(w, c[i].set);
	return ret;
}

/* ---- the plan ---- */

/* The plan's run with the conflicts of @ids back: nothing else of it is another. */
static int time_with(const struct weighing *w, const struct planner *p, const char *ids, uint64_t *out,
		     struct err *err)
{
	struct evaluation ev;
	struct planner q;
	struct model m;
	int ret;

	weigh_model(w, w->chosen, ids, &m);
	ret = planner_prepare(&q, &m, w->platform, &p->task.opts, err);
	if (!ret && p->out.verdict != PLANNER_GAIN) {
		*out = q.out.base_ev.total.time_ns;
	} else if (!ret) {
		evaluation_init(&ev, &q.problem, true);
		eval_all(&q.problem, &p->out.best, &q.search.scratch, &ev);
		*out = ev.total.time_ns;
		evaluation_release(&ev);
	}
	if (!ret)
		planner_release(&q);
	free(m.conflicts);
	return ret;
}

static void copy_layout(struct plan_layout *to, const struct plan_layout *from)
{
	char **const texts[] = {&to->type,   &to->field,  &to->variable, &to->unit,  &to->file,
				&to->breaks, &to->accept, &to->evidence, &to->reason};

	*to = *from;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		*texts[i] = mem_strdup(*texts[i]);
	to->weighed = true;
}

#define SAVES "without it the plan takes "

/* The reason, in the place of what an earlier weighing said, if one did, with what it saves now. */
static void add_reason(struct plan_layout *l)
{
	char *old = l->reason ? strstr(l->reason, SAVES) : NULL;
	struct strbuf sb = STRBUF_INIT;
	char time[32];

	if (old)
		*old = '\0';
	if (l->reason)
		strbuf_puts(&sb, l->reason);
	if (sb.len && !old)
		strbuf_puts(&sb, "; ");
	strbuf_printf(&sb, SAVES "%s longer", num_time(time, sizeof(time), (double)l->saves_ns * 1e-9));
	free(l->reason);
	l->reason = strbuf_detach(&sb);
}

static int emit_layouts(const struct weighing *w, const struct planner *p, struct plan *plan, struct err *err)
{
	int ret = 0;

	plan->layouts = mem_new(w->from->n_layouts + 1, sizeof(*plan->layouts));
	for (size_t i = 0; i < w->from->n_layouts && !ret; i++) {
		struct plan_layout *l = &plan->layouts[plan->n_layouts];
		uint64_t with = 0;

		if (w->items[w->item_of[i]].fate != WEIGH_TAKEN)
			continue;
		copy_layout(l, &w->from->layouts[i]);
		plan->n_layouts++;
		ret = time_with(w, p, l->evidence, &with, err);
		l->saves_ns = with > plan->time_ns ? with - plan->time_ns : 0;
		add_reason(l);
	}
	return ret;
}

int weigh_emit(struct weighing *w, const struct planner *p, struct plan *plan, struct err *err)
{
	int ret = choose_four(w, p, plan, err);
	char hex[SHA256_HEX];

	model_hash(w->whole, hex);
	free(plan->model_sha256);
	plan->model_sha256 = mem_strdup(hex);
	plan->choices = mem_new(PLAN_CHOICES, sizeof(*plan->choices));
	plan->n_choices = PLAN_CHOICES;
	for (int i = 0; i < PLAN_CHOICES; i++) {
		const struct weigh_choice *c = &w->choice[i];
		struct strbuf ids = STRBUF_INIT;

		weigh_ids(w, c->set, &ids);
		plan->choices[i] = (struct plan_choice){(enum plan_choice_kind)i, c->bytes, c->time_ns,
							c->bound_ns, ids.len ? mem_strdup(ids.s) : NULL};
		strbuf_release(&ids);
	}
	return ret ? ret : emit_layouts(w, p, plan, err);
}
