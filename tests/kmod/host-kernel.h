/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * As much of the kernel as kmod/perseus.c calls, for a program of the host: the
 * module's own text runs under sanitizers and a fuzzer.  Every <linux/...> that
 * it includes is this file (tests/kmod/fuzz.sh).  What the real kernel only warns
 * of, or leaves to chance, aborts here.
 */
#ifndef PRS_HOST_KERNEL_H
#define PRS_HOST_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

typedef uint32_t u32;
typedef uint64_t u64;

#define __user
#define __init
#define __exit
#define THIS_MODULE              NULL
#define KBUILD_MODNAME           "perseus"
#define pr_err(...)              ((void)0)
#define READ_ONCE(x)             (x)
#define IS_ERR_OR_NULL(x)        (!(x)) /* no error pointers here */
#define ARRAY_SIZE(a)            (sizeof(a) / sizeof(*(a)))
#define array_index_nospec(i, n) ((i) < (n) ? (i) : 0)
#define lockdep_assert_held(m)   assert((m)->locked)

/* ---- parameters and the module's two ends ------------------------------------ */

struct kernel_param;
struct kernel_param_ops {
	int (*set)(const char *value, const struct kernel_param *param);
	int (*get)(char *buffer, const struct kernel_param *param);
};
static inline int param_get_uint(char *buffer, const struct kernel_param *param)
{
	(void)buffer;
	(void)param;
	return 0;
}
#define module_param(name, type, mode)
#define module_param_cb(name, ops, arg, mode)                                                                \
	const void *host_param_##name(void)                                                                  \
	{                                                                                                    \
		return (const void *)(ops);                                                                  \
	}
#define MODULE_PARM_DESC(name, text)
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)
#define MODULE_VERSION(text)
#define module_init(f)                                                                                       \
	int host_init(void)                                                                                  \
	{                                                                                                    \
		return f();                                                                                  \
	}
#define module_exit(f)                                                                                       \
	void host_exit(void)                                                                                 \
	{                                                                                                    \
		f();                                                                                         \
	}

/* ---- locks: there is one thread, so a lock that is taken twice is a deadlock -- */

struct mutex {
	bool locked;
};
#define DEFINE_MUTEX(name) struct mutex name
static inline void mutex_lock(struct mutex *m)
{
	assert(!m->locked);
	m->locked = true;
}
static inline void mutex_unlock(struct mutex *m)
{
	assert(m->locked);
	m->locked = false;
}
bool host_fails(void); /* does this call fail, as the fuzzer wants it? */
static inline int mutex_lock_killable(struct mutex *m)
{
	if (host_fails())
		return -EINTR;
	mutex_lock(m);
	return 0;
}

struct rw_semaphore {
	int readers;
};
static inline void down_read(struct rw_semaphore *s)
{
	assert(!s->readers);
	s->readers++;
}
static inline void up_read(struct rw_semaphore *s)
{
	assert(s->readers == 1);
	s->readers--;
}

/* ---- lists ---------------------------------------------------------------------- */

struct list_head {
	struct list_head *next, *prev;
};
#define LIST_HEAD(name) struct list_head name = {&name, &name}
static inline void INIT_LIST_HEAD(struct list_head *l)
{
	l->next = l->prev = l;
}
static inline void list_add_tail(struct list_head *l, struct list_head *head)
{
	l->prev = head->prev;
	l->next = head;
	head->prev->next = l;
	head->prev = l;
}
static inline void list_del(struct list_head *l)
{
	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->next = l->prev = NULL;
}
#define host_entry(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
#define list_for_each_entry(pos, head, member)                                                               \
	for (pos = host_entry((head)->next, __typeof__(*pos), member); &pos->member != (head);               \
	     pos = host_entry(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, n, head, member)                                                       \
	for (pos = host_entry((head)->next, __typeof__(*pos), member),                                       \
	    n = host_entry(pos->member.next, __typeof__(*pos), member);                                      \
	     &pos->member != (head); pos = n, n = host_entry(n->member.next, __typeof__(*n), member))

/* ---- memory ------------------------------------------------------------------------- */

struct kmem_cache {
	size_t size, objects;
};
#define SLAB_ACCOUNT            0
#define GFP_KERNEL              0
#define KMEM_CACHE(type, flags) host_cache(sizeof(struct type))
struct kmem_cache *host_cache(size_t size);
void *kmem_cache_zalloc(struct kmem_cache *cache, int flags);
void kmem_cache_free(struct kmem_cache *cache, void *object);
void kmem_cache_destroy(struct kmem_cache *cache); /* aborts if objects remain */
unsigned long copy_from_user(void *to, const void *from, unsigned long n);
unsigned long copy_to_user(void *to, const void *from, unsigned long n);

/* ---- the device -------------------------------------------------------------------------- */

struct inode {
	int none;
};
struct file {
	void *private_data;
};
struct file_operations {
	void *owner;
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
	long (*compat_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
};
struct miscdevice {
	int minor;
	const char *name;
	const struct file_operations *fops;
	unsigned mode;
};
#define MISC_DYNAMIC_MINOR 255
#define compat_ptr_ioctl   NULL
int misc_register(struct miscdevice *device);
void misc_deregister(struct miscdevice *device);
static inline int nonseekable_open(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return 0;
}

/* ---- cpus and policies ---------------------------------------------------------------------- */

#define nr_cpu_ids HOST_CPUS
#define HOST_CPUS  4u

struct cpumask {
	unsigned bits;
};
static inline unsigned cpumask_first(const struct cpumask *m)
{
	return m->bits ? (unsigned)__builtin_ctz(m->bits) : nr_cpu_ids;
}
static inline bool cpumask_test_cpu(unsigned cpu, const struct cpumask *m)
{
	assert(cpu < nr_cpu_ids);
	return m->bits >> cpu & 1;
}
static inline bool cpu_possible(unsigned cpu)
{
	assert(cpu < nr_cpu_ids);
	return true;
}
bool host_online(unsigned cpu);
#define for_each_online_cpu(cpu)                                                                             \
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)                                                         \
		if (host_online(cpu))

enum freq_qos_req_type { FREQ_QOS_MIN = 1, FREQ_QOS_MAX };
struct freq_constraints {
	struct list_head requests;
};
struct freq_qos_request {
	struct list_head node;
	enum freq_qos_req_type type;
	int value;
	struct freq_constraints *qos;
};
int freq_qos_add_request(struct freq_constraints *qos, struct freq_qos_request *req,
			 enum freq_qos_req_type type, int value);
int freq_qos_update_request(struct freq_qos_request *req, int value);
int freq_qos_remove_request(struct freq_qos_request *req);

struct cpufreq_frequency_table {
	unsigned frequency; /* 0 ends it */
};
#define cpufreq_for_each_valid_entry(pos, table) for (pos = table; pos->frequency; pos++)

struct cpufreq_policy {
	struct cpumask cpus[1], related_cpus[1];
	unsigned cpu;
	struct {
		unsigned min_freq, max_freq;
	} cpuinfo;
	unsigned min, max;
	struct freq_constraints constraints;
	struct freq_qos_request *max_freq_req;
	struct cpufreq_frequency_table *freq_table;
	struct rw_semaphore rwsem;
	unsigned references;
};
struct cpufreq_policy *cpufreq_cpu_get(unsigned cpu);
void cpufreq_cpu_put(struct cpufreq_policy *policy);
void cpufreq_update_policy(unsigned cpu);
unsigned cpufreq_quick_get(unsigned cpu);

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long event, void *data);
};
#define NOTIFY_DONE             0
#define NOTIFY_OK               1
#define CPUFREQ_POLICY_NOTIFIER 1
#define CPUFREQ_CREATE_POLICY   0
#define CPUFREQ_REMOVE_POLICY   1
int cpufreq_register_notifier(struct notifier_block *nb, unsigned list);
int cpufreq_unregister_notifier(struct notifier_block *nb, unsigned list);

#endif
