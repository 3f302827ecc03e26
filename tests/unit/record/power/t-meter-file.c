/* SPDX-License-Identifier: MIT */
/* Files of meters: tables and data points as seed tools write them, whole and damaged. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "record/power/meter-file.h"

static char path[64];

static int read_text(const char *text, size_t len, const char *keys, struct series *s, struct err *err)
{
	struct meter_file_options o;
	char option[160];
	int ret;

	snprintf(option, sizeof(option), "%s%s", path, keys);
	assert_int_equal(fs_write(path, text, len, err), 0);
	assert_int_equal(meter_file_options_parse(&o, option, err), 0);
	ret = meter_file_read(s, &o, err);
	meter_file_options_release(&o);
	return ret;
}

static void table_is(const char *text, const char *keys, double joules, double interval)
{
	struct err err = ERR_INIT;
	struct series s;

	if (read_text(text, strlen(text), keys, &s, &err))
		fail_msg("%s", err.msg);
	if (fabs(series_joules(&s, -1e9, 1e9, NULL) - joules) > 1e-6 || fabs(s.interval - interval) > 1e-9)
		fail_msg("%g J each %g s", series_joules(&s, -1e9, 1e9, NULL), s.interval);
	series_release(&s);
}

static void table_is_refused(const char *text, const char *keys, const char *words)
{
	struct err err = ERR_INIT;
	struct series s;

	assert_int_not_equal(read_text(text, strlen(text), keys, &s, &err), 0);
	if (!strstr(err.msg, words))
		fail_msg("'%s' says nothing of '%s'", err.msg, words);
}

static void tables_of_time_and_watts_are_read_in_their_units(void **state)
{
	(void)state;
	table_is("time,watts\n0,10\n1,10\n2,20\n", "", 25, 1);
	table_is("# logger 3\ntime_ms;power [mW]\n0;10000\n1000;10000\n2000;20000,5\n", "", 25.00025, 1);
	table_is("timestamp_ns\tcore\tP\n0\t1\t10\n1000000000\t1\t10\n2000000000\t1\t20\n", "", 25, 1);
	table_is("a,b\n0,1e4\n1,1e4\n2,2e4\n", ",time=a,power=b,unit=mW", 25, 1);
	table_is("time,watts\n0,10\n1,10\n1,10\n2,20\n", "", 25, 1);
}

static void triggers_of_tables_make_edges(void **state)
{
	const char *text = "t,watts,trigger\n0,1,0.1\n1,1,0\n2,1,4.9\n3,1,5\n4,1,3\n5,1,5\n6,1,0\n7,1,0.2\n";
	struct err err = ERR_INIT;
	struct series s;

	(void)state;
	assert_int_equal(read_text(text, strlen(text), "", &s, &err), 0);
	assert_int_equal(s.n_edges, 2);
	assert_true(s.edges[0] == 1.5 && s.edges[1] == 5.5 && !s.high);
	series_release(&s);
}

static void tables_that_are_none_are_refused_with_the_place(void **state)
{
	(void)state;
	table_is_refused("", "", "is empty");
	table_is_refused("time,watts\n0,1\n1,x\n2,1\n", "",
			 "line 3, column 2 (watts): expected a number, found 'x'");
	table_is_refused("time,watts\n0,1\n1,nan\n2,1\n", "", "line 3, column 2");
	table_is_refused("time,watts\n0,1\n-1,1\n2,1\n", "",
			 "line 3, column 1 (time): expected a number, not below 0");
	table_is_refused("time,watts\n0,1\n2,1\n1,1\n", "", "line 4: the time goes back from 2 to 1 s");
	table_is_refused("time,watts\n0,1\n1\n2,1\n", "", "line 3: 1 columns");
	table_is_refused("time,watts\n0,1\n1,1\n", "", "2 readings: too few");
	table_is_refused("time,current\n0,1\n1,1\n2,1\n", "", "no column of power");
	table_is_refused("time,watts\n0,1\n1,1\n2,1\n", ",power=p", "no column 'p'");
	table_is_refused("time,watts\n0,90000\n1,95000\n2,90000\n", "", "suspected to be in mW");
	table_is_refused("time,watts\n0,0.001\n1,0.001\n2,0.001\n", "", "suspected to be in kW");
}

/* ---- data points ---- */

static void put_varint(struct strbuf *out, uint64_t x)
{
	do {
		unsigned char c = (unsigned char)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));

		strbuf_add(out, &c, 1);
		x >>= 7;
	} while (x);
}

static void put_bytes(struct strbuf *out, unsigned number, const void *data, size_t len)
{
	put_varint(out, number << 3 | 2);
	put_varint(out, len);
	strbuf_add(out, data, len);
}

static void put_part(struct strbuf *out, const char *magic, const struct strbuf *message)
{
	uint32_t len = (uint32_t)message->len;

	strbuf_add(out, magic, 4);
	if (magic[3] == 1)
		strbuf_add(out, "\1", 1);
	strbuf_add(out, &len, 4);
	strbuf_add(out, message->s, message->len);
}

/* What a made-up data logger does. */
struct logger {
	double rate;
	size_t chunk; /* points */
	size_t chunks;
	size_t lost, at_chunk;  /* so many points are lost in front of that chunk */
	size_t twice, at_twice; /* ... or there again */
};

static double volts_at(double t)
{
	return t > 1 && t < 3 ? 0.05 : 0.01;
}

static void put_chunk(struct strbuf *out, const struct logger *l, size_t begin)
{
	struct strbuf set = STRBUF_INIT, part = STRBUF_INIT;
	double *x = mem_new(l->chunk, sizeof(*x));
	double t = (double)begin / l->rate;

	put_varint(&part, 1 << 3);
	put_varint(&part, 1000 + (uint64_t)t);
	put_varint(&part, 2 << 3);
	put_varint(&part, (uint64_t)((t - floor(t)) * 1e9));
	put_bytes(&set, 1, part.s, part.len);
	for (int channel = 0; channel < 2; channel++) {
		part.len = 0;
		for (size_t i = 0; i < l->chunk; i++) {
			double at = (double)(begin + i) / l->rate;

			x[i] = channel ? (at > 1 && at < 3 ? 0.2 : 0.001) : volts_at(at);
		}
		put_bytes(&part, 1, x, l->chunk * sizeof(*x));
		put_varint(&part, 2 << 3);
		put_varint(&part, (uint64_t)channel);
		put_bytes(&set, 2, part.s, part.len);
	}
	put_part(out, "\3\1\x86\2", &set);
	free(x);
	strbuf_release(&set);
	strbuf_release(&part);
}

static void logger_write(const struct logger *l, struct strbuf *out)
{
	struct strbuf header = STRBUF_INIT;
	unsigned char key = 2 << 3 | 1;
	size_t point = 0;

	put_bytes(&header, 1, "shot@1", 6);
	strbuf_add(&header, &key, 1);
	strbuf_add(&header, &l->rate, 8);
	put_varint(&header, 3 << 3);
	put_varint(&header, 2);
	put_bytes(&header, 6, "CPU", 3);
	put_bytes(&header, 6, "TRIGGER", 7);
	put_part(out, "\3\1\x86\1", &header);
	for (size_t i = 0; i < l->chunks; i++) {
		point += l->lost && i == l->at_chunk ? l->lost : 0;
		point -= l->twice && i == l->at_twice ? l->twice : 0;
		put_chunk(out, l, point);
		point += l->chunk;
	}
	strbuf_release(&header);
}

/* 2 s of 60 W and the rest of 12 W: 0.05 and 0.01 V at 0.01 ohm of 12 V. */
#define KEYS ",resistor=0.01,volts=12"

static void data_points_become_watts_and_edges(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct series s;

	(void)state;
	logger_write(&(struct logger){1000, 100, 40, 0, 0, 0, 0}, &text);
	if (read_text(text.s, text.len, KEYS, &s, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(s.n, 4000);
	assert_true(fabs(s.interval - 0.001) < 1e-9);
	assert_int_equal(s.n_edges, 2);
	assert_true(fabs(s.edges[0] - 1) <= 0.001 && fabs(s.edges[1] - 3) <= 0.001);
	assert_true(fabs(series_joules(&s, 1.1, 2.9, NULL) - 1.8 * 60) < 1e-3);
	assert_int_equal(s.missing + s.doubled, 0);
	series_release(&s);
	strbuf_release(&text);
}

static void lost_points_are_a_gap_and_doubled_ones_go(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct series s;

	(void)state;
	logger_write(&(struct logger){1000, 100, 40, 40, 15, 0, 0}, &text);
	assert_int_equal(read_text(text.s, text.len, KEYS, &s, &err), 0);
	assert_int_equal(s.missing, 40);
	assert_true(fabs(s.first_missing - 1.5) < 0.002);
	assert_true(fabs(s.edges[1] - 3) <= 0.001);
	series_release(&s);
	text.len = 0;
	logger_write(&(struct logger){1000, 100, 40, 0, 0, 30, 15}, &text);
	assert_int_equal(read_text(text.s, text.len, KEYS, &s, &err), 0);
	assert_int_equal(s.doubled, 30);
	assert_int_equal(s.missing, 0);
	assert_true(fabs(s.edges[1] - 3) <= 0.001);
	series_release(&s);
	strbuf_release(&text);
}

static void points_are_refused(const char *text, size_t len, const char *keys, const char *words)
{
	struct err err = ERR_INIT;
	struct series s;

	assert_int_not_equal(read_text(text, len, keys, &s, &err), 0);
	if (!strstr(err.msg, words))
		fail_msg("'%s' says nothing of '%s'", err.msg, words);
}

static void damaged_data_points_are_refused(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	logger_write(&(struct logger){1000, 100, 40, 0, 0, 0, 0}, &text);
	points_are_refused(text.s, text.len, "", "resistor=0.01,volts=12");
	points_are_refused(text.s, text.len, KEYS ",channel=BOARD", "no channel 'BOARD'");
	points_are_refused(text.s, text.len, KEYS ",trigger=T", "no channel 'T'");
	points_are_refused(text.s, text.len - 7, KEYS, "chunk 40 is cut off");
	points_are_refused(text.s, 30, KEYS, "cut off");
	text.s[4] = 2;
	points_are_refused(text.s, text.len, KEYS, "version");
	text.s[4] = 1;
	text.s[text.len / 2] ^= 0x55;
	for (size_t i = 5; i < text.len; i += 97) { /* whatever it says: no crash */
		struct err err = ERR_INIT;
		struct series s;
		char old = text.s[i];

		text.s[i] = (char)(old ^ 0x5a);
		if (!read_text(text.s, text.len, KEYS, &s, &err))
			series_release(&s);
		text.s[i] = old;
	}
	strbuf_release(&text);
}

static void options_are_checked(void **state)
{
	static const char *const bad[] = {"f,x=1",   "f,resistor=0", "f,volts=-1", "f,unit=kW",
					  ",unit=W", "f,time",       "f,time="};
	struct err err = ERR_INIT;
	struct meter_file_options o;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(meter_file_options_parse(&o, bad[i], &err), -EINVAL);
	assert_int_equal(meter_file_options_parse(&o, "f,channel=CPU,resistor=0.01,volts=12,trigger=T", &err),
			 0);
	assert_true(o.resistor == 0.01 && o.volts == 12);
	meter_file_options_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_time_and_watts_are_read_in_their_units),
		cmocka_unit_test(triggers_of_tables_make_edges),
		cmocka_unit_test(tables_that_are_none_are_refused_with_the_place),
		cmocka_unit_test(data_points_become_watts_and_edges),
		cmocka_unit_test(lost_points_are_a_gap_and_doubled_ones_go),
		cmocka_unit_test(damaged_data_points_are_refused),
		cmocka_unit_test(options_are_checked),
	};
	int ret;

	snprintf(path, sizeof(path), "/tmp/t-meter-file.%d", (int)getpid());
	cmocka_set_message_output(CM_OUTPUT_TAP);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return ret;
}
