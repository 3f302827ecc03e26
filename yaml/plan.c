/* SPDX-License-Identifier: MIT */
#include "yaml/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "yaml/manifest.h"
#include "yaml/plan-layout.h"
#include "yaml/platform.h"
#include "yaml/tables.h"

static const char *const objectives[] = {"time", "energy", "edp", "power", NULL};
const char *const plan_kind_words[PLAN_KINDS + 1] = {
	[PLAN_KIND_CALL] = "call", [PLAN_KIND_PHASE] = "phase", [PLAN_KIND_START] = "start", NULL};
static const char *const overs[] = {"mean", "worst", NULL};
static const char *const points[] = {"program-start", "thread-start", "call", NULL};
const char *const plan_flush_words[] = {
	[PLAN_FLUSH_FTZ] = "ftz", [PLAN_FLUSH_DAZ] = "daz", [PLAN_FLUSH_BOTH] = "ftz-daz", NULL};
static const char *const action_kinds[] = {"pin", "step", NULL};

#define WHEN(type, member, value) .when = offsetof(type, member), .when_mask = 1u << (value)

static const struct schema_field thread_fields[] = {
	F_INDEX,
	F_STRING(struct plan_thread, name),
	F_REF(struct plan_thread, creator, "threads", ABSENT),
	F_REF(struct plan_thread, create_site, "sites", ABSENT),
	F_U32(struct plan_thread, ordinal),
	F_U32(struct plan_thread, core, ABSENT),
	F_STRING(struct plan_thread, evidence, OPTIONAL),
	F_STRING(struct plan_thread, reason, OPTIONAL),
	F_END,
};
static const struct schema thread_schema = {"a thread", sizeof(struct plan_thread), thread_fields, false};

static const struct schema_field site_fields[] = {
	F_INDEX,
	F_HEX(struct plan_site, id, 16, 16),
	F_HEX(struct plan_site, instance, 8, 8, .flags = SCHEMA_STAR),
	F_STRING(struct plan_site, unit),
	F_STRING(struct plan_site, function),
	F_STRING(struct plan_site, callee),
	F_STRING(struct plan_site, file),
	F_U32(struct plan_site, line),
	F_U32(struct plan_site, equal, OPTIONAL),
	F_HEX(struct plan_site, near, 8, 8, OPTIONAL),
	F_END,
};
static const struct schema site_schema = {"a site", sizeof(struct plan_site), site_fields, false};

static const struct schema_field action_fields[] = {
	F_ENUM(struct plan_action, kind, action_kinds),
	F_U32(struct plan_action, core, WHEN(struct plan_action, kind, PLAN_PIN)),
	F_U32(struct plan_action, domain, WHEN(struct plan_action, kind, PLAN_STEP)),
	F_U32(struct plan_action, khz, WHEN(struct plan_action, kind, PLAN_STEP), .min = 1),
	F_END,
};
static const struct schema action_schema = {"an action", sizeof(struct plan_action), action_fields, false};

static const struct schema_field trigger_fields[] = {
	F_U32(struct plan_trigger, number, .min = 1, .max = 9999),
	F_ENUM(struct plan_trigger, at, points),
	F_REF(struct plan_trigger, thread, "threads"),
	F_REF(struct plan_trigger, site, "sites", WHEN(struct plan_trigger, at, PLAN_AT_CALL)),
	F_BOOL(struct plan_trigger, after, WHEN(struct plan_trigger, at, PLAN_AT_CALL)),
	F_U32(struct plan_trigger, first, WHEN(struct plan_trigger, at, PLAN_AT_CALL), .min = 1),
	F_U32(struct plan_trigger, every, WHEN(struct plan_trigger, at, PLAN_AT_CALL)),
	F_LIST(struct plan_trigger, actions, action_schema),
	F_STRING(struct plan_trigger, evidence, OPTIONAL),
	F_STRING(struct plan_trigger, reason, OPTIONAL),
	F_END,
};
static const struct schema trigger_schema = {"a trigger", sizeof(struct plan_trigger), trigger_fields, false};

static const struct schema_field flush_fields[] = {
	F_U32(struct plan_flush, number, .min = 1, .max = PLAN_FLUSHES),
	F_STRING(struct plan_flush, unit),
	F_STRING(struct plan_flush, function),
	F_U32(struct plan_flush, line, OPTIONAL),
	F_U32(struct plan_flush, entry, .max = PLAN_FP_LIMIT - 1),
	F_ENUM(struct plan_flush, set, plan_flush_words),
	F_U64(struct plan_flush, births, OPTIONAL),
	F_U64(struct plan_flush, cost_ns, OPTIONAL),
	F_STRING(struct plan_flush, change, OPTIONAL),
	F_STRING(struct plan_flush, evidence, OPTIONAL),
	F_STRING(struct plan_flush, reason, OPTIONAL),
	F_END,
};
static const struct schema flush_schema = {"a flush", sizeof(struct plan_flush), flush_fields, false};

static const struct schema_field phase_fields[] = {
	F_INDEX,
	F_STRING(struct plan_phase, name),
	F_U32(struct plan_phase, repeats, .min = 1),
	F_U64(struct plan_phase, time_ns),
	F_U64(struct plan_phase, energy_nj, OPTIONAL),
	F_U64(struct plan_phase, peak_mw, OPTIONAL),
	F_U64(struct plan_phase, deadline_ns, OPTIONAL),
	F_U32(struct plan_phase, first, ABSENT),
	F_U32(struct plan_phase, last, ABSENT),
	F_END,
};
static const struct schema phase_schema = {"a phase", sizeof(struct plan_phase), phase_fields, false};

static const struct schema_field place_fields[] = {
	F_REF(struct plan_place, thread, "threads"),
	F_REF(struct plan_place, phase, "phases"),
	F_U32(struct plan_place, core),
	F_END,
};
static const struct schema place_schema = {"a place", sizeof(struct plan_place), place_fields, true};

static const struct schema_field input_fields[] = {
	F_HEX(struct plan_input, model_sha256, 64, 64),
	F_END,
};
static const struct schema input_schema = {"an input", sizeof(struct plan_input), input_fields, false};

static const struct schema_field reach_fields[] = {
	F_ENUM(struct plan_reach, kind, plan_kind_words),
	F_U64(struct plan_reach, time_ns),
	F_U64(struct plan_reach, energy_nj),
	F_U32(struct plan_reach, triggers),
	F_END,
};
static const struct schema reach_schema = {"a kind of plan", sizeof(struct plan_reach), reach_fields, true};

static const struct schema_field breakeven_fields[] = {
	F_STRING(struct plan_breakeven, parameter),
	F_DOUBLE(struct plan_breakeven, value),
	F_DOUBLE(struct plan_breakeven, at),
	F_STRING(struct plan_breakeven, unit),
	F_END,
};
static const struct schema breakeven_schema = {"a break-even", sizeof(struct plan_breakeven),
					       breakeven_fields, false};

static const struct schema_field regret_fields[] = {
	F_STRING(struct plan_regret, baseline),
	F_U64(struct plan_regret, time_ns),
	F_U64(struct plan_regret, energy_nj),
	F_END,
};
static const struct schema regret_schema = {"another baseline", sizeof(struct plan_regret), regret_fields,
					    false};

static const struct schema_field plan_fields[] = {
	F_STRING(struct plan, program),
	F_HEX(struct plan, build_id, 2, 128, OPTIONAL),
	F_HEX(struct plan, sites_sha256, 64, 64, OPTIONAL),
	F_HEX(struct plan, model_sha256, 64, 64),
	F_STRING(struct plan, platform_name),
	F_HEX(struct plan, platform_sha256, 64, 64),
	F_U32(struct plan, n_cores, .min = 1, .max = PLATFORM_MAX_CORES),
	F_U32(struct plan, max_core_id, .max = 65535),
	F_STRING(struct plan, cpu, OPTIONAL),
	F_ENUM(struct plan, objective, objectives),
	F_U64(struct plan, deadline_ns, OPTIONAL),
	F_U64(struct plan, cap_mw, OPTIONAL),
	F_ENUM(struct plan, kind, plan_kind_words, OPTIONAL),
	F_ENUM(struct plan, over, overs, OPTIONAL),
	F_U64(struct plan, seed),
	F_STRING(struct plan, method),
	F_U64(struct plan, evaluations),
	F_STRING(struct plan, baseline),
	F_HEX(struct plan, baseline_sha256, 64, 64, OPTIONAL),
	F_U64(struct plan, base_time_ns),
	F_U64(struct plan, base_energy_nj, OPTIONAL),
	F_U64(struct plan, time_ns),
	F_U64(struct plan, energy_nj, OPTIONAL),
	F_U64(struct plan, peak_mw, OPTIONAL),
	F_U64(struct plan, bound_time_ns, OPTIONAL),
	F_U64(struct plan, bound_energy_nj, OPTIONAL),
	F_U64(struct plan, relaxed_time_ns, OPTIONAL),
	F_U64(struct plan, relaxed_energy_nj, OPTIONAL),
	F_U64(struct plan, simulated_time_ns, OPTIONAL),
	F_U64(struct plan, simulated_energy_nj, OPTIONAL),
	F_BOOL(struct plan, proven),
	F_STRING(struct plan, turns_on, OPTIONAL),
	F_LIST(struct plan, threads, thread_schema),
	F_LIST(struct plan, sites, site_schema, OPTIONAL),
	F_LIST(struct plan, triggers, trigger_schema, OPTIONAL),
	F_LIST(struct plan, flushes, flush_schema, OPTIONAL),
	F_LIST(struct plan, layouts, plan_layout_schema, OPTIONAL),
	F_LIST(struct plan, choices, plan_choice_schema, OPTIONAL),
	F_LIST(struct plan, phases, phase_schema, OPTIONAL),
	F_LIST(struct plan, base_places, place_schema, OPTIONAL),
	F_LIST(struct plan, free_places, place_schema, OPTIONAL),
	F_LIST(struct plan, inputs, input_schema, OPTIONAL),
	F_LIST(struct plan, kinds, reach_schema, OPTIONAL),
	F_LIST(struct plan, breakevens, breakeven_schema, OPTIONAL),
	F_LIST(struct plan, regret, regret_schema, OPTIONAL),
	F_END,
};
static const struct schema plan_schema = {"a plan", sizeof(struct plan), plan_fields, false};

static int check_threads(const struct doc *d, const struct plan *p, struct err *err)
{
	char path[64];

	for (size_t i = 0; i < p->n_threads; i++) {
		const struct plan_thread *t = &p->threads[i];

		snprintf(path, sizeof(path), "threads.%zu.creator", i);
		if (!i && t->creator != PLAN_NONE)
			return doc_fail(d, doc_at(d, path), err, "thread 0 is main, it has no creator");
		if (i && t->creator != PLAN_NONE && t->creator >= i)
			return doc_fail(d, doc_at(d, path), err,
					"a thread must stand after the thread that created it");
		snprintf(path, sizeof(path), "threads.%zu.core", i);
		if (t->core != PLAN_NONE && t->core > p->max_core_id)
			return doc_fail(d, doc_at(d, path), err,
					"unknown core %" PRIu32 "\n  the plan is for cores up to %" PRIu32,
					t->core, p->max_core_id);
	}
	return 0;
}

static int check_triggers(const struct doc *d, struct plan *p, struct err *err)
{
	char path[64];

	for (size_t i = 0; i < p->n_triggers; i++) {
		struct plan_trigger *t = &p->triggers[i];

		if (t->at != PLAN_AT_CALL)
			t->site = PLAN_NONE;
		snprintf(path, sizeof(path), "triggers.%zu.number", i);
		if (i && t->number <= p->triggers[i - 1].number)
			return doc_fail(d, doc_at(d, path), err,
					"trigger numbers must ascend: %" PRIu32 " follows %" PRIu32,
					t->number, p->triggers[i - 1].number);
		snprintf(path, sizeof(path), "triggers.%zu.thread", i);
		if (t->at == PLAN_AT_PROGRAM_START && t->thread)
			return doc_fail(d, doc_at(d, path), err,
					"a program-start trigger belongs to thread 0, main");
		for (size_t k = 0; k < t->n_actions; k++) {
			const struct plan_action *a = &t->actions[k];

			snprintf(path, sizeof(path), "triggers.%zu.actions.%zu.core", i, k);
			if (a->kind == PLAN_PIN && a->core > p->max_core_id)
				return doc_fail(d, doc_at(d, path), err,
						"unknown core %" PRIu32
						"\n  the plan is for cores up to %" PRIu32,
						a->core, p->max_core_id);
		}
	}
	return 0;
}

/* What is wrong with flush @i, and at which key; NULL: nothing. */
static const char *flush_fault(const struct plan *p, size_t i, const char **key)
{
	const struct plan_flush *f = &p->flushes[i], *before = i ? f - 1 : f;

	*key = "number";
	if (i && f->number <= before->number)
		return "flushes must ascend by number";
	*key = "entry";
	if (f->entry & (PLAN_FP_FLAGS | plan_flush_bits(PLAN_FLUSH_BOTH)))
		return "the register on entry has neither flags nor bits of a flush";
	if (f->entry != before->entry)
		return "all flushes of a plan expect the same register on entry";
	*key = "set";
	if (f->set != before->set)
		return "all flushes of a plan set the same bits, since one may run inside another";
	*key = "function";
	for (size_t k = 0; k < i; k++)
		if (!strcmp(p->flushes[k].unit, f->unit) && !strcmp(p->flushes[k].function, f->function))
			return "this function has a flush already";
	return NULL;
}

static int check_flushes(const struct doc *d, const struct plan *p, struct err *err)
{
	char path[64];

	for (size_t i = 0; i < p->n_flushes; i++) {
		const char *key, *fault = flush_fault(p, i, &key);

		snprintf(path, sizeof(path), "flushes.%zu.%s", i, key);
		if (fault)
			return doc_fail(d, doc_at(d, path), err, "%s", fault);
	}
	return 0;
}

static int check_phases(const struct doc *d, const struct plan *p, struct err *err)
{
	char path[64];

	for (size_t i = 0; i < p->n_phases; i++) {
		const struct plan_phase *ph = &p->phases[i];

		snprintf(path, sizeof(path), "phases.%zu.last", i);
		if ((ph->first == PLAN_NONE) != (ph->last == PLAN_NONE) || ph->first > ph->last)
			return doc_fail(d, doc_at(d, path), err,
					"`first` and `last` go together, and `last` is not before `first`");
	}
	return 0;
}

static int check_places(const struct doc *d, const struct plan *p, const char *list,
			const struct plan_place *places, size_t n, struct err *err)
{
	char path[64];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s.%zu.core", list, i);
		if (places[i].core > p->max_core_id)
			return doc_fail(d, doc_at(d, path), err,
					"unknown core %" PRIu32 "\n  the plan is for cores up to %" PRIu32,
					places[i].core, p->max_core_id);
		if (i &&
		    (places[i].thread < places[i - 1].thread ||
		     (places[i].thread == places[i - 1].thread && places[i].phase <= places[i - 1].phase)))
			return doc_fail(d, doc_at(d, path), err,
					"places must ascend by thread, then by phase");
	}
	return 0;
}

static int check_plan(const struct doc *d, void *obj, struct err *err)
{
	const struct plan *p = obj;
	int ret = check_threads(d, obj, err);

	if (!ret)
		ret = check_triggers(d, obj, err);
	if (!ret)
		ret = check_flushes(d, p, err);
	if (!ret)
		ret = plan_layouts_check(d, p, err);
	if (!ret)
		ret = check_phases(d, p, err);
	if (!ret)
		ret = check_places(d, p, "base_places", p->base_places, p->n_base_places, err);
	return ret ? ret : check_places(d, p, "free_places", p->free_places, p->n_free_places, err);
}

static const struct schema_document document = {"plan", PLAN_VERSION, &plan_schema, check_plan};

/* ---- against a platform ---- */

static const struct platform_core *find_core(const struct platform *f, uint32_t id)
{
	for (uint32_t i = 0; i < f->n_cores; i++)
		if (f->cores[i].id == id)
			return &f->cores[i];
	return NULL;
}

static int check_core(const struct doc *d, const char *path, uint32_t id, const struct platform *f,
		      struct err *err)
{
	const struct platform_core *core = find_core(f, id);

	if (core && core->usable)
		return 0;
	doc_fail(d, doc_at(d, path), err, core ? "core %" PRIu32 " is not usable" : "unknown core %" PRIu32,
		 id);
	if (core)
		err_advise(err, "the affinity mask that platform `%s` was made with leaves it out", f->name);
	else
		err_advise(err, "platform `%s` has cores %" PRIu32 " to %" PRIu32, f->name, f->cores[0].id,
			   f->cores[f->n_cores - 1].id);
	err_advise(err, "perseus calibrate --list shows the platforms known here");
	return -EINVAL;
}

static int check_step(const struct doc *d, const char *path, const struct plan_action *a,
		      const struct platform *f, struct err *err)
{
	if (a->domain >= f->n_domains)
		return doc_fail(d, doc_at(d, path), err,
				"unknown frequency domain %" PRIu32
				"\n  platform `%s` has domains 0 to %" PRIu32,
				a->domain, f->name, f->n_domains - 1);
	for (uint32_t s = 0; s < f->n_steps; s++)
		if (f->steps[s].khz == a->khz)
			return 0;
	return doc_fail(d, doc_at(d, path), err,
			"unknown frequency step %" PRIu32 " kHz\n  platform `%s` has %" PRIu32
			" steps from %" PRIu32 " to %" PRIu32 " kHz",
			a->khz, f->name, f->n_steps, f->steps[f->n_steps - 1].khz, f->steps[0].khz);
}

static int check_action(const struct doc *d, size_t trigger, size_t k, const struct plan_action *a,
			const struct platform *f, struct err *err)
{
	char path[96];

	snprintf(path, sizeof(path), "triggers.%zu.actions.%zu.%s", trigger, k,
		 a->kind == PLAN_PIN         ? "core"
		 : a->domain >= f->n_domains ? "domain"
					     : "khz");
	return a->kind == PLAN_PIN ? check_core(d, path, a->core, f, err) : check_step(d, path, a, f, err);
}

static int check_on_platform(const struct doc *d, const struct plan *p, const struct platform *f,
			     struct err *err)
{
	char path[64];
	int ret = 0;

	for (size_t i = 0; i < p->n_threads && !ret; i++) {
		snprintf(path, sizeof(path), "threads.%zu.core", i);
		if (p->threads[i].core != PLAN_NONE)
			ret = check_core(d, path, p->threads[i].core, f, err);
	}
	for (size_t i = 0; i < p->n_triggers && !ret; i++)
		for (size_t k = 0; k < p->triggers[i].n_actions && !ret; k++)
			ret = check_action(d, i, k, &p->triggers[i].actions[k], f, err);
	if (!ret && p->n_cores != f->n_cores)
		ret = doc_fail(d, doc_at(d, "n_cores"), err,
			       "the plan is for %" PRIu32 " cores, platform `%s` has %" PRIu32, p->n_cores,
			       f->name, f->n_cores);
	return ret;
}

int plan_load_for(struct plan *p, const char *path, const struct platform *platform, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct doc d;
	int ret;

	memset(p, 0, sizeof(*p));
	ret = fs_read(path, DOC_MAX_BYTES, &text, err);
	if (!ret)
		ret = document_parse_keep(&document, p, text.s, text.len, path, &d, err);
	strbuf_release(&text);
	if (ret)
		return ret;
	ret = check_on_platform(&d, p, platform, err);
	doc_release(&d);
	if (ret)
		plan_release(p);
	return ret;
}

int plan_load(struct plan *p, const char *path, struct err *err)
{
	return document_load(&document, p, path, err);
}

int plan_parse(struct plan *p, const char *text, size_t len, const char *name, struct err *err)
{
	return document_parse(&document, p, text, len, name, err);
}

int plan_save(const struct plan *p, const char *path, struct err *err)
{
	return document_save(&document, p, path, err);
}

void plan_text(const struct plan *p, struct strbuf *out)
{
	document_text(&document, p, out);
}

void plan_hash(const struct plan *p, char *hex)
{
	document_hash(&document, p, hex);
}

void plan_release(struct plan *p)
{
	document_release(&document, p);
}

void plan_begin(struct plan *p, const struct manifest *m, const struct platform *here, const char *method)
{
	struct strbuf text = STRBUF_INIT;
	struct sha256 sum;
	char hex[65];

	manifest_text(m, &text);
	sha256_init(&sum);
	sha256_add(&sum, text.s, text.len);
	sha256_hex(&sum, hex);
	strbuf_release(&text);
	p->program = mem_strdup(m->program);
	p->model_sha256 = mem_strdup(hex);
	platform_hash(here, hex);
	p->platform_sha256 = mem_strdup(hex);
	p->platform_name = mem_strdup(here->name);
	p->n_cores = here->n_cores;
	for (uint32_t i = 0; i < here->n_cores; i++)
		p->max_core_id = here->cores[i].id > p->max_core_id ? here->cores[i].id : p->max_core_id;
	p->cpu = here->cpu ? mem_strdup(here->cpu) : NULL;
	p->kind = PLAN_KIND_CALL;
	p->seed = 1;
	p->method = mem_strdup(method);
	p->baseline = mem_strdup("as recorded");
	p->base_time_ns = p->time_ns = m->wall_ns; /* a gain is not promised: perseus prove measures it */
	p->threads = mem_new(1, sizeof(*p->threads));
	p->n_threads = 1;
	p->threads[0] = (struct plan_thread){.name = mem_strdup("main"),
					     .creator = PLAN_NONE,
					     .create_site = PLAN_NONE,
					     .core = PLAN_NONE};
}

uint32_t plan_flush_bits(enum plan_flush_bits set)
{
	static const uint32_t bits[] = {
		[PLAN_FLUSH_FTZ] = 0x8000, [PLAN_FLUSH_DAZ] = 0x0040, [PLAN_FLUSH_BOTH] = 0x8040};

	return bits[set];
}

size_t plan_thread_starts(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_threads; i++)
		n += plan_sets_at_start(p, i);
	return n;
}

size_t plan_call_triggers(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_triggers; i++)
		n += p->triggers[i].at == PLAN_AT_CALL;
	return n;
}

bool plan_calls_code(const struct plan *p)
{
	bool created = false;

	for (size_t i = 0; i < p->n_threads; i++)
		created |= p->threads[i].create_site != PLAN_NONE;
	return created || plan_thread_starts(p) || plan_call_triggers(p) || p->n_flushes;
}

enum plan_kind plan_kind_of(const char *word)
{
	int kind = 0;

	while (kind < PLAN_KINDS && strcmp(word, plan_kind_words[kind]))
		kind++;
	return (enum plan_kind)kind;
}

bool plan_sets_at_start(const struct plan *p, size_t thread)
{
	if (p->threads[thread].core != PLAN_NONE)
		return true;
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].at != PLAN_AT_CALL && p->triggers[i].thread == thread)
			return true;
	return false;
}
