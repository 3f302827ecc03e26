// SPDX-License-Identifier: GPL-2.0-only
/*
 * A frequency driver for tests: three policies over four cpus (0; 1 and 2; 3)
 * with steps of their own, and no hardware behind them.
 *
 * Parameters: setpolicy=1 (a driver without a table or target, as intel_pstate),
 * and, also later, deaf=1 (its verify() ignores what it is asked for).
 * The table of a policy is allocated at init and freed at exit, so that who
 * looks at it too late is found out by a poisoned slab.
 */
#include <linux/cpufreq.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/version.h>

#define POLICIES 3

static bool setpolicy;
module_param(setpolicy, bool, 0444);
static bool deaf;
module_param(deaf, bool, 0644);

static const struct {
	unsigned int first, last, latency_ns;
	unsigned int khz[6];
} fake[POLICIES] = {
	{0, 0, 10000, {800000, 1600000, 2400000}},
	{1, 2, 20000, {800000, 1600000, 2400000, 3200000}},
	{3, 3, 10000, {800000, 1200000, 1600000, 2000000, 2400000}},
};

static unsigned int now_khz[POLICIES];

static unsigned int number_of(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i + 1 < POLICIES; i++)
		if (cpu <= fake[i].last)
			break;
	return i;
}

static int fake_init(struct cpufreq_policy *policy)
{
	unsigned int n = number_of(policy->cpu), cpu, i;
	struct cpufreq_frequency_table *table;

	table = kcalloc(ARRAY_SIZE(fake[n].khz) + 1, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(fake[n].khz) && fake[n].khz[i]; i++)
		table[i].frequency = fake[n].khz[i];
	table[i].frequency = CPUFREQ_TABLE_END;

	for (cpu = fake[n].first; cpu <= fake[n].last; cpu++)
		cpumask_set_cpu(cpu, policy->cpus);
	policy->cpuinfo.min_freq = fake[n].khz[0];
	policy->cpuinfo.max_freq = fake[n].khz[i - 1];
	policy->cpuinfo.transition_latency = fake[n].latency_ns;
	if (!now_khz[n])
		now_khz[n] = fake[n].khz[0];
	policy->cur = now_khz[n];
	policy->min = policy->cpuinfo.min_freq;
	policy->max = policy->cpuinfo.max_freq;
	policy->driver_data = table;
	if (setpolicy)
		policy->policy = CPUFREQ_POLICY_PERFORMANCE;
	else
		policy->freq_table = table;
	return 0;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
static int fake_exit(struct cpufreq_policy *policy)
{
	kfree(policy->driver_data);
	return 0;
}
#else
static void fake_exit(struct cpufreq_policy *policy)
{
	kfree(policy->driver_data);
}
#endif

static int fake_verify(struct cpufreq_policy_data *data)
{
	if (deaf) {
		data->min = data->cpuinfo.min_freq;
		data->max = data->cpuinfo.max_freq;
		return 0;
	}
	if (data->freq_table)
		return cpufreq_generic_frequency_table_verify(data);
	cpufreq_verify_within_cpu_limits(data);
	return 0;
}

static int fake_target(struct cpufreq_policy *policy, unsigned int index)
{
	now_khz[number_of(policy->cpu)] = policy->freq_table[index].frequency;
	return 0;
}

static int fake_setpolicy(struct cpufreq_policy *policy)
{
	now_khz[number_of(policy->cpu)] = policy->max;
	return 0;
}

static unsigned int fake_get(unsigned int cpu)
{
	return now_khz[number_of(cpu)];
}

static struct cpufreq_driver fake_driver = {
	.name = "perseus-fake",
	.init = fake_init,
	.exit = fake_exit,
	.verify = fake_verify,
	.get = fake_get,
};

static int __init fake_begin(void)
{
	if (setpolicy) {
		fake_driver.setpolicy = fake_setpolicy;
	} else {
		fake_driver.target_index = fake_target;
#ifdef HAS_GENERIC_ATTR
		fake_driver.attr = cpufreq_generic_attr;
#endif
	}
	return cpufreq_register_driver(&fake_driver);
}

static void __exit fake_end(void)
{
	cpufreq_unregister_driver(&fake_driver);
}

module_init(fake_begin);
module_exit(fake_end);

MODULE_DESCRIPTION("Frequency driver without hardware, for tests");
MODULE_LICENSE("GPL");
