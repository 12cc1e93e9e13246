// SPDX-License-Identifier: GPL-2.0
/*
 * The table of mapped files: made when the first session asks for them, freed with the last
 * session of all.  A file is held from the probe to the worker, and no longer, if at all.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "compat/file.h"
#include "files.h"
#include "names.h"

static DEFINE_MUTEX(files_lock); /* of all but the probe's part of @ktrc_files */

/* a file whose last reference is given back, as far as is known */
struct returned {
	struct llist_node node;
	struct file *file;
};

static LLIST_HEAD(returned);

static void return_all(struct work_struct *unused)
{
	struct llist_node *all = llist_del_all(&returned);
	struct returned *r, *next;

	llist_for_each_entry_safe(r, next, all, node) {
		__fput_sync(r->file);
		kfree(r);
	}
}

static DECLARE_WORK(return_work, return_all);

/*
 * The end of a file whose server is gone takes for ever.  What a kernel thread's fput() ends waits
 * in one queue for all of them; so what ours may end has one of its own, and nobody waits for it
 * but the module's unload.
 */
static void give_back(struct file *file)
{
	struct returned *r;

	if (ktrc_file_put_unless_last(file))
		return;
	r = kmalloc(sizeof(*r), GFP_KERNEL | __GFP_NOWARN);
	if (!r) {
		fput(file);
		return;
	}
	r->file = file;
	llist_add(&r->node, &returned);
	queue_work(system_unbound_wq, &return_work);
}

/* what d_path() puts behind the path of a file that was deleted: it is the one that it was */
static void cut_deleted(char *path, const struct dentry *dentry)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path), cut = sizeof(mark) - 1;

	if (d_unlinked(dentry) && len > cut && !strcmp(path + len - cut, mark))
		path[len - cut] = '\0';
}

static void name_it(struct ktrc_file *f, const struct file *file, void *room)
{
	char *path;

	ktrc_build_id_read(&f->build_id, file, room);
	path = d_path(&file->f_path, room, KTRC_NAME_BYTES);
	if (IS_ERR(path))
		return;
	cut_deleted(path, file->f_path.dentry);
	f->path = kstrdup(path, GFP_KERNEL | __GFP_NOWARN);
}

/* it has been seen when it has no file any more */
static void resolve(struct ktrc_file *f, void *room)
{
	/* pairs with the release of it in ktrc_file_keep() */
	struct file *file = smp_load_acquire(&f->file);

	if (!file)
		return;
	if (room)
		name_it(f, file, room);
	if (!f->path)
		atomic_long_inc(&ktrc_files->missed);
	WRITE_ONCE(f->file, NULL);
	give_back(file);
}

static void resolve_all(void)
{
	void *room = kmalloc(PAGE_SIZE, GFP_KERNEL | __GFP_NOWARN);
	u32 i;

	for (i = 0; ktrc_files && i < KTRC_NR_FILES; i++)
		resolve(&ktrc_files->at[i], room);
	kfree(room);
}

static void work(struct work_struct *unused)
{
	mutex_lock(&files_lock);
	resolve_all();
	mutex_unlock(&files_lock);
}

static DECLARE_WORK(files_work, work);

static void wake_worker(struct irq_work *unused)
{
	schedule_work(&files_work);
}

/**
 * ktrc_files_open() - give numbers to files from now on, if that is not done yet
 *
 * Return: 0 or -ENOMEM
 */
int ktrc_files_open(void)
{
	struct ktrc_files *files;
	u32 i;

	if (ktrc_files)
		return 0;
	files = __vmalloc(sizeof(*files), GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO);
	if (!files)
		return -ENOMEM;
	init_irq_work(&files->wake, wake_worker);
	get_random_bytes(files->secret, sizeof(files->secret));
	for (i = 0; i < ARRAY_SIZE(files->secret); i++)
		files->secret[i] |= 1;
	mutex_lock(&files_lock);
	WRITE_ONCE(ktrc_files, files);
	mutex_unlock(&files_lock);
	return 0;
}

/**
 * ktrc_files_close() - forget all files
 */
void ktrc_files_close(void)
{
	struct ktrc_files *files = ktrc_files;
	u32 i;

	if (!files)
		return;
	mutex_lock(&files_lock);
	WRITE_ONCE(ktrc_files, NULL);
	mutex_unlock(&files_lock);
	synchronize_rcu(); /* no probe has it any more */
	irq_work_sync(&files->wake);
	/* it finds nothing to do */
	flush_work(&files_work);
	for (i = 0; i < KTRC_NR_FILES; i++) {
		if (files->at[i].file)
			give_back(files->at[i].file);
		kfree(files->at[i].path);
	}
	vfree(files);
}

/**
 * ktrc_files_exit() - forget all files, and wait until none of them is ktrc's any more
 */
void ktrc_files_exit(void)
{
	ktrc_files_close();
	flush_work(&return_work);
}

/* NULL: not known */
static const char *path_of(const struct ktrc_file *f)
{
	if (f->path)
		return f->path;
	/* pairs with the release of it in ktrc_file_keep() */
	return smp_load_acquire(&f->name[0]) ? f->name : NULL;
}

/**
 * ktrc_files_next() - walk the table
 * @number: in: the lowest number that is wanted; out: the one found
 * @name: receives what is known of it
 *
 * Return: whether there is one.
 */
bool ktrc_files_next(u32 *number, struct ktrc_name *name)
{
	bool is_found = false;
	u32 i;

	/* the worker sees all mounts, whoever asks */
	if (*number <= 1)
		flush_work(&files_work);
	mutex_lock(&files_lock);
	for (i = *number ? *number - 1 : 0; ktrc_files && !is_found && i < KTRC_NR_FILES; i++) {
		const struct ktrc_file *f = &ktrc_files->at[i];
		const char *path = path_of(f);

		if (!path)
			continue;
		strscpy(name->path, path, sizeof(name->path));
		name->build_id = f->build_id;
		*number = i + 1;
		is_found = true;
	}
	mutex_unlock(&files_lock);
	return is_found;
}

/**
 * ktrc_files_missed() - files for which there was no room
 */
u64 ktrc_files_missed(void)
{
	u64 missed;

	mutex_lock(&files_lock);
	missed = ktrc_files ? atomic_long_read(&ktrc_files->missed) : 0;
	mutex_unlock(&files_lock);
	return missed;
}
