/* SPDX-License-Identifier: MIT */
/* Where denormals are born, and the lines that they cost most in, in SARIF 2.1.0. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/hash.h"
#include "lib/inspect/demangle.h"
#include "lib/num.h"
#include "lib/sarif/sarif.h"
#include "report/denormal/parts.h"

enum { RULE_BIRTH, RULE_COST };

static const struct sarif_rule rules[] = {
	[RULE_BIRTH] = {"denormal-birth", "DenormalBirth",
			"Denormal numbers are born here: no operand of the operation is one.", "warning"},
	[RULE_COST] = {"denormal-cost", "DenormalCost", "Denormal numbers go through here.", "note"},
};

static void message_of(const struct denormal_report *r, const struct denormal_line *l, int rule,
		       struct strbuf *sb)
{
	char *people = demangle_short(l->function);
	char n[32], m[32];

	if (rule == RULE_BIRTH)
		strbuf_printf(sb, "%s%s denormal numbers are born here in %s()",
			      l->wrapped ? "at least " : "", num_group(n, sizeof(n), l->n.births),
			      people ? people : l->function);
	else
		strbuf_printf(sb, "%s%s denormal results and %s loads of denormals here in %s()",
			      l->wrapped ? "at least " : "", num_group(n, sizeof(n), l->n.results),
			      num_group(m, sizeof(m), l->n.loads), people ? people : l->function);
	if (r->priced) {
		strbuf_puts(sb, "; its denormals cost ");
		denormal_time(l->n.low_ps, l->n.high_ps, sb);
	}
	strbuf_puts(sb, ".");
	free(people);
}

/* The same in every run of one source. */
static void put_fingerprint(struct json *j, const struct denormal_line *l, const char *rule)
{
	struct strbuf key = STRBUF_INIT;
	char id[32];

	strbuf_printf(&key, "%s|%s|%s|%u", rule, l->file, l->function, l->line);
	evidence_id(id, sizeof(id), "denormal", key.s, 0);
	json_object(j, "partialFingerprints");
	json_string(j, "perseusEvidence/v1", id);
	json_end(j);
	strbuf_release(&key);
}

static void put_properties(struct json *j, const struct denormal_report *r, const struct denormal_line *l)
{
	json_object(j, "properties");
	json_u64(j, "births", l->n.births);
	json_u64(j, "results", l->n.results);
	json_u64(j, "loads", l->n.loads);
	json_u64(j, "stores", l->n.stores);
	if (r->priced) {
		json_double(j, "costNsLow", l->n.low_ps / 1000);
		json_double(j, "costNsHigh", l->n.high_ps / 1000);
	}
	json_end(j);
}

static void put_result(struct json *j, const struct denormal_report *r, const struct denormal_line *l,
		       int rule)
{
	struct strbuf sb = STRBUF_INIT;

	message_of(r, l, rule, &sb);
	json_object(j, NULL);
	json_string(j, "ruleId", rules[rule].id);
	json_u64(j, "ruleIndex", (uint64_t)rule);
	json_string(j, "level", rules[rule].level);
	sarif_text(j, "message", sb.s);
	json_array(j, "locations");
	json_object(j, NULL);
	sarif_place(j, l->file, l->line, 0);
	json_end(j);
	json_end(j);
	put_fingerprint(j, l, rules[rule].id);
	put_properties(j, r, l);
	json_end(j);
	strbuf_release(&sb);
}

void denormal_sarif(const struct denormal_report *r, struct strbuf *out)
{
	const struct sarif_notes doubts = {"warning", r->doubts.at, r->doubts.n};
	struct json j;

	sarif_begin(&j, out);
	sarif_run(&j, rules, 2, !r->run->incomplete, &doubts, 1);
	json_array(&j, "results");
	for (size_t i = 0; i < r->births.n; i++)
		put_result(&j, r, &r->births.at[i], RULE_BIRTH);
	for (size_t i = 0; i < r->lines.n; i++)
		if (!r->lines.at[i].n.births)
			put_result(&j, r, &r->lines.at[i], RULE_COST);
	json_end(&j);
	json_end(&j);
	sarif_end(&j);
}
