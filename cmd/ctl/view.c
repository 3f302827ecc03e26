/* SPDX-License-Identifier: MIT */
/* perseus ctl status and query: who holds what, asked and printed. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cmd/ctl/ctl.h"
#include "lib/num.h"
#include "lib/strbuf.h"

#define TOPIC_COLUMNS 11

/* ---- asked ---- */

static void add_unit(struct vec_ctl_unit *units, const struct prs_ctl_reply *r)
{
	struct ctl_unit *u = vec_add(units);

	u->said = *r;
	u->held = r->lease != 0;
}

static bool ctl_view_is_known(const struct vec_ctl_unit *units, uint32_t cpu)
{
	for (size_t i = 0; i < units->n; i++)
		if (ctl_cpus_has(units->at[i].said.cpus, cpu))
			return true;
	return false;
}

/* Of an answer that names no cpus the cpu itself is known. */
static void take_answer(struct vec_ctl_unit *units, uint32_t cpu, struct prs_ctl_reply *r)
{
	if (!ctl_cpus_has(r->cpus, cpu))
		ctl_cpus_add(r->cpus, cpu);
	add_unit(units, r);
}

/* 0, or a negative errno: a cpu without a policy is none of the refusals that end it. */
static int ask_policy(struct ctl_view *v, struct ctl_link *l, uint32_t cpu, struct err *err)
{
	struct prs_ctl_reply r;
	int ret;

	if (!(v->able & PRS_CTL_FREQUENCY) || ctl_view_is_known(&v->policies, cpu))
		return 0;
	ret = ctl_query(l, cpu, PRS_CTL_FREQUENCY, &r, err);
	if (!ret)
		take_answer(&v->policies, cpu, &r);
	return ret < 0 ? ret : 0;
}

static int ask_reservation(struct ctl_view *v, struct ctl_link *l, uint32_t cpu, struct err *err)
{
	struct prs_ctl_reply r;
	int ret;

	if (!(v->able & PRS_CTL_RESERVE) || ctl_view_is_known(&v->reserved, cpu))
		return 0;
	ret = ctl_query(l, cpu, PRS_CTL_RESERVE, &r, err);
	if (!ret && r.lease)
		take_answer(&v->reserved, cpu, &r);
	return ret < 0 ? ret : 0;
}

static void ctl_view_begin(struct ctl_view *v, struct ctl_link *l)
{
	*v = (struct ctl_view){.socket = l->socket, .hello = l->client.hello};
	v->able = ctl_abilities(&l->client);
}

int ctl_view_all(struct ctl_view *v, struct ctl_link *l, struct err *err)
{
	int ret = 0;

	ctl_view_begin(v, l);
	for (uint32_t cpu = 0; cpu < PRS_CTL_CPUS && !ret; cpu++) {
		if (!ctl_cpus_has(v->hello.cpus, cpu))
			continue;
		ret = ask_policy(v, l, cpu, err);
		if (!ret)
			ret = ask_reservation(v, l, cpu, err);
	}
	if (ret)
		ctl_view_release(v);
	return ret;
}

int ctl_view_cpu(struct ctl_view *v, struct ctl_link *l, uint32_t cpu, struct err *err)
{
	struct prs_ctl_request q = {.op = PRS_CTL_QUERY, .cpu = cpu};
	struct prs_ctl_reply r;
	int ret = ctl_query(l, cpu, 0, &r, err);

	ctl_view_begin(v, l);
	if (ret > 0 && ret != PRS_CTL_NO_FREQUENCY_STATUS)
		ret = ctl_refused(l, &q, &r, err);
	if (ret < 0)
		return ret;
	if (!ret)
		take_answer(&v->policies, cpu, &r);
	ret = ask_reservation(v, l, cpu, err);
	if (ret)
		ctl_view_release(v);
	return ret;
}

void ctl_view_release(struct ctl_view *v)
{
	vec_release(&v->policies);
	vec_release(&v->reserved);
}

/* ---- for people ---- */

static const char *frequencies_by(uint32_t flags)
{
	if (!(flags & PRS_CTL_FREQUENCY))
		return NULL;
	return flags & PRS_CTL_BY_MODULE ? "module" : "cpufreq";
}

static const char *cores_by(uint32_t flags)
{
	if (!(flags & PRS_CTL_RESERVE))
		return NULL;
	return flags & PRS_CTL_BY_CGROUP2 ? "cgroup2" : "cgroup1";
}

/* Why not, of what @able lacks or this user may not have. */
static const char *not_lent(uint32_t able, const char *cannot, const char *to_others)
{
	return able ? to_others : cannot;
}

static void topic(const char *name)
{
	cmd_print("%-*s", TOPIC_COLUMNS, name);
}

void ctl_print_daemon(const struct ctl_view *v)
{
	uint32_t flags = v->hello.flags;
	char khz[48], list[CTL_LIST_BYTES], ttl[32];

	topic("daemon");
	cmd_print("%s, protocol %u\n", v->socket, (unsigned)v->hello.version);
	topic("frequency");
	if (frequencies_by(flags))
		cmd_print("%s, by %s\n", ctl_khz_text(khz, sizeof(khz), v->hello.min_khz, v->hello.max_khz),
			  flags & PRS_CTL_BY_MODULE ? PRS_CTL_DEVICE : "cpufreq's files");
	else
		cmd_print("%s\n", not_lent(v->able & PRS_CTL_FREQUENCY, "cannot be set here",
					   "not lent to this user: frequency-users of perseusd.conf"));
	topic("cores");
	if (cores_by(flags))
		cmd_print("can be reserved, by %s\n",
			  flags & PRS_CTL_BY_CGROUP2 ? "partitions of cgroup v2" : "cpusets of cgroup v1");
	else
		cmd_print("%s\n", not_lent(v->able & PRS_CTL_RESERVE, "cannot be reserved here",
					   "not lent to this user: reserve-users of perseusd.conf"));
	topic("cpus");
	cmd_print("%s can be leased", ctl_cpus_text(list, v->hello.cpus));
	if (v->hello.ttl_ms)
		cmd_print(", for %s at a time", num_time(ttl, sizeof(ttl), v->hello.ttl_ms * 1e-3));
	cmd_print("\n");
}

/* A policy is lent as a whole, so one cpu that is not lent keeps all of it. */
static bool is_lent(const struct ctl_view *v, const struct ctl_unit *u)
{
	return ctl_first_outside(u->said.cpus, v->hello.cpus) == PRS_CTL_CPUS;
}

static const char *is_free(const struct ctl_view *v, const struct ctl_unit *u)
{
	if (!is_lent(v, u))
		return "not lent: cpus of perseusd.conf";
	return v->hello.flags & PRS_CTL_FREQUENCY ? "free" : "not lent to this user";
}

static void print_holder(const struct ctl_unit *u)
{
	char holder[256];

	cmd_print("\n%*sheld by %s\n", TOPIC_COLUMNS, "", ctl_holder_text(holder, sizeof(holder), &u->said));
}

static void print_policy(const struct ctl_view *v, const struct ctl_unit *u)
{
	char list[CTL_LIST_BYTES], khz[48];

	topic("policy");
	cmd_print("%s %s: %s", ctl_cpus_noun(u->said.cpus), ctl_cpus_text(list, u->said.cpus),
		  ctl_khz_text(khz, sizeof(khz), u->said.min_khz, u->said.max_khz));
	if (u->said.current_khz)
		cmd_print(", now %s",
			  ctl_khz_text(khz, sizeof(khz), u->said.current_khz, u->said.current_khz));
	if (u->held)
		print_holder(u);
	else
		cmd_print(", %s\n", is_free(v, u));
}

/* A cpu with a clock of its own that nobody holds. */
static bool ctl_view_is_plain(const struct ctl_unit *u)
{
	uint32_t n = 0;

	for (uint32_t c = 0; c < PRS_CTL_CPUS; c++)
		n += ctl_cpus_has(u->said.cpus, c);
	return n == 1 && !u->held;
}

/* How many from @at on are plain and have one range: large machines have hundreds. */
static size_t count_alike(const struct vec_ctl_unit *units, size_t at)
{
	const struct prs_ctl_reply *first = &units->at[at].said;
	size_t n = 0;

	while (at + n < units->n && ctl_view_is_plain(&units->at[at + n]) &&
	       units->at[at + n].said.min_khz == first->min_khz &&
	       units->at[at + n].said.max_khz == first->max_khz)
		n++;
	return n;
}

static void print_alike(const struct ctl_view *v, const struct ctl_unit *units, size_t n)
{
	uint32_t low = UINT32_MAX, high = 0;
	prs_u8 cpus[PRS_CTL_CPUS / 8] = {0};
	char list[CTL_LIST_BYTES], khz[48];

	for (size_t i = 0; i < n; i++) {
		const struct prs_ctl_reply *r = &units[i].said;

		ctl_cpus_add(cpus, ctl_first(r->cpus));
		low = r->current_khz < low ? r->current_khz : low;
		high = r->current_khz > high ? r->current_khz : high;
	}
	topic("policies");
	cmd_print("cpus %s, a clock each: %s", ctl_cpus_text(list, cpus),
		  ctl_khz_text(khz, sizeof(khz), units->said.min_khz, units->said.max_khz));
	if (low)
		cmd_print(", now %s", ctl_khz_text(khz, sizeof(khz), low, high));
	cmd_print(", %s\n", is_free(v, units));
}

static void print_reserved(const struct ctl_unit *u)
{
	char list[CTL_LIST_BYTES];

	topic("reserved");
	cmd_print("%s %s%s", ctl_cpus_noun(u->said.cpus), ctl_cpus_text(list, u->said.cpus),
		  u->said.flags & PRS_CTL_BALANCED ? ", balanced inside" : "");
	print_holder(u);
}

void ctl_print_units(const struct ctl_view *v)
{
	for (size_t i = 0, n; i < v->policies.n; i += n) {
		n = count_alike(&v->policies, i);
		if (n > 1)
			print_alike(v, &v->policies.at[i], n);
		else
			print_policy(v, &v->policies.at[i]);
		n = n ? n : 1;
	}
	for (size_t i = 0; i < v->reserved.n; i++)
		print_reserved(&v->reserved.at[i]);
}

/* ---- for programs ---- */

static void json_cpus(struct json *j, const prs_u8 cpus[PRS_CTL_CPUS / 8])
{
	char list[CTL_LIST_BYTES];

	json_string(j, "cpus", ctl_first(cpus) < PRS_CTL_CPUS ? ctl_cpus_text(list, cpus) : "");
}

static void json_plan(struct json *j, const prs_u8 plan[32])
{
	char hex[65], brief[24];

	for (int i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", plan[i]);
	json_string(j, "plan_sha256", *ctl_plan_text(brief, sizeof(brief), plan) ? hex : NULL);
}

static void json_holder(struct json *j, const struct ctl_unit *u)
{
	if (!u->held) {
		json_string(j, "holder", NULL);
		return;
	}
	json_object(j, "holder");
	json_u64(j, "lease", u->said.lease);
	json_u64(j, "pid", u->said.holder_pid);
	json_u64(j, "uid", u->said.holder_uid);
	json_u64(j, "ttl_ms", u->said.ttl_ms);
	json_plan(j, u->said.plan);
	json_end(j);
}

static void json_policies(struct json *j, const struct ctl_view *v)
{
	json_array(j, "policies");
	for (size_t i = 0; i < v->policies.n; i++) {
		const struct ctl_unit *u = &v->policies.at[i];

		json_object(j, NULL);
		json_cpus(j, u->said.cpus);
		json_u64(j, "min_khz", u->said.min_khz);
		json_u64(j, "max_khz", u->said.max_khz);
		json_u64(j, "current_khz", u->said.current_khz);
		json_bool(j, "lent", v->hello.flags & PRS_CTL_FREQUENCY && is_lent(v, u));
		json_holder(j, u);
		json_end(j);
	}
	json_end(j);
}

static void json_reserved(struct json *j, const struct ctl_view *v)
{
	json_array(j, "reserved");
	for (size_t i = 0; i < v->reserved.n; i++) {
		const struct ctl_unit *u = &v->reserved.at[i];

		json_object(j, NULL);
		json_cpus(j, u->said.cpus);
		json_bool(j, "balanced", u->said.flags & PRS_CTL_BALANCED);
		json_holder(j, u);
		json_end(j);
	}
	json_end(j);
}

void ctl_print_json(const struct ctl_view *v)
{
	struct strbuf text = STRBUF_INIT;
	struct json j;

	json_init(&j, &text);
	json_object(&j, NULL);
	json_u64(&j, "schema", CTL_SCHEMA);
	json_string(&j, "socket", v->socket);
	json_u64(&j, "protocol", v->hello.version);
	json_string(&j, "frequencies_by", frequencies_by(v->hello.flags));
	json_string(&j, "cores_by", cores_by(v->hello.flags));
	json_u64(&j, "min_khz", v->hello.min_khz);
	json_u64(&j, "max_khz", v->hello.max_khz);
	json_u64(&j, "max_ttl_ms", v->hello.ttl_ms);
	json_cpus(&j, v->hello.cpus);
	json_policies(&j, v);
	json_reserved(&j, v);
	json_end(&j);
	cmd_print("%s\n", text.s);
	strbuf_release(&text);
}
