/* SPDX-License-Identifier: MIT */
/* A diff as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "lib/num.h"
#include "report/diff/parts.h"

#define NAMED          3 /* functions or call sites in the first line */
#define HINTS          3 /* rows that could not be told, where nothing could */
#define COLUMNS        80
#define FACTOR_FROM    900 /* percent more */
#define NAME_MAX_SHOWN 60

const char *diff_word(const struct diff_row *r)
{
	bool worse = diff_worse(r);

	switch (r->state) {
	case DIFF_ADDED:
		return "added";
	case DIFF_REMOVED:
		return "removed";
	case DIFF_CHANGED:
		if (r->kind == DIFF_FINDING)
			return worse ? "worse" : "better";
		if (r->by_calls)
			return worse ? "more calls" : "fewer calls";
		return worse ? "slower" : "faster";
	case DIFF_UNKNOWN:
		return "not known";
	default:
		return "same";
	}
}

static struct diff_percent percent_of(const struct group_difference *g)
{
	double part = g->a > 0 ? 100.0 / g->a : NAN;

	/* Nothing takes less than no time. */
	return (struct diff_percent){part * g->difference, fmax(-100, part * g->low), part * g->high};
}

struct diff_percent diff_percent(const struct diff_row *r)
{
	return percent_of(r->per_call && !r->by_calls && r->state == DIFF_CHANGED ? &r->each : &r->whole);
}

bool diff_shown(const struct diff_row *r, bool all)
{
	if (all || r->state == DIFF_CHANGED)
		return true;
	return (r->state == DIFF_ADDED || r->state == DIFF_REMOVED || r->was) && r->matters;
}

/* ---- text ------------------------------------------------------------------ */

const char *diff_value(const struct diff *d, double value, char *buf, size_t size)
{
	char n[32];

	if (!d->sharing)
		return num_time(buf, size, value * 1e-9);
	if (d->priced)
		snprintf(buf, size, "%.1f %%", value);
	else
		snprintf(buf, size, "%s/s", num_si(n, sizeof(n), value));
	return buf;
}

/* Rows of a kind in one line: "f +20.1 %, g -> h +8.0 %". */
struct named {
	struct strbuf text;
	size_t n;
};

static void add_name(struct named *to, const struct diff_row *r)
{
	if (to->n++ >= NAMED)
		return;
	strbuf_puts(&to->text, to->n > 1 ? ", " : "");
	if (r->kind == DIFF_SITE && r->within)
		strbuf_printf(&to->text, "%s -> ", r->within);
	strbuf_puts(&to->text, r->name);
	if (r->state == DIFF_CHANGED)
		strbuf_printf(&to->text, " %+.1f %%", diff_percent(r).estimate);
}

/* "slower: 2 functions (f +20.1 %, g +8.0 %)", call sites where there is no function; returns how many there are. */
static size_t put_group(const struct diff *d, const char *word, size_t before, struct strbuf *out)
{
	struct named whole = {STRBUF_INIT, 0}, sites = {STRBUF_INIT, 0};
	const struct named *said = &sites;
	size_t n;

	for (size_t i = 0; i < d->rows.n; i++) {
		const struct diff_row *r = &d->rows.at[i];

		if (diff_shown(r, false) && !strcmp(diff_word(r), word))
			add_name(r->kind == DIFF_SITE ? &sites : &whole, r);
	}
	if (whole.n)
		said = &whole;
	if (said->n)
		strbuf_printf(out, "%s%s: %zu %s%s (%s%s)", before ? "; " : "", word, said->n,
			      said == &sites ? "call site"
			      : d->sharing   ? "finding"
					     : "function",
			      said->n == 1 ? "" : "s", said->text.s, said->n > NAMED ? ", ..." : "");
	n = whole.n + sites.n;
	strbuf_release(&whole.text);
	strbuf_release(&sites.text);
	return n;
}

void diff_answer(const struct diff *d, struct strbuf *out)
{
	static const char *const words[] = {"slower",     "worse",       "faster", "better",
					    "more calls", "fewer calls", "added",  "removed"};
	size_t n = 0, changed = 0;
	struct strbuf found = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		n += put_group(d, words[i], n, &found);
		changed = i < 6 ? n : changed;
	}
	if (!changed)
		strbuf_printf(out, "no difference that can be told%s", n ? "; " : "");
	strbuf_wrap(out, found.s ? found.s : "", "  ", COLUMNS + 10);
	strbuf_puts(out, "\n");
	strbuf_release(&found);
}

static void put_side(const char *word, const struct diff_side *s, struct strbuf *out)
{
	strbuf_printf(out, "%-5s %s", word, s->recordings.at[0].name);
	if (s->recordings.n > 1)
		strbuf_printf(out, " and %zu more", s->recordings.n - 1);
}

/* "+20.1 % (+15.0 to +25.2)"; what is beyond tenfold as a factor. */
static void put_percent(const struct diff_percent *p, struct strbuf *out)
{
	if (p->estimate >= FACTOR_FROM)
		strbuf_printf(out, "%.0f times as much", 1 + p->estimate / 100);
	else if (p->high >= FACTOR_FROM)
		strbuf_printf(out, "%+.1f %% (%+.1f to far more)", p->estimate, p->low);
	else
		strbuf_printf(out, "%+.1f %% (%+.1f to %+.1f)", p->estimate, p->low, p->high);
}

void diff_whole(const struct diff *d, struct strbuf *out)
{
	struct diff_percent p = percent_of(&d->whole);
	char buf[32];

	strbuf_printf(out, "%s -> ", num_time(buf, sizeof(buf), d->whole.a * 1e-9));
	strbuf_printf(out, "%s, ", num_time(buf, sizeof(buf), d->whole.b * 1e-9));
	put_percent(&p, out);
}

static void put_sides(const struct diff *d, struct strbuf *out)
{
	struct diff_percent p = percent_of(&d->whole);
	char buf[32];

	put_side("base", d->base, out);
	if (!d->sharing)
		strbuf_printf(out, "  %s of thread time", num_time(buf, sizeof(buf), d->whole.a * 1e-9));
	strbuf_puts(out, "\n");
	put_side("new", d->new, out);
	if (!d->sharing) {
		strbuf_printf(out, "  %s, ", num_time(buf, sizeof(buf), d->whole.b * 1e-9));
		put_percent(&p, out);
	}
	strbuf_puts(out, "\n");
}

static void put_calls(const struct diff *d, const struct diff_row *r, struct strbuf *out)
{
	char a[32], b[32];

	if (d->sharing)
		return;
	strbuf_printf(out, "              calls %s", num_group(a, sizeof(a), (uint64_t)r->base.calls));
	if (r->base.calls != r->new.calls)
		strbuf_printf(out, " -> %s", num_group(a, sizeof(a), (uint64_t)r->new.calls));
	if (r->base.calls > 1 && r->new.calls > 1)
		strbuf_printf(out, ", %s -> %s each",
			      num_time(a, sizeof(a), r->base.value / r->base.calls * 1e-9),
			      num_time(b, sizeof(b), r->new.value / r->new.calls * 1e-9));
	strbuf_printf(out, ", share %.1f -> %.1f %%\n", 100 * r->base.share, 100 * r->new.share);
}

static void put_name(const struct diff_row *r, struct strbuf *out)
{
	if (r->kind == DIFF_SITE)
		strbuf_printf(out, "%.*s -> %.*s", NAME_MAX_SHOWN / 2, r->within, NAME_MAX_SHOWN / 2,
			      r->name);
	else
		strbuf_printf(out, "%.*s%s", NAME_MAX_SHOWN, r->name,
			      strlen(r->name) > NAME_MAX_SHOWN ? "..." : "");
	if (r->file)
		strbuf_printf(out, "  %s:%u", fs_base_name(r->file), r->line);
	if (r->was)
		strbuf_printf(out, "  (%s)", r->kind == DIFF_SITE ? "moved" : "renamed");
	strbuf_puts(out, "\n");
}

static void put_row(const struct diff *d, const struct diff_row *r, struct strbuf *out)
{
	struct diff_percent p = diff_percent(r);
	char a[32], b[32];

	strbuf_printf(out, "%-12s  ", diff_word(r));
	put_name(r, out);
	strbuf_printf(out, "              %s -> %s",
		      r->base.seen ? diff_value(d, r->base.value, a, sizeof(a)) : "-",
		      r->new.seen ? diff_value(d, r->new.value, b, sizeof(b)) : "-");
	if (isfinite(p.estimate) && r->base.seen && r->new.seen) {
		strbuf_puts(out, ", ");
		put_percent(&p, out);
		if (r->per_call && !r->by_calls && r->state == DIFF_CHANGED)
			strbuf_puts(out, " each");
		if (r->state == DIFF_CHANGED)
			strbuf_printf(out, ", confidence %.1f %%", floor(1000.0 * (1.0 - r->p)) / 10.0);
	}
	strbuf_puts(out, "\n");
	if (r->base.seen || r->new.seen)
		put_calls(d, r, out);
}

/* What comes nearest to a difference, where there is none. */
static void put_hints(const struct diff *d, struct strbuf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->rows.n && n < HINTS; i++) {
		const struct diff_row *r = &d->rows.at[i];

		if (r->state != DIFF_SAME || !r->judged || r->kind == DIFF_SITE)
			continue;
		if (!n++)
			strbuf_puts(
				out,
				"nearest to one, and still within what two runs of one build differ by:\n");
		put_row(d, r, out);
	}
}

static void caution(struct strbuf *out, const char *text)
{
	strbuf_puts(out, "caution: ");
	strbuf_wrap(out, text, "  ", COLUMNS + 10);
	strbuf_puts(out, "\n");
}

/* The mean load of the machine before the recordings; negative: not known. */
static double load_of(const struct diff_side *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->recordings.n; i++) {
		if (s->recordings.at[i].load < 0)
			return -1;
		sum += s->recordings.at[i].load / (double)s->recordings.n;
	}
	return sum;
}

/* What else than the build differs between the two. */
void diff_cautions(const struct diff *d, struct strbuf *out)
{
	const struct diff_recording *a = &d->base->recordings.at[0], *b = &d->new->recordings.at[0];
	const double loads[] = {load_of(d->base), load_of(d->new)};
	struct strbuf sb = STRBUF_INIT;

	if (a->command && b->command && strcmp(a->command, b->command) != 0) {
		strbuf_printf(&sb, "the command lines differ: base was run with '%s', new with '%s'",
			      a->command, b->command);
		caution(out, sb.s);
	}
	sb.len = 0;
	if (a->cpu && b->cpu && (strcmp(a->cpu, b->cpu) != 0 || a->cores != b->cores)) {
		strbuf_printf(&sb, "the machines differ: %.0f cores of '%s', and %.0f of '%s'", a->cores,
			      a->cpu, b->cores, b->cpu);
		caution(out, sb.s);
	}
	sb.len = 0;
	if (loads[0] >= 0 && loads[1] >= 0 && fabs(loads[1] - loads[0]) > DIFF_LOAD * fmax(1, a->cores)) {
		strbuf_printf(&sb,
			      "the load of the machine was %.1f before base and %.1f before new: record both "
			      "builds in turns",
			      loads[0], loads[1]);
		caution(out, sb.s);
	}
	sb.len = 0;
	if (fabs(d->in_line[1] - d->in_line[0]) > DIFF_IN_LINE) {
		strbuf_printf(
			&sb,
			"in line for a core for %.1f %% of the time in base, %.1f %% in new: others used "
			"the machine; record both builds in turns",
			100 * d->in_line[0], 100 * d->in_line[1]);
		caution(out, sb.s);
	}
	strbuf_release(&sb);
}

void diff_limits(const struct diff *d, struct strbuf *out)
{
	size_t least =
		d->base->recordings.n < d->new->recordings.n ? d->base->recordings.n : d->new->recordings.n;
	size_t small = 0;
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < d->rows.n; i++)
		small += !d->rows.at[i].judged && d->rows.at[i].state == DIFF_SAME;
	if (small && !d->sharing)
		strbuf_printf(&sb, "%zu row%s below %.0f %% of the time are not judged. ", small,
			      small == 1 ? "" : "s", 100 * DIFF_SHARE);
	if (d->least > 0 && 100 * d->least < FACTOR_FROM)
		strbuf_printf(&sb,
			      "Differences below %.0f %% of %s cannot be told from %zu recording%s a side. ",
			      ceil(100 * d->least), d->least_name, least, least == 1 ? "" : "s");
	if (least < GROUPS_SEEN)
		strbuf_printf(&sb,
			      "Record each build %d times or more and name them all: BASE1,BASE2,... "
			      "NEW1,NEW2,...",
			      GROUPS_SEEN + 2);
	if (sb.len)
		strbuf_wrap(out, sb.s, "", COLUMNS + 10);
	if (sb.len)
		strbuf_puts(out, "\n");
	strbuf_release(&sb);
}

void diff_text(const struct diff *d, bool all, struct strbuf *out)
{
	size_t n = 0;

	diff_answer(d, out);
	put_sides(d, out);
	diff_cautions(d, out);
	for (size_t i = 0; i < d->rows.n; i++)
		if (diff_shown(&d->rows.at[i], all)) {
			put_row(d, &d->rows.at[i], out);
			n += d->rows.at[i].state == DIFF_CHANGED;
		}
	if (!n && !all)
		put_hints(d, out);
	diff_limits(d, out);
	if (n)
		strbuf_printf(out, "next: perseus %s %s\n", d->sharing ? "conflicts" : "report --paths",
			      d->new->recordings.at[0].name);
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_side(struct json *j, const char *key, const struct diff *d, const struct diff_figures *f)
{
	json_object(j, key);
	json_bool(j, "seen", f->seen);
	if (d->sharing) {
		json_double(j, d->priced ? "cost_percent" : "transfers_per_s", f->value);
	} else {
		json_double(j, "self_ns", f->value);
		json_double(j, "self_ns_per_call", f->calls > 0 ? f->value / f->calls : NAN);
		json_double(j, "calls", f->calls);
		json_double(j, "share", f->share);
	}
	json_end(j);
}

static void json_percent(struct json *j, const char *key, const struct group_difference *g)
{
	struct diff_percent p = percent_of(g);

	json_object(j, key);
	json_double(j, "percent", p.estimate);
	json_double(j, "low", p.low);
	json_double(j, "high", p.high);
	json_end(j);
}

static void json_row(struct json *j, const struct diff *d, const struct diff_row *r)
{
	static const char *const kinds[] = {"function", "call_site", "finding"};
	/* The middle of a key is the id or the assembler name; of a call site it comes first. */
	const char *begin = r->kind == DIFF_SITE ? r->key : r->key + strcspn(r->key, "\n") + 1;
	struct strbuf id = STRBUF_INIT;

	strbuf_add(&id, begin, strcspn(begin, "\n"));
	json_object(j, NULL);
	json_string(j, "kind", kinds[r->kind]);
	json_string(j, r->kind == DIFF_FUNCTION ? "assembler_name" : "id", id.s);
	json_string(j, "name", r->name);
	if (r->within)
		json_string(j, "within", r->within);
	json_string(j, "file", r->file);
	if (r->file)
		json_u64(j, "line", r->line);
	json_string(j, "state", diff_word(r));
	json_bool(j, "renamed", r->was);
	json_bool(j, "judged", r->judged);
	json_side(j, "base", d, &r->base);
	json_side(j, "new", d, &r->new);
	if (r->base.seen && r->new.seen)
		json_percent(j, "difference", &r->whole);
	if (r->per_call)
		json_percent(j, "difference_per_call", &r->each);
	json_double(j, "confidence", r->judged ? 1 - r->p : NAN);
	json_end(j);
	strbuf_release(&id);
}

static void json_sides(struct json *j, const char *key, const struct diff_side *s)
{
	json_array(j, key);
	for (size_t i = 0; i < s->recordings.n; i++)
		json_string(j, NULL, s->recordings.at[i].name);
	json_end(j);
}

void diff_json(const struct diff *d, bool all, struct strbuf *out)
{
	size_t of[DIFF_UNKNOWN + 1] = {0};
	struct json j;

	for (size_t i = 0; i < d->rows.n; i++)
		of[d->rows.at[i].state] += diff_shown(&d->rows.at[i], false);
	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "purpose", d->sharing ? "sharing" : "timing");
	json_sides(&j, "base", d->base);
	json_sides(&j, "new", d->new);
	json_u64(&j, "changed", of[DIFF_CHANGED]);
	json_u64(&j, "added", of[DIFF_ADDED]);
	json_u64(&j, "removed", of[DIFF_REMOVED]);
	json_u64(&j, "judged", d->judged);
	json_double(&j, "false_row_probability", DIFF_FAMILY);
	json_double(&j, "noise_percent", 100 * d->noise);
	json_double(&j, "least_percent", d->least > 0 ? 100 * d->least : NAN);
	if (!d->sharing) {
		json_percent(&j, "thread_time", &d->whole);
		json_double(&j, "in_line_base", d->in_line[0]);
		json_double(&j, "in_line_new", d->in_line[1]);
	}
	json_array(&j, "rows");
	for (size_t i = 0; i < d->rows.n; i++)
		if (diff_shown(&d->rows.at[i], all) || d->rows.at[i].judged)
			json_row(&j, d, &d->rows.at[i]);
	json_end(&j);
	json_end(&j);
	strbuf_puts(out, "\n");
}
