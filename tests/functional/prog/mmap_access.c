// SPDX-License-Identifier: GPL-2.0
/*
 * mmap_access: who gets at what a mapping of the stopped session "default" holds, by a file
 * opened to read and write and by one opened to read: system calls that read or write memory,
 * other processes, a debugger, what follows a fork or exec, a core dump.  Needs a block device
 * /dev/ram0 and cores that become /run/core.  Prints the number of rows; exit status 1 if any
 * differs.
 * mmap_access document: prints the rows as docs/abi.md has them.
 * mmap_access executed: what this program sees of a mapping of the one before it.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "mmap_rows.h"

#define STATUS_LENGTH offsetof(struct ktrc_status, length)

static void open_pipe(int *ends)
{
	if (pipe2(ends, O_CLOEXEC))
		err(1, "pipe");
}

static void close_both(const int *ends)
{
	close(ends[0]);
	close(ends[1]);
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static int read_from(const char *path, int flags)
{
	int fd = open_file(path, O_RDONLY | flags);
	int got = result(read(fd, mapping, PAGE));

	close(fd);
	return got;
}

static int read_zeros(const struct row *row)
{
	return read_from("/dev/zero", row->flags);
}

static int read_blocks(const struct row *row)
{
	return read_from("/dev/ram0", row->flags);
}

static int read_sent(const struct row *row)
{
	int ends[2], got;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || write(ends[1], "12345678", 8) != 8)
		err(1, "socketpair");
	got = result(recv(ends[0], mapping, 8, row->flags));
	close_both(ends);
	return got;
}

/* from the word with struct ktrc_status's length on, which is a good size */
static int read_info(const struct row *row)
{
	return result(ioctl(device, KTRC_IOC_INFO, mapping + row->at));
}

/* and reads it back */
static int write_blocks(const struct row *row)
{
	int fd = open_file("/dev/ram0", O_RDWR | row->flags);
	int got = result(pwrite(fd, mapping, PACKET, 0));
	char *back = aligned_alloc(PAGE, PACKET);

	if (!got && (pread(fd, back, PACKET, 0) != PACKET || memcmp(back, original, PACKET)))
		got = EIO;
	free(back);
	close(fd);
	return got;
}

/* a byte at @p is read by the kernel, which tells instead of a signal */
static int read_byte(const char *p)
{
	int ends[2], got;

	open_pipe(ends);
	got = result(write(ends[1], p, 1));
	close_both(ends);
	return got;
}

static int write_pipe(const struct row *row)
{
	return read_byte(mapping + row->at);
}

static int vmsplice_from(const struct row *row)
{
	struct iovec all = { .iov_base = mapping, .iov_len = PACKET };
	char *back = malloc(PACKET);
	int ends[2], got;

	open_pipe(ends);
	got = result(vmsplice(ends[1], &all, 1, row->flags));
	if (!got && (read(ends[0], back, PACKET) != PACKET || memcmp(back, original, PACKET)))
		got = EIO;
	close_both(ends);
	free(back);
	return got;
}

static int vmsplice_into(const struct row *row)
{
	struct iovec to = { .iov_base = mapping, .iov_len = 8 };
	int ends[2], got;

	open_pipe(ends);
	if (write(ends[1], "12345678", 8) != 8)
		err(1, "pipe");
	got = result(vmsplice(ends[0], &to, 1, row->flags));
	close_both(ends);
	return got;
}

static int proc_mem(const struct row *row)
{
	int fd = open_file("/proc/self/mem", O_RDWR);
	off_t at = (off_t)(uintptr_t)mapping;
	char byte = 0;
	int got =
		result(row->arg & PROT_WRITE ? pwrite(fd, &byte, 1, at) : pread(fd, &byte, 1, at));

	close(fd);
	return got;
}

static int process_vm(const struct row *row)
{
	struct iovec mine = { .iov_base = (char[8]){ 0 }, .iov_len = 8 };
	struct iovec theirs = { .iov_base = mapping, .iov_len = 8 };

	return result(syscall(row->arg, getpid(), &mine, 1, &theirs, 1, 0));
}

static int status_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) < 0)
		err(1, "child");
	return status;
}

/* of a child that maps the ring at the same place */
static int try_ptrace(const struct row *row)
{
	pid_t child = fork();
	int got;

	if (!child) {
		map_first_cpu(mapping);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	if (!WIFSTOPPED(status_of(child)))
		errx(1, "the child did not stop");
	errno = 0;
	ptrace(row->arg, child, mapping, 1);
	got = errno;
	ptrace(PTRACE_CONT, child, NULL, NULL);
	status_of(child);
	return got;
}

static int try_futex(const struct row *row)
{
	return result(syscall(SYS_futex, mapping, row->arg, 1, 1, mapping, 0));
}

static int try_io_uring(const struct row *row)
{
	struct io_uring_params params = { 0 };
	struct iovec all = { .iov_base = mapping, .iov_len = PACKET };
	int fd = syscall(SYS_io_uring_setup, 4, &params), got;

	if (fd < 0)
		err(1, "io_uring");
	got = result(syscall(SYS_io_uring_register, fd, row->arg, &all, 1));
	close(fd);
	return got;
}

static int read_in_child(const struct row *row)
{
	pid_t child;

	madvise(mapping, RING, row->arg);
	child = fork();
	if (!child)
		_exit(is_mapped() ? EIO : read_byte(mapping));
	return WEXITSTATUS(status_of(child));
}

static int read_at(void *p)
{
	return read_byte(p);
}

static int read_in_clone(const struct row *row)
{
	static char stack[65536] __attribute__((aligned(16)));

	return WEXITSTATUS(status_of(clone(read_at, stack + sizeof(stack), row->flags, mapping)));
}

static int read_after_exec(const struct row *row)
{
	pid_t child = fork();

	(void)row;
	if (!child) {
		map_first_cpu(mapping);
		execl("/proc/self/exe", "mmap_access", "executed", NULL);
		_exit(EIO);
	}
	return WEXITSTATUS(status_of(child));
}

/* bytes that core file @fd has of what was mapped at @at; -1: that was not mapped */
static long bytes_in_core(int fd, uintptr_t at)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;
	int i;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		err(1, "core");
	for (i = 0; i < head.e_phnum; i++) {
		if (pread(fd, &part, sizeof(part), head.e_phoff + i * sizeof(part)) != sizeof(part))
			err(1, "core");
		if (part.p_type == PT_LOAD && part.p_vaddr == at)
			return part.p_filesz;
	}
	return -1;
}

static void die_with_core(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	int fd = open_file("/proc/self/coredump_filter", O_WRONLY);

	map_first_cpu(mapping);
	if (setrlimit(RLIMIT_CORE, &all) || write(fd, "0x1ff", 5) != 5)
		err(1, "core");
	abort();
}

/* of a process that dies; its other memory is there */
static int dump_core(const struct row *row)
{
	pid_t child = fork();
	int fd, got;

	(void)row;
	if (!child)
		die_with_core();
	if (!WCOREDUMP(status_of(child)))
		errx(1, "no core");
	fd = open_file("/run/core", O_RDONLY);
	if (lseek(fd, 0, SEEK_END) < (off_t)RING)
		errx(1, "a core without the process's other memory");
	got = bytes_in_core(fd, (uintptr_t)mapping) ? EIO : 0;
	close(fd);
	unlink("/run/core");
	return got;
}

/* Return: whether line VmFlags of smaps has @flag for the mapping */
static int has_flag(const char *flag)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	char line[4096], start[32];
	int is_it = 0, found = 0;

	if (!smaps)
		err(1, "smaps");
	snprintf(start, sizeof(start), "%lx-", (long)mapping);
	while (fgets(line, sizeof(line), smaps)) {
		is_it |= !strncmp(line, start, strlen(start));
		if (is_it && !strncmp(line, "VmFlags:", 8)) {
			found = strstr(line, flag) != NULL;
			break;
		}
	}
	fclose(smaps);
	return found;
}

static int look_at_flags(const struct row *row)
{
	static const char *const must[] = { " rd", " ms", " io", " dc", " de", " dd" };
	static const char *const must_not[] = { " wr", " mw", " ex", " me", " lo" };
	size_t i;

	(void)row;
	mlock(mapping, RING);
	for (i = 0; i < sizeof(must) / sizeof(*must); i++) {
		if (!has_flag(must[i]))
			return ENOENT;
	}
	for (i = 0; i < sizeof(must_not) / sizeof(*must_not); i++) {
		if (has_flag(must_not[i]))
			return EEXIST;
	}
	return 0;
}

#define CALL(c, w, e, f) .call = c, w, e, f

static const struct row rows[] = {
	{ CALL("read into it", "from /dev/zero", EFAULT, read_zeros) },
	{ CALL("read into it", "from a block device", EFAULT, read_blocks) },
	{ CALL("read into it", "with O_DIRECT", EFAULT, read_blocks), 0, O_DIRECT },
	{ CALL("read into it", "recv", EFAULT, read_sent) },
	{ CALL("read into it", "KTRC_IOC_INFO", EFAULT, read_info), .at = STATUS_LENGTH },
	{ CALL("write from it", "to a pipe", 0, write_pipe) },
	{ CALL("write from it", "to a block device", 0, write_blocks) },
	{ CALL("write from it", "with O_DIRECT", 0, write_blocks), 0, O_DIRECT, .newer = EFAULT },
	{ CALL("vmsplice", "from it", 0, vmsplice_from), .newer = EFAULT },
	{ CALL("vmsplice", "SPLICE_F_GIFT", 0, vmsplice_from), 0, SPLICE_F_GIFT, .newer = EFAULT },
	{ CALL("vmsplice", "into it", EFAULT, vmsplice_into) },
	{ CALL("/proc/self/mem", "write", EIO, proc_mem), PROT_WRITE },
	{ CALL("/proc/self/mem", "read", EIO, proc_mem), PROT_READ },
	{ CALL("process_vm_writev", "into it", EFAULT, process_vm), SYS_process_vm_writev },
	{ CALL("process_vm_readv", "from it", EFAULT, process_vm), SYS_process_vm_readv },
	{ CALL("ptrace", "PTRACE_POKEDATA", EIO, try_ptrace), PTRACE_POKEDATA },
	{ CALL("ptrace", "PTRACE_PEEKDATA", EIO, try_ptrace), PTRACE_PEEKDATA },
	{ CALL("futex", "FUTEX_WAKE", EFAULT, try_futex), FUTEX_WAKE },
	{ CALL("futex", "FUTEX_WAKE_OP", EFAULT, try_futex), FUTEX_WAKE_OP },
	{ CALL("io_uring", "a registered buffer", EFAULT, try_io_uring), IORING_REGISTER_BUFFERS },
	{ CALL("fork, then read", "in the child", EFAULT, read_in_child), MADV_NORMAL },
	{ CALL("fork, then read", "after MADV_DOFORK", EFAULT, read_in_child), MADV_DOFORK },
	{ CALL("clone, then read", "CLONE_VM", 0, read_in_clone), 0, CLONE_VM | SIGCHLD },
	{ CALL("execve, then read", "in what follows", EFAULT, read_after_exec) },
	{ CALL("core dump", "with nothing of it", 0, dump_core) },
	{ CALL("smaps", "has rd, ms, io, dc, de, dd, not wr, mw, ex, me, lo", 0, look_at_flags) },
};

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "executed"))
		return is_mapped() ? EIO : EFAULT;
	rows_begin(argc, argv, ROWS(rows));
	return rows_try(ROWS(rows));
}
