/* SPDX-License-Identifier: MIT */
/*
 * confirm FOLDER FIRST LAST [N]: for each seed a random program on a random platform goes
 * through the planner; the independent checker must find the plan's figures
 * to the last unit, and must find each of them wrong that is changed by one.
 * The gate programs go the same way, and plans for several inputs, and the points
 * of a front for each Nth of all (7).  Both sides meet in files only.
 *
 * confirm FOLDER FIRST LAST keep: only the random ones, whose files are kept there.
 * confirm FOLDER FIRST LAST weigh: the same for one input, with a layout for each finding.
 */
#include "planner/weigh.h"
#include "small.h"
#include "verify/weighed/weighed.h"

#define MODELS_MAX 3

static const char *folder;
static bool keep, weigh;
static char plan_path[4096], model_path[MODELS_MAX][4096], platform_path[4096];
static size_t n_models;
static uint64_t front_each = 7;
static unsigned bad, plans, several, gains, triggers, loops, figures, fronts, points, taken;

static void name_files(uint64_t seed)
{
	char tag[24] = "";

	if (keep)
		snprintf(tag, sizeof(tag), "%llu-", (unsigned long long)seed);
	snprintf(plan_path, sizeof(plan_path), "%s/%splan.yaml", folder, tag);
	for (int i = 0; i < MODELS_MAX; i++)
		snprintf(model_path[i], sizeof(model_path[i]), "%s/%smodel-%d.yaml", folder, tag, i);
	snprintf(platform_path, sizeof(platform_path), "%s/%splatform.yaml", folder, tag);
}

/* ---- random input ---- */

static void random_platform(struct platform *pf, struct rng *rng)
{
	uint32_t packages = 1 + (uint32_t)rng_below(rng, 3), groups = 1 + (uint32_t)rng_below(rng, 2);

	small_platform(pf, packages, groups, 1 + (uint32_t)rng_below(rng, 3), 1 + (uint32_t)rng_below(rng, 3),
		       (enum clocks)rng_below(rng, CLOCK_ODD));
	pf->can_halt = rng_below(rng, 5) != 0;
	pf->package_halt_mw = rng_below(rng, 3000);
	pf->frequency_ns = rng_below(rng, 40000);
	for (uint32_t i = 1; i < pf->n_cores; i++)
		pf->cores[i].usable = rng_below(rng, 12) != 0;
	if (!rng_below(rng, 3)) {
		pf->migrate_matrix_ns = mem_new((size_t)pf->n_cores * pf->n_cores, sizeof(uint64_t));
		for (uint32_t i = 0; i < pf->n_cores * pf->n_cores; i++)
			pf->migrate_matrix_ns[i] = i % (pf->n_cores + 1) ? rng_below(rng, 50000) : 0;
	}
	for (int k = 0; k < PRS_KIND_N; k++) {
		pf->price[k].alone_ps = rng_below(rng, 6000);
		for (int d = DIST_CACHE; d < DIST_N; d++)
			pf->price[k].shared_ps[d] = rng_below(rng, 4) ? rng_below(rng, 90000) : 0;
		for (int g = 0; g < PRICE_GAPS; g++)
			pf->price[k].extra_ps[g][DIST_REMOTE] = rng_below(rng, 3) ? rng_below(rng, 90000) : 0;
	}
	pf->transfer_ps[DIST_CACHE] = rng_below(rng, 2) ? rng_below(rng, 100000) : 0;
	pf->transfer_ps[DIST_REMOTE] = rng_below(rng, 200000);
}

/* Phases [first, last) take turns, or each is over before the next begins. */
struct stretch {
	uint32_t first, last, repeats;
	uint32_t cut; /* phases that the last turn lacks */
	bool turns;
};

static uint32_t visits[16][2]; /* calls so far, by thread and site */

/* Main begins; later phases have threads that are there and up to three new ones. */
static void random_phase(struct maker *k, struct rng *rng, uint32_t site, uint32_t repeats, uint32_t *begun)
{
	static const char *const openers[] = {"create", "join", "barrier", "barrier"};
	uint32_t n = (uint32_t)k->m.n_phases, p = maker_phase(k, n ? openers[rng_below(rng, 4)] : "start");
	struct model_phase *ph = &k->m.phases[p];

	ph->repeats = repeats;
	ph->accepted = rng_below(rng, 10) != 0;
	for (uint32_t t = 0; t < k->m.n_threads; t++) {
		struct model_work *w;

		/* A thread starts once, so it does not in a phase that is repeated. */
		if (p ? t > *begun + (repeats > 1 ? 0 : 3) || !rng_below(rng, 4) : t > 0)
			continue;
		w = maker_work(k, p, t,
			       (double)(1000 + rng_below(rng, rng_below(rng, 4) ? 30000000 : 90000)));
		w->memory_ns = rng_below(rng, 3) ? rng_below(rng, 900000) : 0;
		if (t > *begun)
			w->starts = true;
		else if (p && rng_below(rng, 3))
			w->enter_site = site + (uint32_t)rng_below(rng, 2);
	}
	if (!ph->n_work)
		maker_work(k, p, 0, 5000);
	for (size_t i = 0; i < ph->n_work; i++)
		*begun = ph->work[i].thread > *begun ? ph->work[i].thread : *begun;
}

/* Count the calls as the run makes them. */
static void number_visits(struct maker *k, const struct stretch *s, uint32_t site)
{
	uint32_t n = s->last - s->first;

	for (uint32_t i = 0; i < n * s->repeats - s->cut; i++) {
		struct model_phase *ph = &k->m.phases[s->first + (s->turns ? i % n : i / s->repeats)];

		for (size_t j = 0; j < ph->n_work; j++) {
			struct model_work *w = &ph->work[j];
			uint32_t *calls =
				w->enter_site == MODEL_NONE ? NULL : &visits[w->thread][w->enter_site - site];

			if (!calls)
				continue;
			++*calls;
			if (!w->enter_visit)
				w->enter_visit = *calls;
			else if (!w->enter_every)
				w->enter_every = *calls - w->enter_visit;
		}
	}
}

static void random_phases(struct maker *k, struct rng *rng, struct rng *more, uint32_t site)
{
	uint32_t phases = 2 + (uint32_t)rng_below(rng, 7), begun = 0;

	memset(visits, 0, sizeof(visits));
	for (uint32_t p = 0; p < phases;) {
		struct stretch s = {.first = p, .last = p + 1, .repeats = 1};

		if (p && !rng_below(rng, 2)) {
			s.repeats = 2 + (uint32_t)rng_below(rng, 9);
			s.last = p + 1 + (uint32_t)rng_below(rng, 3);
			s.turns = rng_below(rng, 3) != 0;
			s.cut = s.turns ? (uint32_t)rng_below(more, s.last - p) : 0;
		}
		for (; p < s.last; p++)
			random_phase(k, rng, site, s.repeats - (p + s.cut >= s.last), &begun);
		number_visits(k, &s, site);
	}
}

static bool works(const struct model *m, uint32_t thread)
{
	for (size_t p = 0; p < m->n_phases; p++)
		for (size_t i = 0; i < m->phases[p].n_work; i++)
			if (m->phases[p].work[i].thread == thread)
				return true;
	return false;
}

/* Some threads of a phase do parts of their work under up to two locks. */
static void random_locks(struct model_phase *ph, struct rng *rng)
{
	uint32_t lock = 0;

	ph->serial = mem_new(2, sizeof(*ph->serial));
	for (int n = 0; n < 2; n++) {
		struct model_serial *s = &ph->serial[ph->n_serial];

		lock += 1 + (uint32_t)rng_below(rng, 2);
		*s = (struct model_serial){.lock = lock, .held = mem_new(ph->n_work, sizeof(*s->held))};
		for (uint32_t t = 0; t < 16; t++)
			for (size_t i = 0; i < ph->n_work; i++) {
				const struct model_work *w = &ph->work[i];

				if (w->thread == t && rng_below(rng, 4))
					s->held[s->n_held++] = (struct model_held){
						t, rng_below(rng, w->cycles + 1), w->memory_ns / 3};
			}
		ph->n_serial += s->n_held > 0;
		if (!s->n_held)
			free(s->held);
	}
	if (!ph->n_serial) {
		free(ph->serial);
		ph->serial = NULL;
	}
}

/* Two phases or more in which the conflict is, some with shares. */
static void random_meetings(struct model_conflict *c, size_t n_phases, struct rng *rng)
{
	bool shares = rng_below(rng, 2);
	double sum = 0;

	c->phases = mem_new(n_phases, sizeof(*c->phases));
	for (uint32_t p = 0; p < n_phases; p++)
		if (p + 2 - c->n_phases >= n_phases || rng_below(rng, 2))
			c->phases[c->n_phases++] =
				(struct model_meeting){p, shares ? 0.01 + rng_unit(rng) : 0};
	for (size_t i = 0; i < c->n_phases; i++)
		sum += c->phases[i].share;
	for (size_t i = 0; i < c->n_phases && shares; i++)
		c->phases[i].share /= sum;
}

static void random_model(struct maker *k, struct rng *rng)
{
	struct rng fork = *rng, more = rng_keyed(rng_u64(&fork), 11, 0, 0);
	uint32_t create, wait, n = 2 + (uint32_t)rng_below(rng, 6);

	maker_init(k, "random");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 1);
	wait = maker_site(k, "worker", "pthread_barrier_wait", 2);
	maker_site(k, "worker", "sem_wait", 3);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = maker_thread(k, "worker",
					  rng_below(rng, 3) ? 0 : (uint32_t)rng_below(rng, i + 1), create, i);

		k->m.threads[t].plannable = rng_below(rng, 9) != 0;
	}
	random_phases(k, rng, &more, wait);
	for (size_t p = 0; p < k->m.n_phases; p++)
		if (!rng_below(rng, 3))
			random_locks(&k->m.phases[p], rng);
	for (uint32_t t = 0; t < k->m.n_threads; t++)
		if (!works(&k->m, t))
			k->m.threads[t].plannable = false;
	for (uint32_t i = 0; i < rng_below(rng, 5); i++) {
		uint32_t a = (uint32_t)rng_below(rng, n);
		struct model_conflict *c;

		maker_conflict(k, a, a + 1 + (uint32_t)rng_below(rng, n - a), 1 + rng_unit(rng) * 40);
		c = &k->m.conflicts[k->m.n_conflicts - 1];
		c->a.kind = (enum prs_kind)rng_below(rng, 4);
		c->b.kind = (enum prs_kind)rng_below(rng, 4);
		c->b.accesses_per_kcycle = rng_unit(rng) * 60;
		if (rng_below(rng, 2)) {
			maker_visits(&c->a, rng_unit(rng) * 900);
			maker_visits(&c->b, rng_unit(rng) * 900);
		}
		if (!rng_below(rng, 3))
			c->phase = (uint32_t)rng_below(rng, k->m.n_phases);
		else if (!rng_below(&more, 3))
			random_meetings(c, k->m.n_phases, &more);
	}
}

/* ---- both sides ---- */

static size_t check(struct plan *plan, const char *what, uint64_t seed, bool expected)
{
	struct vplan vp = {0};
	struct vmodel vm[MODELS_MAX] = {{0}};
	struct vplatform vf = {0};
	struct findings list = {0};
	struct vcost sums[3];
	struct fault f;
	struct err err = ERR_INIT;
	bool readable;
	size_t n;

	if (plan_save(plan, plan_path, &err)) {
		printf("%s %llu: %s\n", what, (unsigned long long)seed, err.msg);
		bad++;
		return 0;
	}
	readable = !vplan_read(&vp, plan_path, &f) && !vplatform_read(&vf, platform_path, &f);
	for (size_t i = 0; readable && i < n_models; i++)
		readable = !vmodel_read(&vm[i], model_path[i], &f);
	if (!readable) {
		printf("%s %llu: %s\n", what, (unsigned long long)seed, f.text);
		bad++;
	} else {
		feasible_check(&vp, &vf, &list);
		if (!list.n)
			weighed_claims(&vp, vm, n_models, &vf, sums, &list);
	}
	n = list.n;
	for (size_t i = 0; i < n && expected && i < 4; i++)
		printf("%s %llu: %s\n", what, (unsigned long long)seed, list.line[i]);
	bad += expected ? n > 0 : n == 0;
	if (!expected && !n)
		printf("%s %llu: not found\n", what, (unsigned long long)seed);
	findings_release(&list);
	for (size_t i = 0; i < MODELS_MAX; i++)
		vmodel_release(&vm[i]);
	vplatform_release(&vf);
	vplan_release(&vp);
	return n;
}

static void wrong(struct plan *plan, uint64_t *figure, const char *what, uint64_t seed)
{
	++*figure;
	check(plan, what, seed, false);
	--*figure;
	figures++;
}

static void check_figures(struct plan *plan, uint64_t seed)
{
	struct plan_phase *ph = &plan->phases[seed % plan->n_phases];

	wrong(plan, &plan->time_ns, "time", seed);
	wrong(plan, &plan->energy_nj, "energy", seed);
	wrong(plan, &plan->peak_mw, "peak", seed);
	wrong(plan, &plan->base_time_ns, "time of the baseline", seed);
	wrong(plan, &plan->base_energy_nj, "energy of the baseline", seed);
	wrong(plan, &plan->relaxed_time_ns, "bound of the time", seed);
	wrong(plan, &plan->relaxed_energy_nj, "bound of the energy", seed);
	wrong(plan, &ph->time_ns, "time of a phase", seed);
	wrong(plan, &ph->energy_nj, "energy of a phase", seed);
	wrong(plan, &ph->peak_mw, "draw of a phase", seed);
}

/* A deadline and a cap that the plan just keeps to, and just does not. */
static void check_limits(struct plan *plan, uint64_t seed)
{
	plan->deadline_ns = plan->time_ns;
	plan->cap_mw = plan->peak_mw;
	check(plan, "limits kept to", seed, true);
	wrong(plan, &plan->phases[0].deadline_ns, "deadline of a phase", seed);
	plan->deadline_ns--;
	check(plan, "deadline", seed, false);
	plan->deadline_ns = 0;
	plan->cap_mw--;
	check(plan, "cap", seed, false);
	plan->cap_mw = 0;
}

static int save_inputs(const struct model *models, struct platform *pf, struct err *err)
{
	int ret;

	platform_complete(pf);
	ret = platform_save(pf, platform_path, err);
	for (size_t i = 0; i < n_models && !ret; i++)
		ret = model_save(&models[i], model_path[i], err);
	return ret;
}

/* The plan for @model, which is that of the files or what several of them are joined to. */
static void confirm(const struct model *model, struct platform *pf, const struct planner_options *o,
		    uint64_t seed)
{
	struct err err = ERR_INIT;
	struct planner p;
	struct plan plan;
	int ret = planner_run(&p, model, pf, o, &err);

	if (!ret)
		ret = planner_emit(&p.out, &plan, &err);
	if (ret) {
		printf("seed %llu: planner: %s\n", (unsigned long long)seed, err.msg);
		bad++;
		return;
	}
	plans++;
	several += o->inputs != NULL;
	gains += p.out.verdict == PLANNER_GAIN;
	triggers += (unsigned)plan.n_triggers;
	for (size_t i = 0; i < plan.n_phases; i++)
		loops += plan.phases[i].repeats > 1;
	check(&plan, "plan", seed, true);
	if (!keep) {
		check_figures(&plan, seed);
		check_limits(&plan, seed);
	}
	plan_release(&plan);
	planner_release(&p);
}

/* Each point of the front is a plan that can be read back, and whose figures are right. */
static void confirm_front(const struct model *model, struct platform *pf, const struct planner_options *o,
			  uint64_t seed)
{
	struct planner_options opts = *o;
	struct err err = ERR_INIT;
	struct planner p;
	int ret;

	opts.front = 16;
	ret = planner_run(&p, model, pf, &opts, &err);
	for (uint32_t i = 0; !ret && i < p.out.n_plans; i++) {
		struct plan plan;

		ret = planner_front_plan(&p, i, &plan, &err);
		check(&plan, "front", seed * 100 + i, true);
		plan_release(&plan);
		points++;
	}
	if (ret) {
		printf("front of seed %llu: %s\n", (unsigned long long)seed, err.msg);
		bad++;
		return;
	}
	fronts += p.out.n_plans > 0;
	planner_release(&p);
}

/* Threads that meet often, so that layouts and placement have something to mend. */
static void more_conflicts(struct model *m, uint64_t seed)
{
	struct maker k = {*m};
	struct rng rng = rng_keyed(seed, 13, 0, 0);
	uint32_t n = (uint32_t)m->n_threads - 1;

	for (uint32_t i = 0; i < 5; i++) {
		uint32_t a = (uint32_t)rng_below(&rng, n);

		maker_conflict(&k, a, a + 1 + (uint32_t)rng_below(&rng, n - a), 20 + rng_unit(&rng) * 80);
	}
	*m = k.m;
}

/* A variable for each second finding, so that its layout ends the conflict and placement has the others. */
static void propose(const struct model *m, struct plan *from)
{
	from->program = m->program;
	from->layouts = mem_new(m->n_conflicts + 1, sizeof(*from->layouts));
	for (size_t i = 0; i < m->n_conflicts; i += 2)
		from->layouts[from->n_layouts++] = (struct plan_layout){.kind = PLAN_LAYOUT_VARIABLE,
									.variable = m->conflicts[i].object,
									.file = m->program,
									.line = (uint32_t)i + 1,
									.align = 64,
									.size = 64 - i,
									.size_after = 64,
									.bytes = i,
									.evidence = m->conflicts[i].evidence};
}

/* What layouts save and what the four take, one off. */
static void check_choices(struct plan *plan, uint64_t seed)
{
	for (size_t i = 0; i < plan->n_layouts; i++) {
		wrong(plan, &plan->layouts[i].saves_ns, "saving", seed);
		wrong(plan, &plan->layouts[i].bytes, "bytes of a layout", seed);
	}
	for (size_t i = 0; i < plan->n_choices; i++)
		if (i != PLAN_PLACEMENT_ALONE) {
			wrong(plan, &plan->choices[i].time_ns, "choice", seed);
			wrong(plan, &plan->choices[i].bound_time_ns, "bound of a choice", seed);
		}
	wrong(plan, &plan->choices[PLAN_BOTH].bytes, "bytes", seed);
	check(plan, "plan with layouts", seed, true);
}

static void confirm_weighed(const struct model *model, struct platform *pf, struct planner_options o,
			    uint64_t seed)
{
	struct weigh_options limits = {.max_bytes = seed % 3 ? 0 : 2};
	struct plan from = {0}, plan;
	struct err err = ERR_INIT;
	struct weighing w;
	struct planner p;
	int ret;

	o.goal.objective = PLAN_TIME;
	propose(model, &from);
	ret = weigh_run(&w, model, pf, &from, &o, &limits, &err);
	if (!ret)
		ret = planner_run(&p, &w.model, pf, &o, &err);
	if (!ret)
		ret = planner_emit(&p.out, &plan, &err);
	if (!ret)
		ret = weigh_emit(&w, &p, &plan, &err);
	if (ret) {
		printf("seed %llu: %s\n", (unsigned long long)seed, err.msg);
		bad++;
		return;
	}
	plans++;
	gains += p.out.verdict == PLANNER_GAIN;
	taken += (unsigned)plan.n_layouts;
	check(&plan, "plan with layouts", seed, true);
	check_choices(&plan, seed);
	plan_release(&plan);
	planner_release(&p);
	weigh_release(&w);
	free(from.layouts);
}

static void confirm_one(struct maker *k, struct platform *pf, const struct planner_options *o, uint64_t seed)
{
	struct err err = ERR_INIT;

	n_models = 1;
	if (weigh)
		more_conflicts(&k->m, seed);
	if (save_inputs(&k->m, pf, &err)) {
		printf("seed %llu: %s\n", (unsigned long long)seed, err.msg);
		bad++;
		return;
	}
	if (weigh)
		confirm_weighed(&k->m, pf, *o, seed);
	else
		confirm(&k->m, pf, o, seed);
	if (!keep && seed % front_each == 0)
		confirm_front(&k->m, pf, o, seed);
}

/* Another input of the same program: other work, other turns, here and there other visits or none. */
static void vary(struct model *m, struct rng *rng)
{
	uint32_t shift = 0;

	for (size_t p = 0; p < m->n_phases; p++) {
		struct model_phase *ph = &m->phases[p];
		uint32_t more = ph->repeats > 1 && !rng_below(rng, 3) ? (uint32_t)rng_below(rng, 4) : 0;

		ph->repeats += more;
		for (size_t i = 0; i < ph->n_work; i++) {
			struct model_work *w = &ph->work[i];

			/* Work under locks is a part of it, and stays so. */
			w->cycles = w->cycles / 16 * ((ph->n_serial ? 16 : 1) + rng_below(rng, 40)) + 16;
			w->enter_visit += w->enter_visit ? shift + !rng_below(rng, 12) : 0;
		}
		/* More turns here are more calls before what comes later. */
		shift += more;
		if (ph->n_work > 1 && !ph->n_serial && !rng_below(rng, 8))
			ph->n_work--;
	}
	for (uint32_t t = 0; t < m->n_threads; t++)
		if (!works(m, t))
			m->threads[t].plannable = false;
	for (size_t i = 0; i < m->n_conflicts; i++) {
		struct model_side *b = &m->conflicts[i].b;

		b->accesses_per_kcycle = rng_unit(rng) * 50;
		maker_visits(b, b->gap_cycles);
	}
}

static void confirm_several(struct platform *pf, struct planner_options *o, uint64_t seed)
{
	static const char *const names[MODELS_MAX] = {"a", "b", "c"};
	struct err err = ERR_INIT;
	struct model models[MODELS_MAX];
	struct maker k[MODELS_MAX];
	struct inputs in;

	n_models = 2 + seed % 2;
	for (size_t i = 0; i < n_models; i++) {
		struct rng same = rng_keyed(seed, 8, 0, 0), own = rng_keyed(seed, 9, i, 0);

		random_model(&k[i], &same);
		if (i)
			vary(&k[i].m, &own);
		models[i] = k[i].m;
	}
	if (save_inputs(models, pf, &err) || inputs_join(&in, models, names, (uint32_t)n_models, &err)) {
		printf("seed %llu: %s\n", (unsigned long long)seed, err.msg);
		bad++;
	} else {
		o->inputs = &in;
		o->over = seed % 3 ? PLAN_OVER_MEAN : PLAN_OVER_WORST;
		confirm(&in.joined, pf, o, seed);
		inputs_release(&in);
	}
	for (size_t i = 0; i < n_models; i++)
		model_release(&k[i].m);
}

static void confirm_random(uint64_t seed)
{
	struct rng rng = rng_keyed(seed, 7, 0, 0);
	struct planner_options o = {.goal.objective = (enum plan_objective)rng_below(&rng, 4),
				    .kind = (enum plan_kind)(rng_below(&rng, 5) % PLAN_KINDS),
				    .baseline = (enum baseline)rng_below(&rng, BASELINE_N),
				    .seed = seed,
				    .method = rng_below(&rng, 2) ? PLANNER_EXACT : PLANNER_GENETIC,
				    .evaluations = 2000};
	struct platform pf;
	struct maker k;

	name_files(seed);
	random_platform(&pf, &rng);
	if (seed % 4) {
		random_model(&k, &rng);
		confirm_one(&k, &pf, &o, seed);
		model_release(&k.m);
	} else if (!weigh) {
		confirm_several(&pf, &o, seed);
	}
	platform_release(&pf);
}

static void confirm_gates(void)
{
	for (size_t i = 0; i < GATE_CASES; i++) {
		struct planner_options o = {.goal.objective = PLAN_ENERGY};
		struct platform pf;
		struct maker k;

		if (platform_find(&pf, "xeon-e5320", NULL))
			exit(9);
		gate_scaled(&k, &gate_cases[i], &pf);
		confirm_one(&k, &pf, &o, 1000000 + i);
		model_release(&k.m);
		platform_release(&pf);
	}
}

int main(int argc, char **argv)
{
	if (argc < 4 || argc > 5)
		return 9;
	folder = argv[1];
	weigh = argc == 5 && !strcmp(argv[4], "weigh");
	keep = weigh || (argc == 5 && !strcmp(argv[4], "keep"));
	if (argc == 5 && !keep)
		front_each = strtoull(argv[4], NULL, 10) + !atoi(argv[4]);
	name_files(0);
	if (!keep)
		confirm_gates();
	for (uint64_t seed = strtoull(argv[2], NULL, 10); seed <= strtoull(argv[3], NULL, 10); seed++)
		confirm_random(seed);
	printf("%u plans, %u of them gain, %u for several models, %u triggers, %u loops; %u figures changed; "
	       "%u fronts of %u points; %u wrong answers\n",
	       plans, gains, several, triggers, loops, figures, fronts, points, bad);
	if (weigh)
		printf("%u layouts taken\n", taken);
	return bad != 0;
}
