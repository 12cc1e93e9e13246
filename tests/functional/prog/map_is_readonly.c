// SPDX-License-Identifier: GPL-2.0
/*
 * What can be mapped of the stopped session "default", and what can be done to a
 * mapping: each row tries one thing and expects one errno (0: it works).  At the end
 * deletes the session and reads on.  Exit status 1 if any row differs.
 * map_is_readonly mapped: whether this program, as it was started, has a mapping.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "ring.h"

static struct reader r;
static size_t whole;
static int failed;

static void row(const char *what, int got, int want)
{
	if (got == want)
		return;
	failed = 1;
	printf("# %s: got %s, want %s\n", what, got ? strerror(got) : "success",
	       want ? strerror(want) : "success");
}

static int try_map_of(int fd, size_t bytes, int prot, int flags, off_t offset)
{
	void *p = mmap(NULL, bytes, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, bytes);
	return 0;
}

static int try_map(size_t bytes, int prot, int flags, off_t offset)
{
	return try_map_of(r.fd, bytes, prot, flags, offset);
}

static void rows_of_mmap(void)
{
	static const struct {
		const char *what;
		int prot, flags, want;
	} rows[] = {
		{ "shared read", PROT_READ, MAP_SHARED, 0 },
		{ "shared none", PROT_NONE, MAP_SHARED, 0 },
		{ "shared write", PROT_WRITE, MAP_SHARED, EPERM },
		{ "shared read+write", PROT_READ | PROT_WRITE, MAP_SHARED, EPERM },
		{ "shared exec", PROT_READ | PROT_EXEC, MAP_SHARED, EPERM },
		{ "private read", PROT_READ, MAP_PRIVATE, EINVAL },
		{ "private write", PROT_READ | PROT_WRITE, MAP_PRIVATE, EPERM },
		{ "shared read populate", PROT_READ, MAP_SHARED | MAP_POPULATE, 0 },
		{ "shared read locked", PROT_READ, MAP_SHARED | MAP_LOCKED, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		row(rows[i].what, try_map(whole, rows[i].prot, rows[i].flags, 0), rows[i].want);
}

static void rows_of_extent(void)
{
	off_t cpu1 = 1ll << KTRC_MMAP_CPU_SHIFT;

	row("half a ring", try_map(whole / 2, PROT_READ, MAP_SHARED, 0), EINVAL);
	row("the status page alone", try_map(4096, PROT_READ, MAP_SHARED, 0), EINVAL);
	row("a ring and a page", try_map(whole + 4096, PROT_READ, MAP_SHARED, 0), EINVAL);
	row("from the second page", try_map(whole - 4096, PROT_READ, MAP_SHARED, 4096), EINVAL);
	row("CPU 1", try_map(whole, PROT_READ, MAP_SHARED, cpu1), 0);
	row("CPU 1, second page", try_map(whole, PROT_READ, MAP_SHARED, cpu1 + 4096), EINVAL);
	row("CPU 4095", try_map(whole, PROT_READ, MAP_SHARED, cpu1 * 4095), EINVAL);
	row("last CPU of the offset", try_map(whole, PROT_READ, MAP_SHARED, cpu1 * 0x7fffff),
	    EINVAL);
}

static int result(long ret)
{
	return ret < 0 ? errno : 0;
}

/* what the file was opened for limits a mapping as well */
static void rows_of_files(void)
{
	struct ktrc_ioc_attach a = { .size = sizeof(a) };
	int fd = open(KTRC_DEVICE, O_RDONLY | O_CLOEXEC);
	int none = open(KTRC_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0 || none < 0 || ioctl(fd, KTRC_IOC_ATTACH, &a))
		err(1, KTRC_DEVICE);
	row("opened to read", try_map_of(fd, whole, PROT_READ, MAP_SHARED, 0), 0);
	row("opened to read, private", try_map_of(fd, whole, PROT_READ, MAP_PRIVATE, 0), EINVAL);
	row("opened to read, write", try_map_of(fd, whole, PROT_WRITE, MAP_SHARED, 0), EACCES);
	row("not attached", try_map_of(none, whole, PROT_READ, MAP_SHARED, 0), ENOTCONN);
	close(fd);
	close(none);
}

static int remap(void *p, size_t from, size_t to, int flags)
{
	void *q = mremap(p, from, to, flags);

	return q == MAP_FAILED ? errno : 0;
}

static int cover(void *p, size_t bytes)
{
	void *q = mmap(p, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		       -1, 0);

	return q == MAP_FAILED ? errno : 0;
}

static int watch_faults(void *p)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)p, .len = whole },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC), got;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		err(1, "userfaultfd");
	got = result(ioctl(fd, UFFDIO_REGISTER, &reg));
	close(fd);
	return got;
}

/* Return: whether smaps shows flag @flag for the mapping at @p */
static int has_flag(const void *p, const char *flag)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[4096], start[32];
	int here = 0, found = 0;

	if (!file)
		err(1, "smaps");
	snprintf(start, sizeof(start), "%lx-", (unsigned long)p);
	while (fgets(line, sizeof(line), file)) {
		here |= !strncmp(line, start, strlen(start));
		if (here && !strncmp(line, "VmFlags:", 8)) {
			found = strstr(line, flag) != NULL;
			break;
		}
	}
	fclose(file);
	return found;
}

static void rows_of_flags(const char *p)
{
	static const char *const must[] = { " rd", " sh", " io", " dc", " de", " dd" };
	static const char *const must_not[] = { " wr", " mw", " ex", " me" };
	char what[40];
	size_t i;

	for (i = 0; i < sizeof(must) / sizeof(*must); i++) {
		snprintf(what, sizeof(what), "has VmFlag%s", must[i]);
		row(what, has_flag(p, must[i]) ? 0 : ENOENT, 0);
	}
	for (i = 0; i < sizeof(must_not) / sizeof(*must_not); i++) {
		snprintf(what, sizeof(what), "has VmFlag%s", must_not[i]);
		row(what, has_flag(p, must_not[i]) ? 0 : ENOENT, ENOENT);
	}
}

static void rows_of_abuse(char *p)
{
	row("mprotect write", result(mprotect(p, whole, PROT_READ | PROT_WRITE)), EACCES);
	row("mprotect exec", result(mprotect(p, whole, PROT_READ | PROT_EXEC)), EACCES);
	row("mprotect a part", result(mprotect(p, 4096, PROT_NONE)), EINVAL);
	row("munmap the first page", result(munmap(p, 4096)), EINVAL);
	row("munmap the last page", result(munmap(p + whole - 4096, 4096)), EINVAL);
	row("munmap a hole", result(munmap(p + 4096, 4096)), EINVAL);
	row("map over a part", cover(p + 4096, 4096), ENOMEM);
	row("mlock", result(mlock(p, whole)), 0);
	row("munlock", result(munlock(p, whole)), 0);
	row("userfaultfd", watch_faults(p), EINVAL);
	row("mremap grow", remap(p, whole, whole + 4096, MREMAP_MAYMOVE), EFAULT);
	row("mremap shrink", remap(p, whole, whole - 4096, 0), EINVAL);
	row("mremap a part away", remap(p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_DONTUNMAP), EINVAL);
	row("madvise DOFORK", result(madvise(p, whole, MADV_DOFORK)), EINVAL);
	row("madvise DODUMP", result(madvise(p, whole, MADV_DODUMP)), EINVAL);
	row("madvise REMOVE", result(madvise(p, whole, MADV_REMOVE)), EACCES);
}

static int transfer(long number, void *p)
{
	struct iovec mine = { .iov_base = (char[8]){ 0 }, .iov_len = 8 };
	struct iovec theirs = { .iov_base = p, .iov_len = 8 };

	return result(syscall(number, getpid(), &mine, 1, &theirs, 1, 0));
}

/* fill a pipe from memory that may be read, then pour it into the mapping */
static int splice_into(void *p)
{
	struct iovec to = { .iov_base = p, .iov_len = 8 };
	int ends[2], got;

	if (pipe(ends) || write(ends[1], "12345678", 8) != 8)
		err(1, "pipe");
	got = result(vmsplice(ends[0], &to, 1, 0));
	close(ends[0]);
	close(ends[1]);
	return got;
}

static void rows_of_writing(char *p)
{
	int mem = open("/proc/self/mem", O_RDWR), zero = open("/dev/zero", O_RDONLY);

	if (mem < 0 || zero < 0)
		err(1, "open");
	row("write to /proc/self/mem", result(pwrite(mem, "x", 1, (off_t)(uintptr_t)p)), EIO);
	row("read into it", result(read(zero, p, 8)), EFAULT);
	row("splice into it", splice_into(p), EFAULT);
	row("process_vm_writev", transfer(SYS_process_vm_writev, p), EFAULT);
	row("process_vm_readv", transfer(SYS_process_vm_readv, p), EFAULT);
	row("futex", result(syscall(SYS_futex, p, FUTEX_WAKE_OP, 1, 1, p, 0)), EFAULT);
	row("info into it", result(ioctl(r.fd, KTRC_IOC_INFO, p)), EINVAL);
	close(mem);
	close(zero);
}

/* a debugger can neither look nor poke: the child maps a ring of its own */
static void rows_of_ptrace(void)
{
	long *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t child = fork();

	if (!child) {
		*shared = (long)reader_map_cpu(&r, 0);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || *shared == -1)
		err(1, "ptrace");
	row("ptrace poke", result(ptrace(PTRACE_POKEDATA, child, *shared, 1)), EIO);
	errno = 0;
	ptrace(PTRACE_PEEKDATA, child, *shared, NULL);
	row("ptrace peek", errno, EIO);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	waitpid(child, &status, 0);
}

static int has_mapping(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[4096];
	int found = 0;

	while (file && fgets(line, sizeof(line), file))
		found |= strstr(line, KTRC_DEVICE) != NULL;
	if (!file || fclose(file))
		err(1, "maps");
	return found;
}

/* neither a child nor what follows exec has the mapping */
static void rows_of_inheritance(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		if (has_mapping())
			_exit(1);
		reader_map_cpu(&r, 0);
		if (!has_mapping())
			_exit(2);
		execl("/proc/self/exe", "map_is_readonly", "mapped", NULL);
		_exit(3);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		err(1, "fork");
	row("inherited", WIFEXITED(status) ? WEXITSTATUS(status) : EIO, 0);
}

static void delete_session(void)
{
	struct ktrc_ioc_attach a = { .size = sizeof(a), .flags = KTRC_ATTACH_BIND };
	int fd = open(KTRC_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, KTRC_IOC_ATTACH, &a))
		err(1, "bind");
	close(fd);
	memset(&a, 0, sizeof(a));
	a.size = sizeof(a);
	fd = open(KTRC_DEVICE, O_RDWR | O_CLOEXEC);
	row("deleted", result(ioctl(fd, KTRC_IOC_ATTACH, &a)), ENOENT);
	close(fd);
}

/* the mapping outlives its file and the session, which cannot start any more */
static void rows_of_life(char *p)
{
	char *copy = malloc(whole);

	if (!copy)
		err(1, "malloc");
	memcpy(copy, p, whole);
	delete_session();
	row("start the deleted", result(ioctl(r.fd, KTRC_IOC_START, 0)), ENOENT);
	row("info of the deleted", result(ioctl(r.fd, KTRC_IOC_INFO, &r.info)), 0);
	row("map the deleted", try_map(whole, PROT_READ, MAP_SHARED, 0), 0);
	close(r.fd);
	row("data after delete and close", memcmp(copy, p, whole) ? EIO : 0, 0);
	free(copy);
}

static char *map_first(void)
{
	char *p = reader_map_cpu(&r, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

int main(int argc, char **argv)
{
	char *p;

	if (argc > 1 && !strcmp(argv[1], "mapped"))
		return has_mapping();
	reader_open(&r, "", 0);
	whole = ring_bytes(&r.info);
	rows_of_mmap();
	rows_of_extent();
	rows_of_files();
	p = map_first();
	rows_of_flags(p);
	rows_of_abuse(p);
	rows_of_writing(p);
	rows_of_ptrace();
	rows_of_inheritance();
	rows_of_life(p);
	/* for the caller to see how much memory is in use, before and after */
	printf("mapped\n");
	fflush(stdout);
	getchar();
	munmap(p, whole);
	printf("unmapped\n");
	fflush(stdout);
	getchar();
	return failed;
}
