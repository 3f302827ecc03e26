// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/perseus: bound the frequency of cpus for as long as a descriptor is open.
 *
 * A client of the kernel's frequency requests (freq_qos) with hard limits and
 * read-back; neither a governor nor a writer of registers, so that it composes
 * with any driver, governor, thermal limit and with cpufreq's own files.
 *
 * Policies belong to the frequency driver and go away with it.  What holds here:
 *
 *  - A reference to a policy is never kept across a call: the driver's removal
 *    waits for it.
 *  - A hold's policy pointer is valid as long as the hold is on the list: the
 *    kernel sends CPUFREQ_REMOVE_POLICY before it frees a policy, and then the
 *    holds on it end.  They do not come back with the next driver.
 *  - Policies are looked up with prs_lock held.  One that was found has not yet
 *    sent that notification, which waits for prs_lock, so a request that is
 *    added under the same lock is never left behind.
 *
 * Order of locks: cpu hotplug, the notifier chain, prs_lock, policy->rwsem.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compat.h>
#include <linux/cpufreq.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/notifier.h>
#include <linux/pm_qos.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "limits.h"

struct prs_file {
	struct list_head holds;
};

struct prs_hold {
	struct list_head in_file;
	struct list_head in_all;
	struct prs_file *file;
	struct cpufreq_policy *policy;
	struct prs_range range;
	struct freq_qos_request min;
	struct freq_qos_request max;
};

/* Over everything below, and over the contents of files and holds. */
static DEFINE_MUTEX(prs_lock);
static LIST_HEAD(prs_holds);
static unsigned int prs_files;
static unsigned int prs_hold_count;

static struct prs_limits prs_limits;
static struct kmem_cache *prs_file_cache;
static struct kmem_cache *prs_hold_cache;

static unsigned int file_limit = 64;
module_param(file_limit, uint, 0444);
MODULE_PARM_DESC(file_limit, "descriptors that may be open at once (default 64)");

static char *limits = "";
module_param(limits, charp, 0444);
MODULE_PARM_DESC(limits, "hard limits in kHz, of the policy that has the cpu: CPU:MIN-MAX,...");

static int prs_count_set(const char *value, const struct kernel_param *param)
{
	return -EPERM;
}

/* Without a setter the kernel would call NULL for `files=1` on the command line. */
static const struct kernel_param_ops prs_count_ops = {.set = prs_count_set, .get = param_get_uint};
module_param_cb(files, &prs_count_ops, &prs_files, 0444);
MODULE_PARM_DESC(files, "(read only) descriptors open now");
module_param_cb(holds, &prs_count_ops, &prs_hold_count, 0444);
MODULE_PARM_DESC(holds, "(read only) holds in force now");

/* ---- policies ---------------------------------------------------------------- */

/* The request of a policy that is made last: behind a pointer, or a part of it, by the kernel. */
static inline bool prs_request_there(struct freq_qos_request **request)
{
	return READ_ONCE(*request);
}

static inline bool prs_request_active(struct freq_qos_request *request)
{
	return !IS_ERR_OR_NULL(READ_ONCE(request->qos));
}

#define prs_policy_complete(policy)                                                                          \
	_Generic(&(policy)->max_freq_req,                              \
		struct freq_qos_request **: prs_request_there,         \
		struct freq_qos_request *: prs_request_active)(&(policy)->max_freq_req)

/* The policy of an online cpu, with a reference, or NULL. */
static struct cpufreq_policy *prs_policy_get(u32 cpu)
{
	struct cpufreq_policy *policy;

	lockdep_assert_held(&prs_lock);
	if (cpu >= nr_cpu_ids)
		return NULL;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	if (!cpu_possible(cpu))
		return NULL;
	policy = cpufreq_cpu_get(cpu);
	/* One that is not yet complete would go without a notification. */
	if (policy && !prs_policy_complete(policy)) {
		cpufreq_cpu_put(policy);
		return NULL;
	}
	return policy;
}

/* The hard limits of a policy; -ENODEV if its driver does not name any. */
static int prs_policy_limits(const struct cpufreq_policy *policy, struct prs_range *range)
{
	unsigned int i;

	range->min_khz = policy->cpuinfo.min_freq;
	range->max_khz = policy->cpuinfo.max_freq;
	if (!prs_range_valid(range))
		return -ENODEV;
	for (i = 0; i < prs_limits.n; i++) {
		u32 cpu = prs_limits.entry[i].cpu;

		if (cpu < nr_cpu_ids && cpumask_test_cpu(cpu, policy->related_cpus))
			prs_range_narrow(range, &prs_limits.entry[i].range);
	}
	return 0;
}

/*
 * Requests are put into force by a work item some time later; this does it now,
 * so that what is read back afterwards is the effect.
 */
static void prs_policy_apply(struct cpufreq_policy *policy)
{
	unsigned int cpu = cpumask_first(policy->cpus);

	if (cpu < nr_cpu_ids)
		cpufreq_update_policy(cpu);
}

static void prs_policy_range(struct cpufreq_policy *policy, struct prs_range *range)
{
	down_read(&policy->rwsem);
	range->min_khz = policy->min;
	range->max_khz = policy->max;
	up_read(&policy->rwsem);
}

/*
 * True if the driver can run at a frequency in @range; one without a table can.
 * The table goes away, under the semaphore, when the last cpu goes offline.
 */
static bool prs_policy_has_step(struct cpufreq_policy *policy, const struct prs_range *range)
{
	struct cpufreq_frequency_table *step;
	bool found;

	down_read(&policy->rwsem);
	found = !policy->freq_table;
	if (!found) {
		cpufreq_for_each_valid_entry(step, policy->freq_table) {
			found = prs_range_has(range, step->frequency);
			if (found)
				break;
		}
	}
	up_read(&policy->rwsem);
	return found;
}

/* ---- holds -------------------------------------------------------------------- */

static struct prs_hold *prs_hold_of_policy(const struct prs_file *file, const struct cpufreq_policy *policy)
{
	struct prs_hold *hold;

	list_for_each_entry(hold, &file->holds, in_file)
		if (hold->policy == policy)
			return hold;
	return NULL;
}

/* Found also when the cpu is offline. */
static struct prs_hold *prs_hold_of_cpu(const struct prs_file *file, u32 cpu)
{
	struct prs_hold *hold;

	if (cpu >= nr_cpu_ids)
		return NULL;
	list_for_each_entry(hold, &file->holds, in_file)
		if (cpumask_test_cpu(cpu, hold->policy->related_cpus))
			return hold;
	return NULL;
}

static void prs_hold_end(struct prs_hold *hold)
{
	lockdep_assert_held(&prs_lock);
	freq_qos_remove_request(&hold->min);
	freq_qos_remove_request(&hold->max);
	list_del(&hold->in_file);
	list_del(&hold->in_all);
	kmem_cache_free(prs_hold_cache, hold);
	prs_hold_count--;
}

static int prs_hold_begin(struct prs_file *file, struct cpufreq_policy *policy, const struct prs_range *range,
			  struct prs_hold **begun)
{
	struct prs_hold *hold = kmem_cache_zalloc(prs_hold_cache, GFP_KERNEL);
	int ret;

	if (!hold)
		return -ENOMEM;
	ret = freq_qos_add_request(&policy->constraints, &hold->max, FREQ_QOS_MAX, range->max_khz);
	if (ret < 0)
		goto free;
	ret = freq_qos_add_request(&policy->constraints, &hold->min, FREQ_QOS_MIN, range->min_khz);
	if (ret < 0)
		goto remove_max;
	hold->file = file;
	hold->policy = policy;
	hold->range = *range;
	list_add_tail(&hold->in_file, &file->holds);
	list_add_tail(&hold->in_all, &prs_holds);
	prs_hold_count++;
	*begun = hold;
	return 0;

remove_max:
	freq_qos_remove_request(&hold->max);
free:
	kmem_cache_free(prs_hold_cache, hold);
	return ret;
}

static int prs_hold_replace(struct prs_hold *hold, const struct prs_range *range)
{
	bool max_first = prs_maximum_first(&hold->range, range);
	int ret = 0;

	if (max_first)
		ret = freq_qos_update_request(&hold->max, range->max_khz);
	if (ret >= 0)
		ret = freq_qos_update_request(&hold->min, range->min_khz);
	if (ret >= 0 && !max_first)
		ret = freq_qos_update_request(&hold->max, range->max_khz);
	if (ret < 0)
		return ret;
	hold->range = *range;
	return 0;
}

/* PRS_CTL_OTHERS if another descriptor holds the policy, too. */
static u32 prs_others(const struct prs_file *file, const struct cpufreq_policy *policy)
{
	struct prs_hold *hold;

	list_for_each_entry(hold, &prs_holds, in_all)
		if (hold->policy == policy && hold->file != file)
			return PRS_CTL_OTHERS;
	return 0;
}

/*
 * Does @range leave a frequency that every other holder of the policy can live
 * with?  The kernel does not ask: where minimum and maximum cross, it lets the
 * minimum lose without a word.
 */
static bool prs_fits(const struct prs_file *file, struct cpufreq_policy *policy,
		     const struct prs_range *range)
{
	struct prs_range common = *range;
	struct prs_hold *hold;

	if (!prs_others(file, policy))
		return true;
	list_for_each_entry(hold, &prs_holds, in_all)
		if (hold->policy == policy && hold->file != file && !prs_range_meet(&common, &hold->range))
			return false;
	return prs_policy_has_step(policy, &common);
}

/* PRS_CTL_NOT_HELD if @seen is not inside what @hold was granted. */
static u32 prs_not_held(const struct prs_hold *hold, const struct prs_range *seen)
{
	return prs_range_inside(seen, &hold->range) ? 0 : PRS_CTL_NOT_HELD;
}

/* ---- the four requests ---------------------------------------------------------- */

static int prs_do_caps(struct prs_ctl_caps *caps)
{
	unsigned int cpu;

	if (prs_check_caps(caps))
		return -EINVAL;
	caps->policies = 0;
	for_each_online_cpu(cpu) {
		struct cpufreq_policy *policy = prs_policy_get(cpu);

		if (!policy)
			continue;
		if (READ_ONCE(policy->cpu) == cpu)
			caps->policies++;
		cpufreq_cpu_put(policy);
	}
	caps->files = prs_files;
	caps->file_limit = file_limit;
	caps->cpus = nr_cpu_ids;
	return 0;
}

static int prs_hold_policy(struct prs_file *file, struct cpufreq_policy *policy, struct prs_ctl_hold *arg)
{
	struct prs_hold *hold = prs_hold_of_policy(file, policy);
	struct prs_range hard, granted, seen;
	u32 flags;
	int ret;

	ret = prs_policy_limits(policy, &hard);
	if (ret)
		return ret;
	flags = prs_grant(&hard, arg->min_khz, arg->max_khz, &granted);
	if (!prs_fits(file, policy, &granted))
		return -EBUSY;
	if (hold)
		ret = prs_hold_replace(hold, &granted);
	else
		ret = prs_hold_begin(file, policy, &granted, &hold);
	if (ret)
		return ret;

	prs_policy_apply(policy);
	prs_policy_range(policy, &seen);
	arg->granted_min_khz = granted.min_khz;
	arg->granted_max_khz = granted.max_khz;
	arg->policy_min_khz = seen.min_khz;
	arg->policy_max_khz = seen.max_khz;
	arg->current_khz = cpufreq_quick_get(arg->cpu);
	arg->flags = flags | prs_not_held(hold, &seen) | prs_others(file, policy);
	return 0;
}

static int prs_do_hold(struct prs_file *file, struct prs_ctl_hold *arg)
{
	struct cpufreq_policy *policy;
	int ret;

	if (prs_check_hold(arg))
		return -EINVAL;
	policy = prs_policy_get(arg->cpu);
	if (!policy)
		return -ENODEV;
	ret = prs_hold_policy(file, policy, arg);
	cpufreq_cpu_put(policy);
	return ret;
}

static int prs_do_release(struct prs_file *file, const struct prs_ctl_release *arg)
{
	struct cpufreq_policy *policy;
	struct prs_hold *hold;

	if (prs_check_release(arg))
		return -EINVAL;
	hold = prs_hold_of_cpu(file, arg->cpu);
	if (!hold)
		return -ENOENT;
	policy = hold->policy;
	prs_hold_end(hold);
	/* Without a hold the pointer is good until prs_lock is dropped. */
	prs_policy_apply(policy);
	return 0;
}

static int prs_query_policy(struct prs_file *file, struct cpufreq_policy *policy, struct prs_ctl_query *arg)
{
	const struct prs_hold *hold = prs_hold_of_policy(file, policy);
	struct prs_range hard, seen;
	int ret;

	ret = prs_policy_limits(policy, &hard);
	if (ret)
		return ret;
	prs_policy_range(policy, &seen);
	arg->policy = cpumask_first(policy->related_cpus);
	arg->limit_min_khz = hard.min_khz;
	arg->limit_max_khz = hard.max_khz;
	arg->policy_min_khz = seen.min_khz;
	arg->policy_max_khz = seen.max_khz;
	arg->current_khz = cpufreq_quick_get(arg->cpu);
	arg->held_min_khz = hold ? hold->range.min_khz : 0;
	arg->held_max_khz = hold ? hold->range.max_khz : 0;
	arg->flags = prs_others(file, policy) | (hold ? prs_not_held(hold, &seen) : 0);
	return 0;
}

static int prs_do_query(struct prs_file *file, struct prs_ctl_query *arg)
{
	struct cpufreq_policy *policy;
	int ret;

	if (prs_check_query(arg))
		return -EINVAL;
	policy = prs_policy_get(arg->cpu);
	if (!policy)
		return -ENODEV;
	ret = prs_query_policy(file, policy, arg);
	cpufreq_cpu_put(policy);
	return ret;
}

/* ---- the device ------------------------------------------------------------------- */

union prs_arg {
	struct prs_ctl_caps caps;
	struct prs_ctl_hold hold;
	struct prs_ctl_release release;
	struct prs_ctl_query query;
};

static int prs_do(struct prs_file *file, unsigned int cmd, union prs_arg *arg)
{
	switch (cmd) {
	case PRS_CTL_IOC_CAPS:
		return prs_do_caps(&arg->caps);
	case PRS_CTL_IOC_HOLD:
		return prs_do_hold(file, &arg->hold);
	case PRS_CTL_IOC_RELEASE:
		return prs_do_release(file, &arg->release);
	default:
		return prs_do_query(file, &arg->query);
	}
}

static bool prs_known(unsigned int cmd)
{
	return cmd == PRS_CTL_IOC_CAPS || cmd == PRS_CTL_IOC_HOLD || cmd == PRS_CTL_IOC_RELEASE ||
	       cmd == PRS_CTL_IOC_QUERY;
}

static long prs_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	void __user *user = (void __user *)address;
	bool answers = _IOC_DIR(cmd) & _IOC_READ;
	size_t size = _IOC_SIZE(cmd);
	union prs_arg arg;
	int ret;

	/* The size is a part of the number, so it is right for what is known. */
	if (!prs_known(cmd))
		return -ENOTTY;
	if (copy_from_user(&arg, user, size))
		return -EFAULT;
	/* No change if its answer has nowhere to go. */
	if (answers && copy_to_user(user, &arg, size))
		return -EFAULT;

	if (mutex_lock_killable(&prs_lock))
		return -EINTR;
	ret = prs_do(file->private_data, cmd, &arg);
	mutex_unlock(&prs_lock);

	if (!ret && answers && copy_to_user(user, &arg, size))
		return -EFAULT;
	return ret;
}

static int prs_open(struct inode *inode, struct file *file)
{
	struct prs_file *f = kmem_cache_zalloc(prs_file_cache, GFP_KERNEL);
	int ret = 0;

	if (!f)
		return -ENOMEM;
	INIT_LIST_HEAD(&f->holds);

	mutex_lock(&prs_lock);
	if (prs_files < file_limit)
		prs_files++;
	else
		ret = -EMFILE;
	mutex_unlock(&prs_lock);

	if (ret) {
		kmem_cache_free(prs_file_cache, f);
		return ret;
	}
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static int prs_release(struct inode *inode, struct file *file)
{
	struct prs_file *f = file->private_data;
	struct prs_hold *hold, *next;

	mutex_lock(&prs_lock);
	list_for_each_entry_safe(hold, next, &f->holds, in_file) {
		struct cpufreq_policy *policy = hold->policy;

		prs_hold_end(hold);
		prs_policy_apply(policy);
	}
	prs_files--;
	mutex_unlock(&prs_lock);

	kmem_cache_free(prs_file_cache, f);
	return 0;
}

static const struct file_operations prs_fops = {
	.owner = THIS_MODULE,
	.open = prs_open,
	.release = prs_release,
	.unlocked_ioctl = prs_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice prs_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "perseus",
	.fops = &prs_fops,
	.mode = 0600,
};

/* ---- the driver goes away ------------------------------------------------------------ */

static int prs_policy_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct prs_hold *hold, *next;

	if (event != CPUFREQ_REMOVE_POLICY)
		return NOTIFY_DONE;
	mutex_lock(&prs_lock);
	list_for_each_entry_safe(hold, next, &prs_holds, in_all)
		if (hold->policy == data)
			prs_hold_end(hold);
	mutex_unlock(&prs_lock);
	return NOTIFY_OK;
}

static struct notifier_block prs_policy_block = {.notifier_call = prs_policy_event};

/* ---- begin and end --------------------------------------------------------------------- */

static int prs_parameters(void)
{
	const char *wrong;
	unsigned int at;

	if (!file_limit) {
		pr_err("file_limit=0: at least one descriptor must be possible\n");
		return -EINVAL;
	}
	wrong = prs_limits_parse(limits, &prs_limits, &at);
	if (wrong) {
		pr_err("limits=%s: %s at byte %u; the form is CPU:MIN-MAX in kHz, with ',' between\n", limits,
		       wrong, at);
		return -EINVAL;
	}
	return 0;
}

static int __init prs_init(void)
{
	int ret = prs_parameters();

	if (ret)
		return ret;
	prs_file_cache = KMEM_CACHE(prs_file, SLAB_ACCOUNT);
	prs_hold_cache = KMEM_CACHE(prs_hold, SLAB_ACCOUNT);
	if (!prs_file_cache || !prs_hold_cache) {
		ret = -ENOMEM;
		goto caches;
	}
	ret = cpufreq_register_notifier(&prs_policy_block, CPUFREQ_POLICY_NOTIFIER);
	if (ret)
		goto caches;
	ret = misc_register(&prs_device);
	if (ret)
		goto notifier;
	return 0;

notifier:
	cpufreq_unregister_notifier(&prs_policy_block, CPUFREQ_POLICY_NOTIFIER);
caches:
	kmem_cache_destroy(prs_hold_cache);
	kmem_cache_destroy(prs_file_cache);
	return ret;
}

/* No descriptor is open any more, so nothing is held. */
static void __exit prs_exit(void)
{
	misc_deregister(&prs_device);
	cpufreq_unregister_notifier(&prs_policy_block, CPUFREQ_POLICY_NOTIFIER);
	kmem_cache_destroy(prs_hold_cache);
	kmem_cache_destroy(prs_file_cache);
}

module_init(prs_init);
module_exit(prs_exit);

MODULE_DESCRIPTION("Frequency bounds for as long as a descriptor is open");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
