/* SPDX-License-Identifier: MIT */
#include "lib/json.h"
#include "report/waits/bottleneck.h"
#include "report/waits/waits.h"

static double waits_json_share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void json_place(struct json *j, const char *function, const char *file, uint32_t line)
{
	json_string(j, "function", function);
	json_string(j, "file", file);
	json_u64(j, "line", file ? line : 0);
}

static void json_whom(struct json *j, const struct report_whom *w)
{
	json_object(j, NULL);
	json_string(j, "name", w->name);
	json_place(j, w->function, w->file, w->line);
	json_u64(j, "count", w->count);
	json_double(j, "ns", w->ns);
	json_u64(j, "holds_timed", w->holds);
	json_double(j, "hold_mean_ns", w->holds ? w->hold_ns / (double)w->holds : 0);
	json_end(j);
}

static void json_wait(struct json *j, const struct report_summary *s, const struct report_wait *w)
{
	json_object(j, NULL);
	json_string(j, "id", w->id);
	json_string(j, "kind", report_wait_kind(w->kind));
	json_string(j, "object", w->object);
	json_u64(j, "objects", w->objects);
	json_string(j, "who", w->who);
	json_u64(j, "threads", w->threads);
	json_place(j, w->function, w->file, w->line);
	json_array(j, "or_at");
	for (size_t i = 0; i < w->n_others; i++) {
		json_object(j, NULL);
		json_place(j, w->others[i].function, w->others[i].file, w->others[i].line);
		json_end(j);
	}
	json_end(j);
	json_string(j, "from_function", w->from_function);
	json_string(j, "from_file", w->from_file);
	json_u64(j, "from_line", w->from_file ? w->from_line : 0);
	json_u64(j, "count", w->count);
	json_u64(j, "taken", w->taken);
	json_u64(j, "still_waiting", w->open);
	json_double(j, "ns", w->ns);
	json_double(j, "max_ns", w->max_ns);
	json_double(j, "share", waits_json_share(w->ns, s->thread_ns));
	json_double(j, "share_of_who", waits_json_share(w->ns, w->life_ns));
	json_bool(j, "outside", w->outside);
	json_bool(j, "significant", waits_significant(s, w));
	json_array(j, "whom");
	for (size_t i = 0; i < w->n_whoms; i++)
		json_whom(j, &w->whoms[i]);
	json_end(j);
	json_end(j);
}

static void json_side(struct json *j, const char *key, const struct report_side *side)
{
	json_object(j, key);
	json_string(j, "name", side->name);
	json_u64(j, "threads", side->threads);
	json_string(j, "waits_at", side->object);
	json_string(j, "kind", side->count ? report_wait_kind(side->kind) : NULL);
	json_u64(j, "count", side->count);
	json_double(j, "ns", side->ns);
	json_double(j, "share", waits_json_share(side->ns, side->life_ns));
	json_end(j);
}

static void json_queue(struct json *j, const struct report_queue *q)
{
	json_object(j, NULL);
	json_string(j, "id", q->id);
	json_string(j, "object", q->object);
	json_bool(j, "guessed", q->guessed);
	json_bool(j, "one_condition", q->one_condition);
	json_side(j, "producer", &q->producer);
	json_side(j, "consumer", &q->consumer);
	json_end(j);
}

static void json_lock(struct json *j, const struct report_lock *l)
{
	json_object(j, NULL);
	json_string(j, "kind", report_wait_kind(l->kind));
	json_string(j, "object", l->object);
	json_u64(j, "objects", l->objects);
	json_u64(j, "threads", l->threads);
	if (l->taken || !l->waits)
		json_u64(j, "taken", l->taken);
	else
		json_string(j, "taken", NULL); /* not known */
	json_u64(j, "waits", l->waits);
	json_double(j, "wait_ns", l->wait_ns);
	json_u64(j, "holds_timed", l->holds);
	json_double(j, "hold_mean_ns", report_hold_mean(l));
	json_end(j);
}

/* Null: no lock is the bottleneck. */
static void json_bottleneck(struct json *j, const struct report_summary *s)
{
	struct report_bottleneck b;

	if (!report_bottleneck(s, &b)) {
		json_string(j, "bottleneck", NULL);
		return;
	}
	json_object(j, "bottleneck");
	json_string(j, "object", b.lock->object);
	json_string(j, "wait", b.wait->id);
	json_string(j, "file", b.wait->file);
	json_u64(j, "line", b.wait->file ? b.wait->line : 0);
	json_double(j, "held", b.held);
	json_double(j, "hold_mean_ns", b.hold_ns);
	json_u64(j, "taken", b.lock->taken);
	json_u64(j, "holds_timed", b.lock->holds);
	json_string(j, "who", b.wait->who);
	json_u64(j, "threads", b.wait->threads);
	json_double(j, "share_of_who", b.waited);
	json_end(j);
}

void waits_json(const struct report_summary *s, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "run", s->run->path);
	json_string(&j, "trial", s->run->manifest.trial);
	json_bool(&j, "complete", s->run->complete);
	json_double(&j, "thread_ns", s->thread_ns);
	json_double(&j, "wait_ns", s->wait_ns);
	json_u64(&j, "blind_processes", s->n_blind);
	json_u64(&j, "significant", waits_count_significant(s));
	json_bottleneck(&j, s);
	json_array(&j, "waits");
	for (size_t i = 0; i < s->n_waits; i++)
		json_wait(&j, s, &s->waits[i]);
	json_end(&j);
	json_array(&j, "queues");
	for (size_t i = 0; i < s->n_queues; i++)
		json_queue(&j, &s->queues[i]);
	json_end(&j);
	json_array(&j, "locks");
	for (size_t i = 0; i < s->n_locks; i++)
		json_lock(&j, &s->locks[i]);
	json_end(&j);
	json_end(&j);
}
