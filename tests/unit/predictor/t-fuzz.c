/* SPDX-License-Identifier: MIT */
/* Logs of probes, mutated: read and judged, or refused, and no harm done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/rng.h"
#include "predictor/probe/log.h"
#include "tests/unit/fuzz.h"

#define ROOM 4096

/* Six sizes of n^2, one of them twice. */
static size_t log_write_good(char *text)
{
	static const int size[] = {16, 24, 24, 36, 54, 81, 122};
	size_t len = (size_t)sprintf(
		text,
		"{\"perseus\": \"probe-log\", \"version\": 1, \"key\": \"%064d\", \"parameters\": "
		"[\"n\"], \"figure\": null, \"count\": \"ops\", \"watch\": [{\"kind\": \"level\", "
		"\"limit\": 900, \"name\": \"depth\"}]}\n",
		1);

	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		len += (size_t)sprintf(
			text + len,
			"{\"end\": \"ok\", \"status\": 0, \"at\": [%d], \"seconds\": 0.%d, \"figure\": "
			"0.00%d, \"count\": %d, \"watch\": [%d]}\n",
			size[i], size[i], size[i], size[i] * size[i], size[i]);
	return len;
}

/* Some bytes changed, taken out, or put in twice; the end may be cut off. */
static size_t mutate(char *text, size_t len, struct rng *rng)
{
	static const char some[] = "\n \",:[]{}-.0159eE\xff";

	for (uint64_t k = 1 + rng_below(rng, 4); k && len; k--) {
		size_t at = rng_below(rng, len), n = 1 + rng_below(rng, 40);

		n = n < len - at ? n : len - at;
		switch (rng_below(rng, 4)) {
		case 0:
			text[at] = some[rng_below(rng, sizeof(some))];
			break;
		case 1:
			text[at] = (char)rng_u64(rng);
			break;
		case 2:
			memmove(text + at, text + at + n, len - at - n);
			len -= n;
			break;
		default:
			if (len + n > ROOM)
				break;
			memmove(text + at + n, text + at, len - at);
			len += n;
		}
	}
	return rng_below(rng, 8) ? len : rng_below(rng, len + 1);
}

/* What is read is judged: a prediction is above 0 and lies in its interval. */
static bool read_and_judge(const char *path)
{
	struct probes probes = VEC_INIT;
	struct err err = ERR_INIT;
	struct judgement j = {0};
	struct task t;
	double at[GROWTH_PARAMS] = {600, 600, 600, 600};
	bool read = !probe_log_read(path, &t, &probes, &err);

	if (!read)
		assert_true(err.msg[0]);
	if (read && !probe_judge(&j, &t, &probes, at, &err) && !j.refusal)
		assert_true(j.estimate.low > 0 && j.estimate.low <= j.estimate.middle &&
			    j.estimate.middle <= j.estimate.high && isfinite(j.estimate.high));
	judgement_release(&j);
	vec_release(&probes);
	task_release(&t);
	return read;
}

static void mutated_logs_do_no_harm(void **state)
{
	unsigned long rounds = fuzz_rounds(200);
	long whole = 0;
	char path[] = "/tmp/perseus-fuzz.XXXXXX", text[ROOM];
	int fd = mkstemp(path);

	(void)state;
	for (unsigned long i = 0; i < rounds; i++) {
		struct rng rng = rng_keyed(i, 77, 0, fuzz_seed());
		size_t len = log_write_good(text);

		if (i)
			len = mutate(text, len, &rng);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, text, len, 0), (ssize_t)len);
		whole += read_and_judge(path);
		assert_true(i || whole == 1);
	}
	close(fd);
	unlink(path);
	print_message("# %ld of %lu mutated logs were read\n", whole, rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated_logs_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
