/* SPDX-License-Identifier: MIT */
/* The pack as a whole: read, run the gates, write. */
#include "evidence/pack/pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pages/pages.h"

int evidence_read(struct evidence *p, const struct evidence_input *in, struct err *err)
{
	int ret;

	*p = (struct evidence){.in = in};
	ret = items_read(p, err);
	if (ret)
		return ret;
	functions_read(p);
	derived_make(p);
	ret = requirements_read(p, err);
	return ret ? ret : symbols_read(p, err);
}

static void evidence_make_copy(struct evidence *p, const char *path, const char *role,
			       const struct evidence_source *from)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_add(&text, from->text, from->len);
	evidence_put(p, path, role, from->path, &text);
}

static void copy_inputs(struct evidence *p)
{
	const struct evidence_input *in = p->in;
	const char *dot = in->requirements.path ? strrchr(in->requirements.path, '.') : NULL;

	evidence_make_copy(p, "inputs/plan.yaml", "plan", &in->plan_file);
	if (in->requirements.path)
		evidence_make_copy(
			p, dot && dot[1] == 'y' ? "inputs/requirements.yaml" : "inputs/requirements.csv",
			"requirements", &in->requirements);
	if (in->previous)
		evidence_make_copy(p, "inputs/previous-plan.yaml", "previous plan", &in->previous_file);
	if (in->platform.path)
		evidence_make_copy(p, "inputs/platform.yaml", "platform", &in->platform);
	for (size_t i = 0; i < in->n_models; i++) {
		char *name = evidence_model_name(i);

		evidence_make_copy(p, name, "model", &in->models[i]);
		free(name);
	}
	for (size_t i = 0; i < in->n_attached; i++) {
		char *name = evidence_stored_name("attached", i + 1, in->attached[i].path);

		evidence_make_copy(p, name, "attached", &in->attached[i]);
		free(name);
	}
	for (size_t i = 0, k = 0; i < p->objects.n; i++) {
		bool binary = p->objects.at[i].is_binary;

		evidence_make_copy(p, p->objects.at[i].name, binary ? "binary" : "object",
				   binary ? &in->binary : &in->objects[k++]);
	}
	for (size_t i = 0; i < in->n_generated; i++) {
		struct strbuf path = STRBUF_INIT;

		strbuf_printf(&path, "generated/%s", in->generated[i].path);
		evidence_make_copy(p, path.s, "generated file", &in->generated[i]);
		strbuf_release(&path);
	}
}

typedef void text_fn(const struct evidence *p, struct strbuf *out);

static void evidence_make_text(struct evidence *p, const char *path, const char *role, text_fn *write)
{
	struct strbuf out = STRBUF_INIT;

	write(p, &out);
	evidence_put(p, path, role, NULL, &out);
}

static void texts(struct evidence *p)
{
	evidence_make_text(p, "trace.csv", "trace matrix", trace_csv);
	evidence_make_text(p, "trace.html", "trace matrix to click through", trace_html);
	evidence_make_text(p, "library.csv", "generated files that are reviewed once, by their hash",
			   library_csv);
	evidence_make_text(p, "trace-tests.csv", "requirements, derived requirements, tests, results",
			   tests_csv);
	evidence_make_text(p, "deactivated.md", "deactivated and defensive code", deactivated_md);
	evidence_make_text(p, "coupling.md", "data and control coupling", coupling_md);
	evidence_make_text(p, "requirements-derived.csv", "derived requirements", derived_csv);
	evidence_make_text(p, "requirements-derived.md", "derived requirements, to read", derived_md);
	evidence_make_text(p, "checklist.md", "review checklist, to be filled by a person", checklist_md);
	evidence_make_text(p, "known-problems.md", "known problems", problems_md);
	evidence_make_text(p, "amc-20-193.md", "dossier of AMC 20-193 objectives", dossier_md);
	if (p->in->previous)
		evidence_make_text(p, "impact.md", "change impact", impact_md);
	evidence_make_text(p, "gates.csv", "verdicts of all gates", gates_csv);
	evidence_make_text(p, "tools.csv", "tools, versions, flags", tools_csv);
	evidence_make_text(p, "index.md", "what this pack holds", index_md);
}

static int run_gates(struct gate_env *b, struct err *err)
{
	static const struct {
		int (*run)(struct gate_env *, struct err *);
		const char *name;
	} gates[] = {{gate_compilers, "warnings of compilers"},
		     {gate_misra, "MISRA C:2012"},
		     {gate_proof, "proofs"},
		     {gate_stack, "stack and loops"},
		     {gate_coverage, "unit test and coverage"},
		     {gate_platform, "unit test of the platform file"},
		     {gate_source, "perseus-source-check"},
		     {gate_verify, "perseus-verify"},
		     {gate_object, "flown objects"}, /* behind what says that they are in the program */
		     {gate_plan, "perseus-plan-check"},
		     {config_csv, "configuration"}};
	const struct evidence_input *in = b->pack->in;
	size_t n = sizeof(gates) / sizeof(gates[0]);
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		if (in->progress)
			in->progress(in->progress_ctx, gates[i].name, i + 1, n);
		ret = gates[i].run(b, err);
	}
	return ret;
}

static int put_generated(struct gate_env *b, struct err *err)
{
	const struct evidence_input *in = b->pack->in;
	int ret = 0;

	for (size_t i = 0; !ret && i < in->n_generated; i++)
		ret = run_put(&b->place, in->generated[i].path, in->generated[i].text, in->generated[i].len,
			      err);
	return ret;
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const struct evidence_file *)x)->path, ((const struct evidence_file *)y)->path);
}

int evidence_make(struct evidence *p, struct err *err)
{
	struct gate_env b = {.pack = p};
	int ret = run_begin(&b.place, err);

	if (ret)
		return ret;
	evidence_tool(p, "perseus", p->in->version, "", "writes the generated files and this pack");
	ret = put_generated(&b, err);
	if (!ret)
		ret = run_gates(&b, err);
	run_end(&b.place);
	if (ret)
		return ret;
	built_tools(p);
	copy_inputs(p);
	texts(p);
	qsort(p->files.at, p->files.n, sizeof(*p->files.at), by_path);
	return 0;
}

/* ---- release ---- */

static void free_words(struct evidence_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->at[i]);
	vec_release(w);
}

static void release_plan_side(struct evidence *p)
{
	for (size_t i = 0; i < p->items.n; i++) {
		struct evidence_item *it = &p->items.at[i];

		free(it->id);
		free(it->place);
		free(it->function);
		free(it->thread);
		free(it->point);
		free(it->settings);
		free_words(&it->findings);
		vec_release(&it->requirements);
	}
	for (size_t i = 0; i < p->derived.n; i++) {
		struct evidence_derived *d = &p->derived.at[i];

		free(d->id);
		free(d->text);
		free(d->why);
		free(d->how);
		free_words(&d->functions);
		vec_release(&d->requirements);
	}
	for (size_t i = 0; i < p->requirements.n; i++) {
		free(p->requirements.at[i].id);
		free(p->requirements.at[i].text);
		match_release(&p->requirements.at[i].targets);
	}
}

static void release_built_side(struct evidence *p)
{
	for (size_t i = 0; i < p->objects.n; i++) {
		struct evidence_object *o = &p->objects.at[i];

		for (size_t k = 0; k < o->symbols.n; k++)
			free(o->symbols.at[k].name);
		vec_release(&o->symbols);
		free(o->name);
	}
	for (size_t i = 0; i < p->gates.n; i++) {
		free(p->gates.at[i].name);
		free(p->gates.at[i].detail);
	}
	for (size_t i = 0; i < p->tools.n; i++) {
		free(p->tools.at[i].name);
		free(p->tools.at[i].version);
		free(p->tools.at[i].flags);
		free(p->tools.at[i].use);
	}
	for (size_t i = 0; i < p->files.n; i++) {
		free(p->files.at[i].path);
		free(p->files.at[i].given);
		strbuf_release(&p->files.at[i].text);
	}
}

void evidence_release(struct evidence *p)
{
	release_plan_side(p);
	release_built_side(p);
	vec_release(&p->items);
	vec_release(&p->derived);
	vec_release(&p->requirements);
	vec_release(&p->objects);
	vec_release(&p->gates);
	vec_release(&p->tools);
	vec_release(&p->files);
	free_words(&p->untraced);
	outline_release(&p->outline);
	free(p->owner);
	*p = (struct evidence){0};
}
