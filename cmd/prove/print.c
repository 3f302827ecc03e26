/* SPDX-License-Identifier: MIT */
#include "cmd/prove/prove.h"

#include <stdio.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/spawn/child.h"
#include "lib/stats.h"

#define SHORT_RUN 0.1 /* s; below it, start-up and clock noise rule */

const char *prove_verdict(const struct prove_finding *f)
{
	return f->verdict == PAIRED_BELOW   ? "proven"
	       : f->verdict == PAIRED_ABOVE ? "refuted"
					    : "inconclusive";
}

static void print_machine(const struct prove_finding *f, const struct trial *t)
{
	cmd_print("machine: load %.1f before, %.1f %% of %u cores used by others", f->machine.load,
		  100.0 * t->foreign, f->machine.cores);
	if (t->stolen > 0.0005)
		cmd_print(", %.1f %% taken by the host", 100.0 * t->stolen);
	if (t->pace.looks)
		cmd_print(", cores even within %.0f %%", 100.0 * (f->pace.ratio - 1.0));
	cmd_print(", governor %s\n", f->machine.governor[0] ? f->machine.governor : "none");
}

/* Padding cures the cause; moving threads works round it, on this machine. */
static void print_padded(const struct prove_finding *f, const struct prove_opts *o)
{
	cmd_print("padded: %s takes %.3f (%.3f to %.3f)", o->pad, f->pad.estimate, f->pad.low, f->pad.high);
	if (f->pad.low > f->time.high)
		cmd_print(": here the moved threads win\n");
	else if (f->pad.high < f->time.low)
		cmd_print(": moving threads is second best, padding helps on every machine\n");
	else
		cmd_print(
			": no difference between the two is shown; padding does not depend on the machine\n");
}

int prove_check_outputs(const char *verb, FILE *to, const struct trial *t, bool ignore)
{
	const struct trial_side *a = &t->side[0];

	for (unsigned i = 0; i < t->n_sides; i++)
		if (t->side[i].late) {
			cmd_say(stderr,
				"perseus %s: '%s' did not end within %g s (--timeout), and was ended with "
				"all "
				"that it had started\n",
				verb, t->side[i].name, (double)t->limit_ns * 1e-9);
			return CMD_DATA;
		}
	for (unsigned i = 0; i < t->n_sides; i++)
		if (!t->side[i].steady && !ignore) {
			cmd_say(stderr,
				"perseus %s: the output of '%s' differs from run to run, so it cannot be "
				"compared\n  --ignore-output measures without comparing\n",
				verb, t->side[i].name);
			return CMD_DATA;
		}
	if (a->status) {
		cmd_say(stderr, "perseus %s: '%s' ends with status %d, expected 0\n", verb, a->name,
			child_exit_status(a->status));
		return CMD_DATA;
	}
	for (unsigned i = 1; i < t->n_sides; i++) {
		const struct trial_side *b = &t->side[i];

		if (ignore ? a->status == b->status : !strcmp(a->output, b->output))
			continue;
		cmd_say(to, "mismatch: %s and %s %s\n", a->name, b->name,
			a->status != b->status ? "end with different status" : "print different results");
		cmd_say(to, "  a program that computes something else is not an improvement\n");
		return CMD_FINDINGS;
	}
	return 0;
}

void prove_print(const struct prove_finding *f, struct trial *t, const struct prove_opts *o)
{
	char a[32], b[32];
	double seconds = stats_median(t->side[0].seconds, t->done);

	cmd_print("%s: %s takes %.3f of the time of %s (95 %% interval %.3f to %.3f, %u pairs, seed %llu)\n",
		  prove_verdict(f), o->b, f->time.estimate, o->a, f->time.low, f->time.high, t->done,
		  (unsigned long long)t->seed);
	if (f->time.low > 0 && f->time.high < 1)
		cmd_print("that is %.2fx faster (%.2f to %.2f)\n", 1 / f->time.estimate, 1 / f->time.high,
			  1 / f->time.low);
	cmd_print("times: %s against %s (medians)", num_time(a, sizeof(a), seconds),
		  num_time(b, sizeof(b), stats_median(t->side[1].seconds, t->done)));
	if (f->instructions > 0)
		cmd_print("; instructions %+.1f %%", 100.0 * (f->instructions - 1.0));
	cmd_print("; output %s\n", o->ignore_output ? "not compared" : "the same");
	if (o->expect != 1.0)
		cmd_print("asked: the whole interval below %.3f\n", o->expect);
	if (o->pad)
		print_padded(f, o);
	print_machine(f, t);
	if (f->loaded)
		cmd_print("  the machine was not quiet (at most %.1f %%): measure again when it is\n",
			  o->max_load);
	if (f->uneven)
		cmd_print(
			"  core %u took %.2f of the time of core %u for the same work (at most %.2f): "
			"something\n"
			"  that cannot be seen from here uses its hardware; measure again when it is gone\n",
			f->pace.slow, f->pace.ratio, f->pace.fast, 1.0 + o->max_uneven / 100.0);
	if (f->verdict == PAIRED_OPEN && !f->loaded && !f->uneven)
		cmd_print("  the interval holds %.3f: more pairs (--pairs) make it narrower\n", o->expect);
	if (seconds < SHORT_RUN)
		cmd_print("  the runs are short: with more work each, the result would be surer\n");
}

static void json_interval(struct json *j, const char *key, const struct paired_interval *i)
{
	json_object(j, key);
	json_double(j, "median", i->estimate);
	json_double(j, "low", i->low);
	json_double(j, "high", i->high);
	json_end(j);
}

void prove_json(const struct prove_finding *f, const struct trial *t, const struct prove_opts *o,
		struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "verdict", prove_verdict(f));
	json_string(&j, "a", o->a);
	json_string(&j, "b", o->b);
	json_interval(&j, "ratio", &f->time);
	json_double(&j, "expected_below", o->expect);
	json_u64(&j, "pairs", t->done);
	json_u64(&j, "seed", t->seed);
	if (f->instructions > 0)
		json_double(&j, "instructions_ratio", f->instructions);
	if (o->pad) {
		json_string(&j, "padded", o->pad);
		json_interval(&j, "padded_ratio", &f->pad);
	}
	json_bool(&j, "output_compared", !o->ignore_output);
	json_double(&j, "load_before", f->machine.load);
	json_double(&j, "used_by_others", t->foreign);
	json_double(&j, "taken_by_host", t->stolen);
	json_bool(&j, "loaded", f->loaded);
	if (t->pace.looks)
		json_double(&j, "core_pace_ratio", f->pace.ratio);
	json_bool(&j, "uneven", f->uneven);
	for (unsigned s = 0; s < t->n_sides; s++) {
		json_array(&j, s == 0 ? "seconds_a" : s == 1 ? "seconds_b" : "seconds_padded");
		for (unsigned i = 0; i < t->done; i++)
			json_double(&j, NULL, t->side[s].seconds[i]);
		json_end(&j);
	}
	json_end(&j);
}
