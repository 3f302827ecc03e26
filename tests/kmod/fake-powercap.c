// SPDX-License-Identifier: GPL-2.0-only
/*
 * A powercap zone for tests, named as Intel's package zone: its counter rises by
 * 5 W of nominal time and wraps, and only root may read it, as on real machines.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/powercap.h>

#define WRAP_UJ 262143328850ull

static struct powercap_control_type *control;
static struct powercap_zone *zone;

static int max_energy(struct powercap_zone *z, u64 *uj)
{
	*uj = WRAP_UJ;
	return 0;
}

static int energy(struct powercap_zone *z, u64 *uj)
{
	u64 at = ktime_get_ns() / 1000 * 5;

	div64_u64_rem(at, WRAP_UJ, uj);
	return 0;
}

/* A zone without a constraint is refused. */
static int no_limit(struct powercap_zone *z, int id, u64 value)
{
	return -EPERM;
}

static int full_power(struct powercap_zone *z, int id, u64 *uw)
{
	*uw = 15000000;
	return 0;
}

static int one_second(struct powercap_zone *z, int id, u64 *us)
{
	*us = 1000000;
	return 0;
}

static const struct powercap_zone_constraint_ops constraint = {
	.set_power_limit_uw = no_limit,
	.get_power_limit_uw = full_power,
	.set_time_window_us = no_limit,
	.get_time_window_us = one_second,
};

static int released(struct powercap_zone *z)
{
	return 0;
}

static const struct powercap_zone_ops ops = {
	.get_max_energy_range_uj = max_energy,
	.get_energy_uj = energy,
	.release = released,
};

static int __init fake_begin(void)
{
	control = powercap_register_control_type(NULL, "intel-rapl", NULL);
	if (IS_ERR_OR_NULL(control))
		return -EBUSY;
	zone = powercap_register_zone(NULL, control, "package-0", NULL, &ops, 1, &constraint);
	if (IS_ERR(zone)) {
		powercap_unregister_control_type(control);
		return PTR_ERR(zone);
	}
	return 0;
}

static void __exit fake_end(void)
{
	powercap_unregister_zone(control, zone);
	powercap_unregister_control_type(control);
}

module_init(fake_begin);
module_exit(fake_end);

MODULE_DESCRIPTION("Powercap zone without hardware, for tests");
MODULE_LICENSE("GPL");
