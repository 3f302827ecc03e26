/* SPDX-License-Identifier: MIT */
#include "codegen/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/view/check.h"
#include "codegen/view/conflict.h"
#include "codegen/view/text.h"

static bool view_holds(const struct view_ids *ids, uint32_t id)
{
	for (size_t i = 0; i < ids->n; i++)
		if (ids->at[i] == id)
			return true;
	return false;
}

/* Insert in ascending order, once. */
static void insert(struct view_ids *ids, uint32_t id)
{
	size_t i;

	if (view_holds(ids, id))
		return;
	vec_push(ids, id);
	for (i = ids->n - 1; i > 0 && ids->at[i - 1] > id; i--)
		ids->at[i] = ids->at[i - 1];
	ids->at[i] = id;
}

static bool same_site(const struct plan *p, uint32_t a, uint32_t b)
{
	return a == b || conflict_same_site(&p->sites[a], &p->sites[b]);
}

uint32_t view_create_number(const struct view *v, uint32_t site)
{
	if (site == PLAN_NONE)
		return 0;
	for (size_t i = 0; i < v->creates.n; i++)
		if (same_site(v->plan, v->creates.at[i], site))
			return (uint32_t)i + 1;
	return 0;
}

bool view_in_point(const struct view *v, const struct view_point *p, const struct plan_trigger *t)
{
	return t->at == PLAN_AT_CALL && t->after == p->after && same_site(v->plan, t->site, p->site);
}

static bool name_taken(const struct view *v, size_t before, const char *name)
{
	for (size_t i = 0; i < before; i++)
		if (v->thread[i] && !strcmp(v->thread[i], name))
			return true;
	return false;
}

/* How many threads from @from to before @to have the name of thread @i. */
static uint32_t namesakes(const struct plan *p, size_t i, size_t from, size_t to)
{
	const char *name = p->threads[i].name ? p->threads[i].name : "";
	uint32_t n = 0;

	for (; from < to; from++)
		n += !strcmp(name, p->threads[from].name ? p->threads[from].name : "");
	return n;
}

/* THREAD_NAME, or THREAD_NAME_k if the name is not the thread's alone. */
static void name_thread(struct view *v, size_t i)
{
	uint32_t before = namesakes(v->plan, i, 0, i);
	bool numbered = before || namesakes(v->plan, i, i + 1, v->plan->n_threads);
	struct strbuf sb = STRBUF_INIT;

	for (uint32_t k = before;; k++) {
		sb.len = 0;
		strbuf_puts(&sb, "THREAD_");
		text_macro(&sb, v->plan->threads[i].name);
		if (numbered)
			strbuf_printf(&sb, "_%u", k);
		if (!name_taken(v, i, sb.s))
			break;
		if (!numbered) {
			numbered = true;
			k = (uint32_t)-1;
		}
	}
	v->thread[i] = strbuf_detach(&sb);
}

static void collect_threads(struct view *v)
{
	const struct plan *p = v->plan;

	v->thread = mem_new(p->n_threads, sizeof(*v->thread));
	v->thread_line = mem_new(p->n_threads, sizeof(*v->thread_line));
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct plan_thread *t = &p->threads[i];

		name_thread(v, i);
		if (t->core != PLAN_NONE)
			insert(&v->cores, t->core);
		if (t->create_site != PLAN_NONE && !view_create_number(v, t->create_site))
			vec_push(&v->creates, t->create_site);
	}
}

/* The point of trigger @t, a new one if there is none. */
static struct view_point *point_of(struct view *v, const struct plan_trigger *t)
{
	const struct view_point point = {.number = t->number, .site = t->site, .after = t->after};

	for (size_t i = 0; i < v->points.n; i++)
		if (view_in_point(v, &v->points.at[i], t))
			return &v->points.at[i];
	vec_push(&v->points, point);
	return &v->points.at[v->points.n - 1];
}

/* Put trigger @i behind those of its thread and of the threads before. */
static void add_trigger(struct view *v, struct view_point *point, size_t i)
{
	const struct plan_trigger *triggers = v->plan->triggers;
	struct view_ids *ids = &point->triggers;
	size_t k;

	vec_push(ids, (uint32_t)i);
	for (k = ids->n - 1; k > 0 && triggers[ids->at[k - 1]].thread > triggers[i].thread; k--)
		ids->at[k] = ids->at[k - 1];
	ids->at[k] = (uint32_t)i;
	v->trigger_point[i] = point->number;
}

static void collect_triggers(struct view *v)
{
	const struct plan *p = v->plan;

	v->flush_line = mem_new(p->n_flushes + 1, sizeof(*v->flush_line));
	v->trigger_line = mem_new(p->n_triggers + 1, sizeof(*v->trigger_line));
	v->trigger_point = mem_new(p->n_triggers + 1, sizeof(*v->trigger_point));
	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct plan_trigger *t = &p->triggers[i];

		if (t->at == PLAN_AT_CALL)
			add_trigger(v, point_of(v, t), i);
		for (size_t a = 0; a < t->n_actions; a++) {
			if (t->actions[a].kind == PLAN_PIN) {
				insert(&v->cores, t->actions[a].core);
			} else {
				insert(&v->domains, t->actions[a].domain);
				insert(&v->steps, t->actions[a].khz);
			}
		}
	}
}

int view_init(struct view *v, const struct codegen_input *in, struct err *err)
{
	int ret = check_plan(in->plan, err);

	*v = (struct view){.plan = in->plan, .in = in};
	if (!ret)
		ret = check_kind(in->plan, in->limit, &v->kind, err);
	if (ret)
		return ret;
	collect_threads(v);
	collect_triggers(v);
	return 0;
}

void view_release(struct view *v)
{
	for (size_t i = 0; v->thread && i < v->plan->n_threads; i++)
		free(v->thread[i]);
	free(v->thread);
	free(v->thread_line);
	free(v->flush_line);
	free(v->trigger_line);
	free(v->trigger_point);
	for (size_t i = 0; i < v->points.n; i++)
		vec_release(&v->points.at[i].triggers);
	vec_release(&v->creates);
	vec_release(&v->points);
	vec_release(&v->cores);
	vec_release(&v->domains);
	vec_release(&v->steps);
	*v = (struct view){0};
}
