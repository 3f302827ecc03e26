/* SPDX-License-Identifier: MIT */
/* The verdict of `perseus gate`, for people and programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "cmd/gate/gate.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/shown.h"

#define SHORT_RUN 0.005 /* s */

const char *gate_word(const struct gate_finding *f)
{
	if (f->mismatch)
		return f->mismatch == CMD_FINDINGS ? "mismatch" : "failed";
	return f->verdict == SEQUENTIAL_OK       ? "ok"
	       : f->verdict == SEQUENTIAL_SLOWER ? "slower"
						 : "cannot tell";
}

int gate_status(const struct gate_finding *f)
{
	if (f->mismatch)
		return f->mismatch;
	return f->verdict == SEQUENTIAL_OK       ? CMD_OK
	       : f->verdict == SEQUENTIAL_SLOWER ? CMD_FINDINGS
						 : CMD_INCONCLUSIVE;
}

static bool measured(const struct gate_finding *f)
{
	return !f->mismatch && (f->result.low > 0 || isfinite(f->result.high));
}

/* "1.536 to 2.388"; of few pairs one end is not known: "1.536 or more". */
static void put_interval(const struct gate_finding *f, struct strbuf *out)
{
	if (f->result.low > 0 && isfinite(f->result.high))
		strbuf_printf(out, "%.3f to %.3f", f->result.low, f->result.high);
	else if (f->result.low > 0)
		strbuf_printf(out, "%.3f or more", f->result.low);
	else
		strbuf_printf(out, "%.3f or less", f->result.high);
}

void gate_sentence(const struct gate_finding *f, struct strbuf *out)
{
	strbuf_printf(out, "%s: ", gate_word(f));
	if (f->mismatch)
		strbuf_printf(out, "%s and %s cannot be compared", f->base, f->head);
	else if (!measured(f))
		strbuf_printf(out, "%s against %s, too few pairs for any statement", f->head, f->base);
	else {
		strbuf_printf(out, "%s takes %.3f of the time of %s (", f->head, f->result.estimate, f->base);
		put_interval(f, out);
		strbuf_printf(out, ", %u %s; limit %.3f)", f->pairs, f->unpaired ? "runs" : "pairs",
			      1.0 + f->limit);
	}
}

/* The next line of @lines into @one, which the caller empties; false: there is none. */
static bool gate_print_next_line(const char **lines, struct strbuf *one)
{
	size_t n = *lines ? strcspn(*lines, "\n") : 0;

	if (!n)
		return false;
	one->len = 0;
	strbuf_add(one, *lines, n);
	*lines += n + ((*lines)[n] == '\n');
	return true;
}

static void add_lines(struct strbuf *out, const char *lines)
{
	struct strbuf one = STRBUF_INIT;

	while (gate_print_next_line(&lines, &one)) {
		strbuf_puts(out, "  ");
		strbuf_wrap(out, one.s, "  ", 90);
		strbuf_puts(out, "\n");
	}
	strbuf_release(&one);
}

void gate_text(const struct gate_finding *f, const struct gate_opts *o, struct strbuf *out)
{
	char a[32], b[32];

	if (f->mismatch)
		return; /* said where it was found */
	gate_sentence(f, out);
	strbuf_puts(out, "\n");
	add_lines(out, f->why.s);
	if (!f->base_s)
		return;
	strbuf_printf(out, "times: %s against %s (medians); output %s\n", num_time(a, sizeof(a), f->base_s),
		      num_time(b, sizeof(b), f->head_s), o->ignore_output ? "not compared" : "the same");
	if (o->baseline)
		strbuf_puts(out,
			    "a baseline says less than a base program: it was measured at another time\n");
	if (f->head_s < SHORT_RUN)
		strbuf_puts(out, "the runs are short: much of them is the start of the program\n");
	strbuf_printf(out, "machine: load %.1f before, %.1f %% of %u cores used by others", f->machine.load,
		      100.0 * f->foreign, f->machine.cores);
	if (f->stolen > 0.0005)
		strbuf_printf(out, ", %.1f %% taken by the host", 100.0 * f->stolen);
	strbuf_puts(out, "\n");
	if (o->sarif)
		strbuf_printf(out, "sharing: %zu new finding%s, written to %s\n", f->new_findings,
			      f->new_findings == 1 ? "" : "s", o->sarif);
	add_lines(out, f->sharing_doubts.s);
	if (f->verdict == SEQUENTIAL_SLOWER)
		strbuf_puts(out, "next: perseus record both, then perseus diff BASE HEAD says which function "
				 "it is\n");
}

static void json_lines(struct json *j, const char *key, const char *lines)
{
	struct strbuf line = STRBUF_INIT;

	json_array(j, key);
	while (gate_print_next_line(&lines, &line))
		json_string(j, NULL, line.s);
	json_end(j);
	strbuf_release(&line);
}

void gate_json(const struct gate_finding *f, const struct gate_opts *o, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "verdict", gate_word(f));
	json_string(&j, "base", f->base);
	json_string(&j, "head", f->head);
	json_object(&j, "ratio");
	json_double(&j, "estimate", measured(f) ? f->result.estimate : NAN);
	json_double(&j, "low", measured(f) && f->result.low > 0 ? f->result.low : NAN);
	json_double(&j, "high", measured(f) ? f->result.high : NAN);
	json_end(&j);
	json_double(&j, "limit_percent", 100.0 * f->limit);
	json_double(&j, "false_alarm_probability", SEQUENTIAL_ALARM);
	json_double(&j, "miss_probability", SEQUENTIAL_MISS);
	json_u64(&j, "pairs", f->pairs);
	json_u64(&j, "max_pairs", f->max_pairs);
	json_u64(&j, "seed", o->seed);
	json_double(&j, "base_seconds", f->base_s);
	json_double(&j, "head_seconds", f->head_s);
	json_bool(&j, "output_compared", !o->ignore_output);
	json_double(&j, "load_before", f->machine.load);
	json_double(&j, "used_by_others", f->foreign);
	json_double(&j, "taken_by_host", f->stolen);
	json_double(&j, "core_pace_ratio", f->pace.ratio > 0 ? f->pace.ratio : NAN);
	json_string(&j, "cpu", f->machine.cpu);
	json_u64(&j, "cores", f->machine.cores);
	if (o->sarif)
		json_u64(&j, "new_findings", f->new_findings);
	json_lines(&j, "sharing_doubts", f->sharing_doubts.s);
	json_lines(&j, "why", f->why.s);
	json_end(&j);
	strbuf_puts(out, "\n");
}

/* Text in XML 1.0, which has no form for control characters. */
static void xml(struct strbuf *out, const char *s)
{
	for (size_t n; *s; s += n) {
		uint32_t c = shown_char(s, &n);

		if (strchr("<>&\"'\n", (int)c) && c < 128)
			strbuf_printf(out, "&#%u;", c);
		else if (shown_not(c) || c == 0xfffd || c == 0xfffe || c == 0xffff)
			strbuf_puts(out, "?");
		else
			strbuf_add(out, s, n);
	}
}

void gate_junit(const struct gate_finding *f, const struct gate_opts *o, struct strbuf *out)
{
	bool failed = gate_status(f) == CMD_FINDINGS, error = f->mismatch && !failed;
	bool open = !failed && !error && f->verdict == SEQUENTIAL_OPEN;
	struct strbuf said = STRBUF_INIT;

	(void)o;
	gate_sentence(f, &said);
	strbuf_printf(
		out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"<testsuite name=\"perseus gate\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n"
		"<testcase classname=\"perseus.gate\" name=\"",
		failed, error, open);
	xml(out, f->head);
	strbuf_printf(out, "\" time=\"%.6f\">\n", f->head_s);
	if (failed || error || open) {
		const char *element = failed ? "failure" : error ? "error" : "skipped";

		strbuf_printf(out, "<%s message=\"", element);
		xml(out, said.s);
		strbuf_puts(out, "\">");
		xml(out, f->why.s ? f->why.s : "");
		strbuf_printf(out, "</%s>\n", element);
	} else {
		strbuf_puts(out, "<system-out>");
		xml(out, said.s);
		strbuf_puts(out, "</system-out>\n");
	}
	strbuf_puts(out, "</testcase>\n</testsuite>\n</testsuites>\n");
	strbuf_release(&said);
}

/* A name in a cell of a table. */
static void gate_print_cell(struct strbuf *out, const char *s)
{
	for (size_t n; *s; s += n) {
		uint32_t c = shown_char(s, &n);

		if (strchr("|`<>&[]*_\\", (int)c) && c < 128)
			strbuf_printf(out, "&#%u;", c);
		else if (shown_not(c))
			strbuf_puts(out, "?");
		else
			strbuf_add(out, s, n);
	}
}

void gate_markdown(const struct gate_finding *f, const struct gate_opts *o, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;
	const char *why = f->why.s;
	char a[32], b[32];

	(void)o;
	strbuf_printf(out, "### perseus gate: %s\n\n| | base | head |\n|---|---|---|\n| program | ",
		      gate_word(f));
	gate_print_cell(out, f->base);
	strbuf_puts(out, " | ");
	gate_print_cell(out, f->head);
	strbuf_puts(out, " |\n");
	if (f->base_s)
		strbuf_printf(out, "| median time | %s | %s |\n", num_time(a, sizeof(a), f->base_s),
			      num_time(b, sizeof(b), f->head_s));
	if (measured(f)) {
		strbuf_printf(out, "| ratio | 1 | %.3f (", f->result.estimate);
		put_interval(f, out);
		strbuf_puts(out, ") |\n");
	}
	strbuf_printf(out,
		      "\nLimit %.1f %%, %u of at most %u pairs, %.1f %% of the machine used by others.\n",
		      100.0 * f->limit, f->pairs, f->max_pairs, 100.0 * (f->foreign + f->stolen));
	while (gate_print_next_line(&why, &line)) {
		strbuf_puts(out, "\n- ");
		gate_print_cell(out, line.s);
		strbuf_puts(out, "\n");
	}
	strbuf_release(&line);
}

void gate_release(struct gate_finding *f)
{
	strbuf_release(&f->why);
	strbuf_release(&f->sharing_doubts);
}
