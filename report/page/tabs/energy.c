/* SPDX-License-Identifier: MIT */
/* Joules of the run, where a meter was read or a model is given. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/html/columns.h"
#include "lib/html/html.h"
#include "record/power/meter-file.h"
#include "report/energy/energy.h"
#include "report/page/tabs/tabs.h"

/* False: no meter was read, and nobody tried to.  @text: what was read since, or NULL. */
static bool load_joules(struct joules *j, const char *run, const char *text)
{
	struct err err = ERR_INIT;
	char path[PATH_MAX];
	int there;

	if (text)
		return !joules_parse(j, text, strlen(text), JOULES_FILE, &err);
	if (snprintf(path, sizeof(path), "%s/" JOULES_FILE, run) >= (int)sizeof(path))
		return false;
	there = fs_is_there(path, &err);
	if (!there)
		return false;
	if (there < 0 || joules_load(j, path, &err)) {
		*j = (struct joules){0};
		joules_absent(j, err.msg);
	}
	return true;
}

int page_energy_measure(const char *run, const char *meter, struct strbuf *out, struct err *err)
{
	struct meter_file_options o;
	struct joules j = {0};
	char path[PATH_MAX];
	int ret = meter_file_options_parse(&o, meter, err);

	if (ret)
		return ret;
	if (snprintf(path, sizeof(path), "%s/" JOULES_FILE, run) >= (int)sizeof(path) || access(path, F_OK))
		ret = err_set(err, -ENOENT,
			      "'%s' was recorded without --energy: a meter's file cannot be tied to it\n"
			      "  perseus record --energy=none PROGRAM notes what is needed",
			      run);
	if (!ret)
		ret = joules_load(&j, path, err);
	if (!ret)
		ret = meter_file_measure(&j, &o, err);
	if (!ret)
		joules_text(&j, out);
	joules_release(&j);
	meter_file_options_release(&o);
	return ret;
}

/* Power over time, as the meter had it. */
static void put_power(const struct joules *j, struct strbuf *out)
{
	static const char *const names[] = {"begin", "ns", "mw", NULL};
	struct columns c;

	columns_init(&c, names);
	for (size_t i = 0; i < j->n_power; i++)
		columns_add(&c, (const int64_t[]){llround((double)i * j->window * 1e9),
						  llround(j->window * 1e9), llround(j->power[i] * 1e3)});
	columns_write(&c, "power", out);
	columns_release(&c);
}

void page_energy_line(struct report_summary *s, const struct energy *model, const char *joules,
		      struct strbuf *out)
{
	static const char *const words[] = {[ENERGY_MEASURED] = "measured", [ENERGY_MODELLED] = "modelled"};
	const struct energy_wanted wanted = {.model = model};
	struct energy_report r;
	struct joules j = {0};
	bool read = load_joules(&j, s->run->path, joules);

	if (!read && !model) {
		strbuf_puts(out, "<p>Energy: this run holds no joules.</p>\n");
		return;
	}
	energy_report_make(&r, s, read ? &j : NULL, &wanted);
	strbuf_puts(out, "<p>Energy: ");
	if (r.mode == ENERGY_ABSENT)
		html_text(out, r.reason);
	else
		strbuf_printf(out, "%.3g J, %s within %.1f %%", r.total, words[r.mode], 100 * r.error);
	strbuf_puts(out, ".</p>\n");
	energy_report_release(&r);
}

void page_energy(struct report_summary *s, const struct energy *model, const char *joules, struct strbuf *out)
{
	const struct energy_wanted wanted = {.model = model};
	const struct report_view view = {.rows = 5000};
	struct strbuf json = STRBUF_INIT;
	struct energy_report r;
	struct joules j = {0};
	bool read = load_joules(&j, s->run->path, joules);

	if (!read && !model)
		return;
	if (j.n_power)
		put_power(&j, out);
	energy_report_make(&r, s, read ? &j : NULL, &wanted);
	energy_report_json(&r, &view, &json);
	energy_report_release(&r);
	page_dense(&json);
	page_document(out, "energy", &json);
}
