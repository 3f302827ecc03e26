/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * kmod/perseus.c itself as a program of the host: the fuzzer's bytes open and
 * close descriptors, send requests, take policies and cpus away and bring them
 * back, and let allocations and copies fail.  Beside what the sanitizers see,
 * these must hold after every step: locks and references are given back, the
 * minimum never crosses the maximum, a refused request changes nothing, and at
 * the end nothing is left.
 */
#include "tests/kmod/host-kernel.h"

#include "kmod/perseus.c"

#include <stdio.h>

#define DESCRIPTORS 6
#define POLICIES    3

int host_init(void);
void host_exit(void);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input, *input_end;
static bool failing; /* the fuzzer wants some calls to fail */
static unsigned online;
static struct cpufreq_policy *policies[POLICIES];
static struct notifier_block *notifier;
static struct miscdevice *misc;
static struct file *files[DESCRIPTORS];

static unsigned byte(void)
{
	return input < input_end ? *input++ : 0;
}

static unsigned word(void)
{
	unsigned v = byte();

	v |= byte() << 8;
	v |= byte() << 16;
	return v | byte() << 24;
}

bool host_fails(void)
{
	return failing && byte() % 8 == 1;
}

/* ---- the kernel ------------------------------------------------------------------ */

struct kmem_cache *host_cache(size_t size)
{
	struct kmem_cache *cache = calloc(1, sizeof(*cache));

	cache->size = size;
	return cache;
}

void *kmem_cache_zalloc(struct kmem_cache *cache, int flags)
{
	(void)flags;
	if (host_fails())
		return NULL;
	cache->objects++;
	return calloc(1, cache->size);
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	assert(object && cache->objects);
	cache->objects--;
	free(object);
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	if (!cache)
		return;
	assert(!cache->objects);
	free(cache);
}

unsigned long copy_from_user(void *to, const void *from, unsigned long n)
{
	assert(!prs_lock.locked);
	if (!from || host_fails())
		return n;
	memcpy(to, from, n);
	return 0;
}

unsigned long copy_to_user(void *to, const void *from, unsigned long n)
{
	assert(!prs_lock.locked);
	if (host_fails())
		return n;
	memcpy(to, from, n);
	return 0;
}

int misc_register(struct miscdevice *device)
{
	misc = device;
	return 0;
}

void misc_deregister(struct miscdevice *device)
{
	assert(misc == device);
	misc = NULL;
}

int cpufreq_register_notifier(struct notifier_block *nb, unsigned list)
{
	assert(list == CPUFREQ_POLICY_NOTIFIER && !notifier);
	notifier = nb;
	return 0;
}

int cpufreq_unregister_notifier(struct notifier_block *nb, unsigned list)
{
	assert(list == CPUFREQ_POLICY_NOTIFIER && notifier == nb);
	notifier = NULL;
	return 0;
}

bool host_online(unsigned cpu)
{
	return online >> cpu & 1;
}

static struct cpufreq_policy *policy_of(unsigned cpu)
{
	for (unsigned i = 0; i < POLICIES; i++)
		if (policies[i] && policies[i]->cpus->bits >> cpu & 1)
			return policies[i];
	return NULL;
}

struct cpufreq_policy *cpufreq_cpu_get(unsigned cpu)
{
	struct cpufreq_policy *policy = policy_of(cpu);

	assert(cpu < nr_cpu_ids);
	if (policy)
		policy->references++;
	return policy;
}

void cpufreq_cpu_put(struct cpufreq_policy *policy)
{
	assert(policy->references);
	policy->references--;
}

static int bound(const struct cpufreq_policy *policy, enum freq_qos_req_type type)
{
	int value = type == FREQ_QOS_MIN ? 0 : INT_MAX;
	const struct freq_qos_request *r;

	list_for_each_entry(r, &policy->constraints.requests,
			    node) if (r->type == type &&
				      (type == FREQ_QOS_MIN ? r->value > value : r->value < value)) value =
		r->value;
	return value;
}

static void agree(const struct freq_constraints *qos)
{
	const struct cpufreq_policy *policy = host_entry(qos, const struct cpufreq_policy, constraints);

	assert(bound(policy, FREQ_QOS_MIN) <= bound(policy, FREQ_QOS_MAX));
}

void cpufreq_update_policy(unsigned cpu)
{
	struct cpufreq_policy *policy = policy_of(cpu);

	assert(cpu < nr_cpu_ids);
	if (!policy)
		return;
	assert(!policy->rwsem.readers);
	policy->min = prs_clamp((u32)bound(policy, FREQ_QOS_MIN),
				&(struct prs_range){policy->cpuinfo.min_freq, policy->cpuinfo.max_freq});
	policy->max = prs_clamp((u32)bound(policy, FREQ_QOS_MAX),
				&(struct prs_range){policy->cpuinfo.min_freq, policy->cpuinfo.max_freq});
}

unsigned cpufreq_quick_get(unsigned cpu)
{
	return policy_of(cpu) ? policy_of(cpu)->max : 0;
}

int freq_qos_add_request(struct freq_constraints *qos, struct freq_qos_request *req,
			 enum freq_qos_req_type type, int value)
{
	assert(!req->qos && value >= 0);
	if (host_fails())
		return -ENOMEM;
	*req = (struct freq_qos_request){.type = type, .value = value, .qos = qos};
	list_add_tail(&req->node, &qos->requests);
	agree(qos);
	return 1;
}

int freq_qos_update_request(struct freq_qos_request *req, int value)
{
	assert(req->qos && value >= 0);
	req->value = value;
	agree(req->qos);
	return 1;
}

int freq_qos_remove_request(struct freq_qos_request *req)
{
	assert(req->qos);
	list_del(&req->node);
	memset(req, 0, sizeof(*req));
	return 1;
}

/* ---- the driver and the cpus ----------------------------------------------------------- */

static const unsigned policy_cpus[POLICIES] = {0x1, 0x6, 0x8};

/* Each kind of driver: with steps, without, one that names no limits, one not yet complete. */
static void driver_comes(unsigned n, unsigned kind)
{
	static const unsigned steps[] = {800000, 1200000, 1600000, 2000000, 2400000, 0};
	struct cpufreq_policy *policy;

	if (policies[n])
		return;
	policy = calloc(1, sizeof(*policy));
	policy->related_cpus->bits = policy_cpus[n];
	policy->cpus->bits = policy_cpus[n] & online;
	policy->cpu = cpumask_first(policy->cpus);
	policy->cpuinfo.min_freq = kind == 3 ? 0 : 800000;
	policy->cpuinfo.max_freq = kind == 4 ? 0xf0000000u : 2400000;
	policy->max_freq_req = kind == 5 ? NULL : (struct freq_qos_request *)policy;
	if (kind & 1) {
		policy->freq_table = malloc(sizeof(steps));
		memcpy(policy->freq_table, steps, sizeof(steps));
	}
	INIT_LIST_HEAD(&policy->constraints.requests);
	policies[n] = policy;
	notifier->notifier_call(notifier, CPUFREQ_CREATE_POLICY, policy);
	cpufreq_update_policy(cpumask_first(policy->related_cpus));
}

static void driver_goes(unsigned n)
{
	struct cpufreq_policy *policy = policies[n];

	if (!policy)
		return;
	policies[n] = NULL;
	policy->cpus->bits = 0;
	if (policy->max_freq_req)
		notifier->notifier_call(notifier, CPUFREQ_REMOVE_POLICY, policy);
	assert(policy->constraints.requests.next == &policy->constraints.requests);
	free(policy->freq_table);
	free(policy);
}

static void cpu_toggles(unsigned cpu)
{
	online ^= 1u << cpu;
	for (unsigned i = 0; i < POLICIES; i++)
		if (policies[i]) {
			policies[i]->cpus->bits = policies[i]->related_cpus->bits & online;
			policies[i]->cpu = cpumask_first(policies[i]->cpus);
		}
}

/* ---- one step ---------------------------------------------------------------------------- */

static void open_one(unsigned n)
{
	struct file *file = calloc(1, sizeof(*file));
	int ret = misc->fops->open(NULL, file);

	assert(!ret || ret == -ENOMEM || ret == -EMFILE);
	assert(ret != -EMFILE || prs_files == file_limit);
	files[n] = ret ? NULL : file;
	if (ret)
		free(file);
}

static void close_one(unsigned n)
{
	assert(!misc->fops->release(NULL, files[n]));
	free(files[n]);
	files[n] = NULL;
}

static u32 khz(void)
{
	unsigned b = byte();

	return b < 8 ? word() : b < 32 ? 0 : 100000 * (b % 32);
}

/* What is requested of all policies, as one number. */
static u64 state(void)
{
	u64 sum = prs_hold_count;
	const struct prs_hold *h;

	list_for_each_entry(h, &prs_holds, in_all) sum =
		sum * 1000003 + (u64)h->min.value * 31 + (u64)h->max.value;
	return sum;
}

static void check_hold(long ret, const struct prs_ctl_hold *before, const struct prs_ctl_hold *h)
{
	struct prs_range granted = {h->granted_min_khz, h->granted_max_khz};

	if (ret)
		return;
	assert(before->version == PRS_CTL_VERSION && !before->flags && !before->reserved[0] &&
	       !before->reserved[1]);
	assert(prs_range_valid(&granted) && granted.min_khz >= 800000 && granted.max_khz <= 2400000);
	assert(!before->min_khz || (h->flags & PRS_CTL_CLAMPED) || granted.min_khz == before->min_khz);
	assert(!(h->flags & PRS_CTL_NOT_HELD));
	assert(prs_hold_count);
}

static void request(struct file *file)
{
	static const unsigned numbers[] = {PRS_CTL_IOC_HOLD,    PRS_CTL_IOC_HOLD,  PRS_CTL_IOC_HOLD,
					   PRS_CTL_IOC_RELEASE, PRS_CTL_IOC_QUERY, PRS_CTL_IOC_CAPS};
	unsigned kind = byte(), number = numbers[kind % 6], odd = byte();
	u32 *words = calloc(
		1, _IOC_SIZE(number)); /* exactly as long as the request: the sanitizer sees one byte more */
	struct prs_ctl_hold before;
	u64 was = state();
	long ret;

	words[0] = PRS_CTL_VERSION;
	words[1] = kind & 0x40 ? word() : byte() % 5;
	if (number == PRS_CTL_IOC_HOLD) {
		words[2] = khz();
		words[3] = khz();
	}
	if (odd < 48)
		words[odd % (_IOC_SIZE(number) / 4)] = word();
	if (odd == 255)
		number ^= 1u << byte() % 32;
	memcpy(&before, words, _IOC_SIZE(numbers[kind % 6]) < sizeof(before) ? 8 : sizeof(before));
	ret = misc->fops->unlocked_ioctl(file, number, odd == 254 ? 0 : (unsigned long)words);
	assert(!ret || ret == -EINVAL || ret == -ENODEV || ret == -EBUSY || ret == -ENOENT ||
	       ret == -ENOTTY || ret == -EFAULT || (failing && (ret == -EINTR || ret == -ENOMEM)));
	/* EFAULT of the second copy comes after the change; only a race can make it fail. */
	assert(!ret || (ret == -EFAULT && failing) || state() == was);
	if (number == PRS_CTL_IOC_HOLD)
		check_hold(ret, &before, (struct prs_ctl_hold *)words);
	free(words);
}

static void settled(void)
{
	assert(!prs_lock.locked);
	for (unsigned i = 0; i < POLICIES; i++)
		if (policies[i])
			assert(!policies[i]->references && !policies[i]->rwsem.readers);
}

static void step(void)
{
	unsigned what = byte(), n = what % DESCRIPTORS;

	if (what < 24)
		failing = what & 1;
	else if (what < 32)
		cpu_toggles(what % HOST_CPUS);
	else if (what < 48)
		driver_goes(what % POLICIES);
	else if (what < 64)
		driver_comes(what % POLICIES, byte() % 6);
	else if (!files[n])
		open_one(n);
	else if (what < 80)
		close_one(n);
	else
		request(files[n]);
	settled();
}

/* Read once more by the C library: the same numbers. */
static void check_limits(const char *text, const struct prs_limits *parsed)
{
	char *rest = (char *)text;

	assert(parsed->n <= PRS_LIMIT_ENTRIES);
	for (unsigned i = 0; i < parsed->n; i++) {
		const struct prs_limit *l = &parsed->entry[i];

		assert(l->cpu < PRS_CTL_CPUS && prs_range_valid(&l->range));
		assert(strtoull(rest, &rest, 10) == l->cpu && *rest++ == ':');
		assert(strtoull(rest, &rest, 10) == l->range.min_khz && *rest++ == '-');
		assert(strtoull(rest, &rest, 10) == l->range.max_khz && (!*rest || *rest++ == ','));
	}
	assert(!*rest);
}

/* The `limits` parameter. */
static void parse(void)
{
	size_t n = (size_t)(input_end - input);
	char *text = calloc(1, n + 1);
	struct prs_limits parsed;
	unsigned at;

	memcpy(text, input, n);
	if (prs_limits_parse(text, &parsed, &at)) {
		assert(at <= strlen(text));
	} else {
		assert(at == strlen(text));
		check_limits(text, &parsed);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *const settings[] = {"", "0:900000-2000000", "1:1200000-1200000,3:1-3000000,1000:5-6"};

	input = data;
	input_end = data + size;
	if (byte() % 8 == 7) {
		parse();
		return 0;
	}
	input = data;
	limits = settings[byte() % 3];
	file_limit = 1 + byte() % DESCRIPTORS;
	failing = false;
	online = 0xf;
	if (host_init())
		abort();
	for (unsigned i = 0; i < POLICIES; i++)
		driver_comes(i, 1);
	while (input < input_end)
		step();
	failing = false;
	for (unsigned i = 0; i < DESCRIPTORS; i++)
		if (files[i])
			close_one(i);
	assert(!prs_files && !prs_hold_count && prs_holds.next == &prs_holds);
	for (unsigned i = 0; i < POLICIES; i++)
		driver_goes(i);
	host_exit();
	return 0;
}
