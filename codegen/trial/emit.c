/* SPDX-License-Identifier: MIT */
/* The variable by which libperseus-trial.so finds the generated code: perseus/trial.h as text. */
#include <inttypes.h>

#include "codegen/trial/trial.h"
#include "perseus/trial.h"

static const char top[] =
	"/* Made by perseus try: not for flight. */\n"
	"#include <stddef.h>\n"
	"#include <stdint.h>\n"
	"#include \"perseus_triggers.h\"\n\n"
	"struct prs_trial_hook {\n"
	"	uint64_t unit_id;\n"
	"	uint32_t slot, after;\n"
	"	void (*run)(void);\n"
	"};\n"
	"struct prs_trial {\n"
	"	uint32_t version, n_hooks, n_slots, n_units;\n"
	"	const struct prs_trial_hook *hooks;\n"
	"	void (*start)(void);\n"
	"	int (*create)(void *, const void *, void *(*)(void *), void *);\n"
	"	void (*status)(uint32_t *);\n"
	"};\n"
	"extern int __wrap_pthread_create(void *, const void *, void *(*)(void *), void *) "
	"__attribute__((weak));\n\n"
	"static void status(uint32_t *w)\n"
	"{\n"
	"	const struct perseus_status *s = &perseus_status;\n"
	"	const uint32_t first[] = {s->machine, s->placed, s->started, s->unplanned, s->not_created, "
	"s->not_entered, s->suppressed};\n"
	"	const uint32_t last[] = {s->steps_way, s->last_error, s->last_value};\n"
	"	int n = 0;\n\n"
	"	for (int i = 0; i < 7; i++)\n"
	"		w[n++] = first[i];\n"
	"	for (int i = 0; i < 5; i++)\n"
	"		w[n++] = s->pins[i];\n"
	"	w[n++] = s->pins_lost;\n"
	"	for (int i = 0; i < 5; i++)\n"
	"		w[n++] = s->steps[i];\n"
	"	for (int i = 0; i < 3; i++)\n"
	"		w[n++] = last[i];\n"
	"}\n\n";
_Static_assert(PRS_TRIAL_PINS == 7 && PRS_TRIAL_STEPS == 13 && PRS_TRIAL_WORDS == 21, "the text above");
_Static_assert(sizeof(struct prs_trial_hook) == 24 && sizeof(struct prs_trial) == 48, "the text above");

/* Slots of units that have hooks. */
static uint32_t trial_emit_slots(const struct trial_hooks *hooks, const struct sites *sites, uint32_t *units)
{
	uint32_t slots = 0;

	*units = 0;
	for (size_t i = 0; i < hooks->n; i++) {
		if (i && hooks->at[i].unit_id == hooks->at[i - 1].unit_id)
			continue;
		++*units;
		for (size_t u = 0; u < sites->n_units; u++)
			if (sites->units[u].unit_id == hooks->at[i].unit_id) {
				slots += sites->units[u].n_calls;
				break;
			}
	}
	return slots;
}

void trial_emit(struct strbuf *out, const struct trial_hooks *hooks, const struct sites *sites,
		const char *sha256)
{
	uint32_t units, slots = trial_emit_slots(hooks, sites, &units);

	strbuf_puts(out, top);
	strbuf_printf(out, "/* plan %s */\nstatic const struct prs_trial_hook hooks[] = {\n", sha256);
	for (size_t i = 0; i < hooks->n; i++)
		strbuf_printf(out, "\t{0x%016" PRIx64 "u, %u, %u, %s},\n", hooks->at[i].unit_id,
			      (unsigned)hooks->at[i].slot, hooks->at[i].after, hooks->at[i].function);
	strbuf_printf(out,
		      "\t{0, 0, 0, NULL},\n};\n\n"
		      "extern const struct prs_trial " PRS_TRIAL_SYMBOL
		      " __attribute__((visibility(\"default\")));\n"
		      "const struct prs_trial " PRS_TRIAL_SYMBOL " = {\n"
		      "\t%u, %zu, %u, %u, hooks, perseus_program_start, __wrap_pthread_create, status};\n",
		      PRS_TRIAL_VERSION, hooks->n, (unsigned)slots, (unsigned)units);
}
