/* SPDX-License-Identifier: MIT */
#include "cmd/try/try.h"

#include <inttypes.h>
#include <string.h>

#include "lib/json.h"
#include "lib/num.h"

#define TRY_SCHEMA 1

static const char *const outcomes[5] = {"set", "not_held", "refused", "outside", "unavailable"};

static uint64_t sum_of(const struct try_told *t, enum prs_trial_word first)
{
	uint64_t n = 0;

	for (int i = 0; i < 5; i++)
		n += t->status.words[first + i];
	return n;
}

void try_shortfall(const struct try_told *t, struct strbuf *out)
{
	const uint32_t *w = t->status.words;

	if (!t->status.processes) {
		strbuf_puts(
			out,
			"the plan did not act: the program ended before it was loaded, or runs without its "
			"environment\n");
		return;
	}
	if (w[PRS_TRIAL_MACHINE] == 2)
		strbuf_puts(out,
			    "this is not the machine of the plan (cores online, or the processor's name): "
			    "nothing was set\n");
	else if (!w[PRS_TRIAL_MACHINE])
		strbuf_puts(out, "main() was not reached: nothing was set\n");
	if (t->status.units < t->made->n_units)
		strbuf_printf(
			out,
			"%zu of %zu units with calls of the plan did not begin: triggers there did nothing\n",
			t->made->n_units - t->status.units, t->made->n_units);
	if (t->status.no_room)
		strbuf_printf(out,
			      "no memory for the slots of %" PRIu32 " units: triggers there did nothing\n",
			      t->status.no_room);
}

static void put_outcomes(const struct try_told *t, const char *what, enum prs_trial_word first,
			 struct strbuf *out)
{
	const uint32_t *w = t->status.words + first;

	strbuf_printf(out, "          %s: %" PRIu32 " set", what, w[0]);
	if (w[1])
		strbuf_printf(out, ", %" PRIu32 " not held", w[1]);
	if (w[2])
		strbuf_printf(out, ", %" PRIu32 " refused (%s)", w[2],
			      strerror((int)t->status.words[PRS_TRIAL_LAST_ERROR]));
	if (w[3])
		strbuf_printf(out, ", %" PRIu32 " outside of the cores that it may use", w[3]);
	if (w[4])
		strbuf_printf(out, ", %" PRIu32 " not possible here", w[4]);
	strbuf_puts(out, "\n");
}

void try_text(const struct try_told *t, struct strbuf *out)
{
	const uint32_t *w = t->status.words;
	struct strbuf why = STRBUF_INIT;
	char wall[32];

	strbuf_printf(out, "trial     %s in %s, %s; not a flight build: `perseus codegen` writes that\n",
		      t->plan, t->program, num_time(wall, sizeof(wall), (double)t->child.wall_ns * 1e-9));
	if (t->made->rebuilt)
		strbuf_puts(out, "          the program was built anew since the plan was made; its calls "
				 "are all there\n");
	strbuf_printf(out, "          threads: %" PRIu32 " of the plan started, %" PRIu32 " others\n",
		      w[PRS_TRIAL_STARTED] + w[PRS_TRIAL_PLACED], w[PRS_TRIAL_UNPLANNED]);
	put_outcomes(t, "cores", PRS_TRIAL_PINS, out);
	if (sum_of(t, PRS_TRIAL_STEPS))
		put_outcomes(t, "frequency steps", PRS_TRIAL_STEPS, out);
	if (t->status.processes > 1)
		strbuf_printf(out, "          that is of process %" PRIu32 ", the first of %" PRIu32 "\n",
			      t->status.pid, t->status.processes);
	try_shortfall(t, &why);
	for (const char *line = why.s; line && *line; line += strcspn(line, "\n") + 1)
		strbuf_printf(out, "note      %.*s\n", (int)strcspn(line, "\n"), line);
	strbuf_release(&why);
}

static void json_outcomes(struct json *j, const struct try_told *t, const char *key,
			  enum prs_trial_word first)
{
	json_object(j, key);
	for (int i = 0; i < 5; i++)
		json_u64(j, outcomes[i], t->status.words[first + i]);
	json_end(j);
}

void try_json(const struct try_told *t, struct strbuf *out)
{
	static const char *const machines[] = {"not checked", "planned", "another"};
	const uint32_t *w = t->status.words;
	struct strbuf why = STRBUF_INIT;
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", TRY_SCHEMA);
	json_bool(&j, "trial", true);
	json_string(&j, "plan", t->plan);
	json_string(&j, "plan_sha256", t->made->sha256);
	json_string(&j, "program", t->program);
	json_bool(&j, "rebuilt", t->made->rebuilt);
	json_i64(&j, "status", child_exit_status(t->child.status));
	json_u64(&j, "wall_ns", t->child.wall_ns);
	json_u64(&j, "processes", t->status.processes);
	json_string(&j, "machine", machines[w[PRS_TRIAL_MACHINE] <= 2 ? w[PRS_TRIAL_MACHINE] : 0]);
	json_u64(&j, "settings", t->made->n_settings);
	json_u64(&j, "hooks", t->made->n_hooks);
	json_u64(&j, "visits", t->status.visits);
	json_u64(&j, "started", w[PRS_TRIAL_STARTED] + w[PRS_TRIAL_PLACED]);
	json_u64(&j, "unplanned", w[PRS_TRIAL_UNPLANNED]);
	json_u64(&j, "suppressed", w[PRS_TRIAL_SUPPRESSED]);
	json_outcomes(&j, t, "pins", PRS_TRIAL_PINS);
	json_u64(&j, "pins_lost", w[PRS_TRIAL_PINS_LOST]);
	json_outcomes(&j, t, "steps", PRS_TRIAL_STEPS);
	try_shortfall(t, &why);
	json_string(&j, "shortfall", why.len ? why.s : NULL);
	json_end(&j);
	strbuf_puts(out, "\n");
	strbuf_release(&why);
}
