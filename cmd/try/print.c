/* SPDX-License-Identifier: MIT */
#include "cmd/try/try.h"

#include <inttypes.h>
#include <string.h>

#include "codegen/codegen.h"
#include "lib/json.h"
#include "lib/num.h"

#define TRY_SCHEMA 1

static const char *const outcomes[5] = {"set", "not_held", "refused", "outside", "unavailable"};

/* By perseus_status.steps_way; 4 is perseusd, which was lost. */
static const char *const step_makers[5] = {NULL, "perseusd", "/dev/perseus", "cpufreq", "perseusd"};

static const char *step_maker(const struct try_told *t)
{
	uint32_t way = t->status.words[PRS_TRIAL_STEPS_WAY];

	return way < 5 ? step_makers[way] : NULL;
}

static uint64_t sum_of(const struct try_told *t, enum prs_trial_word first)
{
	uint64_t n = 0;

	for (int i = 0; i < 5; i++)
		n += t->status.words[first + i];
	return n;
}

/* Why frequency steps were not made, if some were not. */
static void steps_shortfall(const struct try_told *t, struct strbuf *out)
{
	uint64_t all = sum_of(t, PRS_TRIAL_STEPS), missing = all - t->status.words[PRS_TRIAL_STEPS];
	uint32_t way = t->status.words[PRS_TRIAL_STEPS_WAY];

	if (!missing)
		return;
	strbuf_printf(out, "%" PRIu64 " of %" PRIu64 " frequency steps were not made: ", missing, all);
	if (way == 4)
		strbuf_puts(out, "perseusd was lost on the way, and with it what it had lent\n");
	else if (step_maker(t))
		strbuf_printf(out, "%s did not make them\n", step_maker(t));
	else
		strbuf_printf(out, "%s is not there, or this machine has fewer clock domains than the plan\n",
			      codegen_frequencies[t->made->frequency]);
}

/* Cores that were not set, of which try_text() tells the kinds. */
static void cores_shortfall(const struct try_told *t, struct strbuf *out)
{
	uint64_t all = sum_of(t, PRS_TRIAL_PINS), missing = all - t->status.words[PRS_TRIAL_PINS];

	if (missing)
		strbuf_printf(out, "%" PRIu64 " of %" PRIu64 " placements were not made\n", missing, all);
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
	cores_shortfall(t, out);
	steps_shortfall(t, out);
}

/* @by: who made them; NULL: the program itself, or nobody. */
static void put_outcomes(const struct try_told *t, const char *what, const char *by,
			 enum prs_trial_word first, struct strbuf *out)
{
	const uint32_t *w = t->status.words + first;

	strbuf_printf(out, "          %s: %" PRIu32 " set", what, w[0]);
	if (w[0] && by)
		strbuf_printf(out, " by %s", by);
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
	put_outcomes(t, "cores", NULL, PRS_TRIAL_PINS, out);
	if (sum_of(t, PRS_TRIAL_STEPS))
		put_outcomes(t, "frequency steps", step_maker(t), PRS_TRIAL_STEPS, out);
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
	json_string(&j, "steps_by", step_maker(t));
	try_shortfall(t, &why);
	if (why.len)
		why.s[why.len - 1] = '\0'; /* of lines the last one ends without */
	json_string(&j, "shortfall", why.len ? why.s : NULL);
	json_end(&j);
	strbuf_puts(out, "\n");
	strbuf_release(&why);
}
