// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/ktrc: map, consume, poll, and the verbs of a session.  The contract is in
 * uapi/ktrc.h.  Nothing mapped is writable, nothing mapped is read back.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "device.h"
#include "session.h"

/**
 * struct ktrc_file - an open file
 * @session: attached session, with a reference; set once, under ktrc_control
 */
struct ktrc_file {
	struct ktrc_session *session;
};

static struct ktrc_session *session_of(struct file *file)
{
	struct ktrc_file *f = file->private_data;

	/* pairs with the release in set_session(): a session seen here is whole */
	return smp_load_acquire(&f->session);
}

static int ktrc_open(struct inode *inode, struct file *file)
{
	if (!ktrc_may_control())
		return -EPERM;
	file->private_data = kzalloc(sizeof(struct ktrc_file), KTRC_GFP);
	return file->private_data ? nonseekable_open(inode, file) : -ENOMEM;
}

static int ktrc_release(struct inode *inode, struct file *file)
{
	struct ktrc_session *s = session_of(file), *doomed = NULL;

	if (s) {
		mutex_lock(&ktrc_control);
		if (s->consumer == file)
			WRITE_ONCE(s->consumer, NULL);
		if (s->owner == file) {
			ktrc_session_delete(s);
			doomed = s;
		}
		mutex_unlock(&ktrc_control);
		ktrc_session_bury(doomed);
		ktrc_session_put(s);
	}
	kfree(file->private_data);
	return 0;
}

/*
 * Take a struct from user space whose first member is its size: shorter is
 * filled up with zeros, longer must end in zeros.
 */
static int copy_sized(void *to, size_t bytes, void __user *from)
{
	u32 size;

	if (get_user(size, (u32 __user *)from))
		return -EFAULT;
	if (size < sizeof(size) || size > PAGE_SIZE)
		return -EINVAL;
	return copy_struct_from_user(to, bytes, from, size);
}

static int check_attach(struct ktrc_session *s, u32 flags)
{
	if (flags & KTRC_ATTACH_BIND && s->owner)
		return -EBUSY;
	if (!(flags & KTRC_ATTACH_CONSUME))
		return 0;
	if (s->config.mode != KTRC_MODE_STREAM)
		return -EINVAL;
	return s->consumer ? -EBUSY : 0;
}

static void set_session(struct file *file, struct ktrc_session *s)
{
	struct ktrc_file *f = file->private_data;

	kref_get(&s->ref);
	/* pairs with the acquire in session_of() */
	smp_store_release(&f->session, s);
}

static int attach(struct file *file, struct ktrc_ioc_attach *a)
{
	struct ktrc_session *s = ktrc_session_find(a->name);
	int err;

	if (session_of(file))
		return -EISCONN;
	if (!s)
		return -ENOENT;
	err = check_attach(s, a->flags);
	if (err)
		return err;
	if (a->flags & KTRC_ATTACH_CONSUME) {
		WRITE_ONCE(s->consumer, file);
		s->consumed = jiffies;
	}
	if (a->flags & KTRC_ATTACH_BIND)
		s->owner = file;
	set_session(file, s);
	return 0;
}

static long ioc_attach(struct file *file, void __user *arg)
{
	struct ktrc_ioc_attach a;
	int err = copy_sized(&a, sizeof(a), arg);

	if (err)
		return err;
	if (a.flags & ~(KTRC_ATTACH_CONSUME | KTRC_ATTACH_BIND) ||
	    strnlen(a.name, sizeof(a.name)) == sizeof(a.name))
		return -EINVAL;
	mutex_lock(&ktrc_control);
	err = attach(file, &a);
	mutex_unlock(&ktrc_control);
	return err;
}

static void fill_info(const struct ktrc_session *s, struct ktrc_ioc_info *i)
{
	i->abi = KTRC_ABI;
	i->schema = KTRC_SCHEMA;
	i->state = s->state;
	i->mode = s->config.mode;
	i->stop_reason = s->stop_reason;
	i->clock = s->clock;
	i->nr_cpus = nr_cpu_ids;
	i->status_bytes = PAGE_SIZE;
	i->packet_bytes = s->config.packet_bytes;
	i->nr_packets = s->nr_packets;
	i->clock_hz = ktrc_clock_hz(s->clock);
	i->events = s->config.events;
	i->start_ticks = s->start_ticks;
	i->stop_ticks = s->stop_ticks;
	i->now_ticks = ktrc_clock_ticks(s->clock);
	i->now_mono_ns = ktime_get_ns();
	i->now_real_ns = ktime_get_real_ns();
	memcpy(i->uuid, s->uuid, sizeof(i->uuid));
	strscpy(i->name, s->config.name, sizeof(i->name));
}

static long ioc_info(struct ktrc_session *s, void __user *arg)
{
	struct ktrc_ioc_info i;
	u32 size;
	int err = copy_sized(&i, sizeof(i), arg);

	if (err)
		return err;
	size = i.size;
	memset(&i, 0, sizeof(i));
	i.size = sizeof(i);
	mutex_lock(&ktrc_control);
	fill_info(s, &i);
	mutex_unlock(&ktrc_control);
	return copy_to_user(arg, &i, min_t(size_t, size, sizeof(i))) ? -EFAULT : 0;
}

static long ioc_start(struct ktrc_session *s)
{
	struct ktrc_why why = {};
	int err;

	mutex_lock(&ktrc_control);
	err = ktrc_session_start(s, &why);
	mutex_unlock(&ktrc_control);
	return err;
}

static long ioc_stop(struct ktrc_session *s)
{
	mutex_lock(&ktrc_control);
	ktrc_session_stop(s, KTRC_STOP_ASKED);
	mutex_unlock(&ktrc_control);
	return 0;
}

static int consume(struct ktrc_session *s, u32 cpu, u64 position)
{
	return ktrc_ring_consume(&per_cpu_ptr(s->cpus, cpu)->ring, position);
}

static long ioc_consume(struct file *file, struct ktrc_session *s, void __user *arg)
{
	struct ktrc_ioc_consume c;
	int err = copy_sized(&c, sizeof(c), arg);

	if (err)
		return err;
	mutex_lock(&s->consuming);
	/* only this file's release ends it, and that is not now */
	if (READ_ONCE(s->consumer) != file)
		err = -EPERM;
	else if (c.cpu >= nr_cpu_ids || !cpu_possible(c.cpu))
		err = -EINVAL;
	else
		err = consume(s, array_index_nospec(c.cpu, nr_cpu_ids), c.position);
	if (!err)
		WRITE_ONCE(s->consumed, jiffies);
	mutex_unlock(&s->consuming);
	return err;
}

static long ktrc_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ktrc_session *s = session_of(file);
	void __user *user = (void __user *)arg;

	if (!ktrc_may_control())
		return -EPERM;
	if (cmd == KTRC_IOC_ATTACH)
		return ioc_attach(file, user);
	switch (cmd) {
	case KTRC_IOC_INFO:
		return s ? ioc_info(s, user) : -ENOTCONN;
	case KTRC_IOC_START:
		if (arg)
			return -EINVAL;
		return s ? ioc_start(s) : -ENOTCONN;
	case KTRC_IOC_STOP:
		if (arg)
			return -EINVAL;
		return s ? ioc_stop(s) : -ENOTCONN;
	case KTRC_IOC_CONSUME:
		return s ? ioc_consume(file, s, user) : -ENOTCONN;
	default:
		return -ENOTTY;
	}
}

static __poll_t ktrc_poll(struct file *file, poll_table *wait)
{
	struct ktrc_session *s = session_of(file);
	__poll_t events = 0;

	if (!s)
		return EPOLLERR;
	poll_wait(file, &s->readers, wait);
	smp_mb(); /* pairs with the barrier in ktrc_wake_readers(): wait, then look at head */
	if (ktrc_session_is_readable(s))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(s->state) == KTRC_STATE_STOPPED)
		events |= EPOLLHUP;
	return events;
}

/* refuse to split, so also to unmap or protect a part */
static int ktrc_vma_may_split(struct vm_area_struct *vma, unsigned long address)
{
	return -EINVAL;
}

static int ktrc_vma_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct ktrc_vm_ops = {
	.may_split = ktrc_vma_may_split,
	.mremap = ktrc_vma_mremap,
};

static int map_ring(struct ktrc_session *s, u32 cpu, struct vm_area_struct *vma)
{
	unsigned long count = ktrc_ring_pages(s);
	/* pairs with the release in alloc_ring() */
	struct page **pages = smp_load_acquire(&s->pages[array_index_nospec(cpu, nr_cpu_ids)]);

	if (!pages)
		return -ENXIO;
	if (vma_pages(vma) != count)
		return -EINVAL;
	return vm_insert_pages(vma, vma->vm_start, pages, &count);
}

static int ktrc_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ktrc_session *s = session_of(file);
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 cpu = offset >> KTRC_MMAP_CPU_SHIFT;

	if (!s)
		return -ENOTCONN;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	if (!(vma->vm_flags & VM_MAYSHARE) || offset & ((1ull << KTRC_MMAP_CPU_SHIFT) - 1) ||
	    cpu >= nr_cpu_ids)
		return -EINVAL;
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	/* VM_IO: DONTCOPY cannot be undone; get_user_pages keeps out, but for its fast path */
	vm_flags_set(vma, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &ktrc_vm_ops;
	return map_ring(s, cpu, vma);
}

static const struct file_operations ktrc_fops = {
	.owner = THIS_MODULE,
	.open = ktrc_open,
	.release = ktrc_release,
	.unlocked_ioctl = ktrc_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = ktrc_poll,
	.mmap = ktrc_mmap,
	.llseek = no_llseek,
};

static struct miscdevice ktrc_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrc",
	.fops = &ktrc_fops,
	.mode = 0666, /* ktrc_open() asks for a capability */
};

/**
 * ktrc_device_get() - an open file of /dev/ktrc, with a reference
 * @fd: of the current process
 *
 * Return: ERR_PTR(-EBADF) when it is none.
 */
struct file *ktrc_device_get(u32 fd)
{
	struct file *file = fget(fd);

	if (file && file->f_op == &ktrc_fops)
		return file;
	if (file)
		fput(file);
	return ERR_PTR(-EBADF);
}

/**
 * ktrc_device_is_attached() - does a file have a session already
 * @file: from ktrc_device_get()
 */
bool ktrc_device_is_attached(struct file *file)
{
	return session_of(file);
}

/**
 * ktrc_device_bind() - attach a file to a session that shall die with it
 * @file: from ktrc_device_get(), not attached
 * @s: a session without an owner
 *
 * Context: under ktrc_control.
 */
void ktrc_device_bind(struct file *file, struct ktrc_session *s)
{
	s->owner = file;
	set_session(file, s);
}

/**
 * ktrc_device_init() - make /dev/ktrc
 *
 * Return: 0 or a negative error
 */
int ktrc_device_init(void)
{
	return misc_register(&ktrc_device);
}

/**
 * ktrc_device_exit() - remove /dev/ktrc
 */
void ktrc_device_exit(void)
{
	misc_deregister(&ktrc_device);
}
