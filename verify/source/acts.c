/* SPDX-License-Identifier: MIT */
#include "verify/source/acts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/sha256.h"
#include "verify/source/flushes.h"
#include "verify/source/world.h"

#define NAME_BYTES   64
#define FINDINGS_MAX 20
#define IN_A_ROW     2000 /* visits made one by one, where the counter is not found */
#define SOURCE_BYTES ((size_t)32 << 20)

struct visits {
	uint64_t *at;
	size_t n;
};

struct run {
	struct crun r;
	struct world w;
	struct acts *a;
	const struct vplan *p;
	struct findings *list;
	struct fault f; /* of the run */
	size_t n_findings;
	const char *path;
	bool strict; /* a thread that is in its place is left alone */
};

#define SAY(run, ...)                                                                                        \
	do {                                                                                                 \
		if ((run)->n_findings++ < FINDINGS_MAX)                                                      \
			findings_add((run)->list, __VA_ARGS__);                                              \
	} while (0)

/* Call a function; what it sets is in w.made. */
static int act(struct run *x, const char *name, const uint64_t *argument, size_t n, uint64_t *result)
{
	x->w.n_made = 0;
	if (x->n_findings > FINDINGS_MAX)
		return -1; /* enough is known */
	x->a->runs++;
	if (!crun_call(&x->r, name, argument, n, result))
		return 0;
	SAY(x, "reviewed source, %s: %s", name, x->f.text);
	return -1;
}

/* The program as it begins: @self calls. */
static void restart(struct run *x, bool foreign)
{
	crun_restart(&x->r);
	x->w = (struct world){.self = WORLD_NOBODY, .in_main = true, .foreign = foreign};
}

static void add_actions(const struct vplan *p, size_t trigger, struct setting *out, size_t *n)
{
	for (size_t i = 0; i < p->n_actions && *n < WORLD_SETTINGS; i++) {
		const struct vplan_action *a = &p->action[i];

		if (a->trigger != trigger)
			continue;
		out[(*n)++] = a->kind == VPLAN_PIN ? (struct setting){VPLAN_PIN, a->core, 0}
						   : (struct setting){VPLAN_STEP, a->domain, a->khz};
	}
}

/* What the plan sets when @thread starts. */
static size_t at_start(const struct vplan *p, uint32_t thread, struct setting *out)
{
	size_t n = 0;

	if (p->thread[thread].core != VPLAN_NONE)
		out[n++] = (struct setting){VPLAN_PIN, p->thread[thread].core, 0};
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->trigger[i].at != VPLAN_CALL && p->trigger[i].thread == thread)
			add_actions(p, i, out, &n);
	return n;
}

static bool is_due(const struct vplan_trigger *t, uint64_t visit)
{
	return visit == t->first || (t->every && visit > t->first && !((visit - t->first) % t->every));
}

/* What it sets when @thread comes to point @number for the @visit-th time. */
static size_t at_point(const struct vplan *p, uint32_t number, uint32_t thread, uint64_t visit,
		       struct setting *out)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->trigger[i].at == VPLAN_CALL && p->trigger[i].point == number &&
		    p->trigger[i].thread == thread && is_due(&p->trigger[i], visit))
			add_actions(p, i, out, &n);
	return n;
}

/* Compare what was set with @planned; @what says when. */
static bool acts_compare(struct run *x, const struct setting *planned, size_t n, uint32_t core,
			 const char *what)
{
	char made[200], want[200];

	if (world_same(x->w.made, x->w.n_made, planned, n, core, x->strict)) {
		x->a->settings += n;
		return true;
	}
	world_text(made, sizeof(made), x->w.made, x->w.n_made);
	world_text(want, sizeof(want), planned, n);
	SAY(x, "reviewed source, %s: sets %s, planned %s", what, made, want);
	return false;
}

static void check_row(struct run *x, size_t i)
{
	static const char *const field[] = {"creator", "site", "ordinal", "core"};
	const struct vplan_thread *t = &x->p->thread[i];
	const uint64_t want[] = {t->creator, t->create, t->ordinal, t->core};

	for (size_t k = 0; k < 4; k++) {
		const uint64_t *cell = crun_field(&x->r, "perseus_thread_table", i, field[k]);

		if (!cell || *cell != want[k])
			SAY(x, "reviewed source, thread %zu (%s): %s %lld, planned %lld", i, t->name,
			    field[k], cell ? (long long)(int32_t)*cell : -1, (long long)(int32_t)want[k]);
	}
}

static void check_table(struct run *x)
{
	for (size_t i = 0; i < x->p->n_threads; i++)
		check_row(x, i);
	if (crun_field(&x->r, "perseus_thread_table", x->p->n_threads, "core"))
		SAY(x, "reviewed source: its table of threads has more rows than the plan");
}

/* Every text of the source that looks like a hash is the plan's, and there is one. */
static void check_hash(struct run *x)
{
	size_t found = 0;

	for (size_t i = 0; i < x->r.t.n; i++) {
		const struct token *t = &x->r.t.token[i];

		if (t->kind != TOKEN_TEXT || strlen(t->s) != 64)
			continue;
		found++;
		if (strcmp(t->s, x->p->sha256))
			SAY(x, "reviewed source: made from another plan, %s", t->s);
	}
	if (!found)
		SAY(x, "reviewed source: it does not carry the plan's hash");
}

static bool start_program(struct run *x)
{
	uint64_t none;

	return !act(x, "perseus_program_start", NULL, 0, &none);
}

static void check_main(struct run *x)
{
	struct setting want[WORLD_SETTINGS];
	size_t n = at_start(x->p, 0, want);

	restart(x, true);
	if (start_program(x))
		acts_compare(x, want, 0, VPLAN_NONE, "program start on another machine");
	restart(x, false);
	x->w.in_main = false;
	if (start_program(x))
		acts_compare(x, want, 0, VPLAN_NONE, "program start before main()");
	x->w.in_main = true;
	if (start_program(x))
		acts_compare(x, want, n, VPLAN_NONE, "program start");
	if (x->w.self != 0)
		SAY(x, "reviewed source, program start: main becomes no instance of the plan");
	if (start_program(x))
		acts_compare(x, want, 0, VPLAN_NONE, "a second program start");
}

/* Let @thread start; its core then, VPLAN_NONE if it has none. */
static bool start_thread(struct run *x, uint32_t thread)
{
	uint64_t none, instance = thread;

	if (!start_program(x))
		return false;
	if (!thread)
		return true;
	x->w.self = WORLD_NOBODY;
	x->w.in_main = false;
	return !act(x, "perseus_thread_enter", &instance, 1, &none);
}

/* Reading back, when all is as it was set: yes, and nothing is set. */
static void check_recheck(struct run *x, const char *what)
{
	uint64_t held = 0;

	if (!crun_defines(&x->r, "perseus_recheck") || act(x, "perseus_recheck", NULL, 0, &held))
		return;
	if (held != 1 || x->w.n_made)
		SAY(x, "reviewed source, perseus_recheck behind the %s: says %llu and sets %zu", what,
		    (unsigned long long)held, x->w.n_made);
}

static void check_start(struct run *x, uint32_t thread)
{
	struct setting want[WORLD_SETTINGS];
	size_t n = at_start(x->p, thread, want);
	char what[NAME_BYTES + 100];

	snprintf(what, sizeof(what), "start of thread %u (%.60s)", thread, x->p->thread[thread].name);
	restart(x, false);
	if (start_thread(x, thread))
		acts_compare(x, want, n, VPLAN_NONE, what);
	if (x->w.self != thread)
		SAY(x, "reviewed source, %s: it becomes another instance", what);
	check_recheck(x, what);
	restart(x, true);
	if (start_thread(x, thread))
		acts_compare(x, want, 0, VPLAN_NONE, "start of a thread on another machine");
}

/* The child that the plan has as @ordinal-th of @creator at creating site @create. */
static uint32_t child_of(const struct vplan *p, uint32_t creator, uint32_t create, uint32_t ordinal)
{
	for (uint32_t i = 0; i < p->n_threads; i++)
		if (p->thread[i].creator == creator && p->thread[i].create == create &&
		    p->thread[i].ordinal == ordinal)
			return i;
	return WORLD_NOBODY;
}

static bool acts_take(struct run *x, uint32_t create, uint64_t *child)
{
	char begin[NAME_BYTES];
	uint64_t none;

	snprintf(begin, sizeof(begin), "perseus_create_%u_begin", create);
	if (create && act(x, begin, NULL, 0, &none))
		return false;
	if (act(x, "perseus_creation_take", NULL, 0, child))
		return false;
	return !create || !act(x, "perseus_create_end", NULL, 0, &none);
}

/* Take one, compare it with the plan, give it back and take it again if @again. */
static bool take_planned(struct run *x, uint32_t creator, uint32_t create, uint32_t ordinal, bool again)
{
	uint32_t want = child_of(x->p, creator, create, ordinal);
	char begin[NAME_BYTES];
	uint64_t child = 0, none;

	snprintf(begin, sizeof(begin), "perseus_create_%u_begin", create);
	if (again &&
	    ((create && act(x, begin, NULL, 0, &none)) || act(x, "perseus_creation_take", NULL, 0, &none) ||
	     act(x, "perseus_creation_undo", NULL, 0, &none)))
		return false;
	if (!acts_take(x, create, &child))
		return false;
	if (child == want)
		return true;
	SAY(x, "reviewed source: creation %u by thread %u at creating site %u is thread %d, planned %d",
	    ordinal + 1, creator, create, (int)child, (int)want);
	return false;
}

static void check_family(struct run *x, uint32_t creator, uint32_t create)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->p->n_threads; i++)
		n += x->p->thread[i].creator == creator && x->p->thread[i].create == create;
	for (int again = 0; again < 2; again++) {
		restart(x, false);
		if (!start_program(x))
			return;
		x->w.self = creator;
		for (uint32_t k = 0; k <= n; k++)
			if (!take_planned(x, creator, create, k, again && k < n))
				return;
	}
}

/* A plan in which nobody creates: new threads are nobody, and main may enter like any. */
static void check_alone(struct run *x)
{
	struct setting want[WORLD_SETTINGS];
	size_t n = at_start(x->p, 0, want);
	uint64_t main_instance = 0, none;

	restart(x, false);
	if (!start_program(x) || !take_planned(x, 0, 0, 0, true))
		return;
	if (!act(x, "perseus_thread_enter", &main_instance, 1, &none))
		acts_compare(x, want, n, VPLAN_NONE, "main entered again");
}

static void check_creations(struct run *x)
{
	bool alone = true;

	for (size_t i = 0; i < x->p->n_threads; i++)
		alone &= x->p->thread[i].creator == VPLAN_NONE;
	if (alone)
		check_alone(x);
	for (uint32_t i = 0; i < x->p->n_threads; i++) {
		const struct vplan_thread *t = &x->p->thread[i];
		uint32_t k = 1;

		while (k < i &&
		       (x->p->thread[k].creator != t->creator || x->p->thread[k].create != t->create))
			k++;
		if (i && k >= i && t->creator != VPLAN_NONE)
			check_family(x, t->creator, t->create);
	}
	for (uint32_t k = 0; k <= x->p->n_creates; k++) {
		check_family(x, 0, k);
		restart(x, false);
		if (start_program(x)) {
			x->w.self = WORLD_NOBODY;
			take_planned(x, VPLAN_NONE, k, VPLAN_NONE - 1, false);
		}
	}
}

static void add_visit(struct visits *v, uint64_t n)
{
	for (uint64_t k = n ? n - 1 : 0; k <= n + 1 && k >= n - (n > 0); k++) {
		if (!k)
			continue;
		v->at = need_more(v->at, v->n, sizeof(*v->at));
		v->at[v->n++] = k;
	}
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Visits at which the plan, or a constant inside the function, can make a difference. */
static struct visits interesting(const struct run *x, uint32_t number, const char *name)
{
	const struct cfunction *f = crun_find(&x->r, name);
	static const uint64_t always[] = {
		1, 3, 6, 9, 12, 15, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 32};
	struct visits v = {0};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		add_visit(&v, always[i]);
	for (size_t i = 0; i < x->p->n_triggers; i++) {
		const struct vplan_trigger *t = &x->p->trigger[i];

		for (uint64_t k = 0; k < 4 && t->at == VPLAN_CALL && t->point == number; k++)
			add_visit(&v, t->first + k * t->every);
	}
	for (size_t i = f->body, deep = 0; i < x->r.t.n; i++) {
		const struct token *t = &x->r.t.token[i];

		if (t->kind == TOKEN_NUMBER && t->number < UINT32_MAX)
			add_visit(&v, t->number);
		deep += t->kind == TOKEN_SIGN && *t->s == '{';
		if (t->kind == TOKEN_SIGN && *t->s == '}' && !--deep)
			break;
	}
	qsort(v.at, v.n, sizeof(*v.at), by_number);
	for (size_t i = 0; i < v.n; i++)
		if (!n || v.at[n - 1] != v.at[i])
			v.at[n++] = v.at[i];
	v.n = n;
	return v;
}

static uint32_t last_core(const struct world *w, uint32_t core)
{
	for (size_t i = 0; i < w->n_made; i++)
		if (w->made[i].kind == VPLAN_PIN)
			core = w->made[i].core;
	return core;
}

/* One visit: the thread is at @core, or has forgotten where it is (VPLAN_NONE). */
static bool acts_visit(struct run *x, const char *name, uint32_t number, uint32_t thread, uint64_t n,
		       uint32_t core)
{
	struct setting want[WORLD_SETTINGS];
	size_t n_want = at_point(x->p, number, thread, n, want);
	char what[NAME_BYTES + 100];
	uint64_t none;

	snprintf(what, sizeof(what), "%s as thread %d, visit %llu", name, (int)thread, (unsigned long long)n);
	return !act(x, name, NULL, 0, &none) && acts_compare(x, want, x->w.foreign ? 0 : n_want, core, what);
}

/* The same after setting the thread's counter; VPLAN_NONE: and making it forget where it is. */
static bool visit_at(struct run *x, const char *name, uint32_t number, uint32_t thread, uint64_t n,
		     uint32_t core)
{
	char counter[NAME_BYTES];
	uint64_t *place = crun_field(&x->r, "perseus_state", thread, "core"), *count;

	snprintf(counter, sizeof(counter), "visits_%04u", number);
	count = crun_field(&x->r, "perseus_state", thread, counter);
	if (count)
		*count = n - 1;
	if (place && core == VPLAN_NONE)
		*place = VPLAN_NONE;
	return acts_visit(x, name, number, thread, n, core);
}

/* With a platform on which everything succeeds, no failure may have been counted. */
static void check_health(struct run *x, const char *what)
{
	static const char *const failure[] = {"not_entered", "pins_lost", "last_error"};
	static const char *const ended[] = {"pins", "steps"};

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 1; k < crun_elements(&x->r, "perseus_status", ended[i]); k++)
			if (crun_field(&x->r, "perseus_status", 0, ended[i])[k])
				SAY(x, "reviewed source, %s: counts in %s[%zu], but nothing failed", what,
				    ended[i], k);
	for (size_t i = 0; i < sizeof(failure) / sizeof(*failure); i++) {
		const uint64_t *cell = crun_field(&x->r, "perseus_status", 0, failure[i]);

		if (cell && *cell)
			SAY(x, "reviewed source, %s: counts in %s, but nothing failed", what, failure[i]);
	}
}

/* @thread at each of the visits: where nobody knows its core, and again. */
static void check_visits(struct run *x, const char *name, uint32_t number, uint32_t thread,
			 const struct visits *v)
{
	restart(x, false);
	if (!start_thread(x, thread))
		return;
	x->strict = crun_field(&x->r, "perseus_state", thread, "core");
	for (size_t i = 0; i < v->n; i++) {
		if (!visit_at(x, name, number, thread, v->at[i], VPLAN_NONE) ||
		    !visit_at(x, name, number, thread, v->at[i], last_core(&x->w, VPLAN_NONE)))
			break;
	}
	x->strict = false;
	check_health(x, name);
}

/* Where no counter is found, the visits are made. */
static void check_in_a_row(struct run *x, const char *name, uint32_t number, uint32_t thread)
{
	uint32_t core;

	restart(x, false);
	if (!start_thread(x, thread))
		return;
	core = last_core(&x->w, VPLAN_NONE);
	for (uint64_t n = 1; n <= IN_A_ROW; n++) {
		if (!acts_visit(x, name, number, thread, n, core))
			return;
		core = last_core(&x->w, core);
	}
}

static void check_foreign(struct run *x, const char *name, uint32_t number, uint32_t thread)
{
	restart(x, true);
	if (!start_thread(x, thread))
		return;
	for (uint64_t n = 1; n < 4; n++)
		if (!acts_visit(x, name, number, thread, n, VPLAN_NONE))
			return;
}

static bool is_named(const struct vplan *p, uint32_t number, uint32_t thread)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->trigger[i].at == VPLAN_CALL && p->trigger[i].point == number &&
		    p->trigger[i].thread == thread)
			return true;
	return false;
}

static void check_point(struct run *x, uint32_t number)
{
	char name[NAME_BYTES], counter[NAME_BYTES];
	struct visits v;
	bool counts;

	snprintf(name, sizeof(name), "perseus_trigger_%04u", number);
	snprintf(counter, sizeof(counter), "visits_%04u", number);
	if (!crun_defines(&x->r, name)) {
		SAY(x, "reviewed source: trigger %04u is missing", number);
		return;
	}
	v = interesting(x, number, name);
	counts = crun_field(&x->r, "perseus_state", 0, counter);
	for (uint32_t i = 0; i < x->p->n_threads; i++) {
		if (!is_named(x->p, number, i))
			continue;
		if (counts)
			check_visits(x, name, number, i, &v);
		else
			check_in_a_row(x, name, number, i);
		check_foreign(x, name, number, i);
	}
	free(v.at);
	restart(x, false);
	if (!start_program(x))
		return;
	for (uint32_t i = 0; i <= x->p->n_threads; i++) {
		x->w.self = i < x->p->n_threads ? i : WORLD_NOBODY;
		for (uint64_t n = 1; n < 4 && !is_named(x->p, number, i); n++)
			if (i < x->p->n_threads ? !visit_at(x, name, number, i, n, VPLAN_NONE)
						: !acts_visit(x, name, number, WORLD_NOBODY, n, VPLAN_NONE))
				break;
	}
}

/* Functions for others that nothing of the plan runs. */
static void check_idle(struct run *x)
{
	for (size_t i = 0; i < x->r.n_functions; i++) {
		const struct cfunction *f = &x->r.function[i];

		if (f->body && f->is_public && !f->runs)
			SAY(x, "reviewed source: nothing of the plan runs %s", f->name);
	}
}

/* Trigger functions of the source that the plan does not have. */
static void check_others(struct run *x)
{
	for (size_t i = 0; i < x->r.n_functions; i++) {
		const struct cfunction *f = &x->r.function[i];
		size_t k = 0;
		unsigned number;

		if (!f->body || sscanf(f->name, "perseus_trigger_%4u", &number) != 1)
			continue;
		while (k < x->p->n_triggers &&
		       (x->p->trigger[k].at != VPLAN_CALL || x->p->trigger[k].point != number))
			k++;
		if (k == x->p->n_triggers)
			SAY(x, "reviewed source: %s is not in the plan", f->name);
	}
}

static void check_flushes(struct run *x)
{
	struct flush_run flushes = {&x->r, &x->w, x->a, x->p, x->list, &x->f};

	flushes_check(&flushes);
}

static void check_all(struct run *x)
{
	check_hash(x);
	check_table(x);
	check_main(x);
	check_recheck(x, "start of main");
	for (uint32_t i = 1; i < x->p->n_threads; i++)
		check_start(x, i);
	check_creations(x);
	for (size_t i = 0; i < x->p->n_triggers; i++)
		if (x->p->trigger[i].at == VPLAN_CALL && x->p->trigger[i].point == x->p->trigger[i].number)
			check_point(x, x->p->trigger[i].number);
	check_others(x);
	check_flushes(x);
	check_idle(x);
	if (x->n_findings > FINDINGS_MAX)
		findings_add(x->list, "reviewed source: more differences, not all were looked for");
}

int acts_check(struct acts *a, const char *path, const struct vplan *p, struct findings *list,
	       struct fault *f)
{
	struct run x = {.a = a, .p = p, .list = list, .path = path};
	struct input in;
	int ret = input_read(&in, path, SOURCE_BYTES, f);

	if (!ret)
		vsha256(in.data, in.size, a->sha256);
	input_release(&in);
	if (!ret)
		ret = crun_read(&x.r, path, f);
	x.r.platform = world_call;
	x.r.context = &x.w;
	x.r.f = &x.f;
	if (!ret)
		check_all(&x);
	crun_release(&x.r);
	return ret;
}
