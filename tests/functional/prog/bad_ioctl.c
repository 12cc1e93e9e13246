// SPDX-License-Identifier: GPL-2.0
/*
 * bad_ioctl: calls on /dev/ktrc that must be refused, by size, flag, pointer, order
 * and right.  Session "default" exists and is stopped; its mode decides which rows of
 * consuming are tried.  Each row expects an errno, and the session to be as before.
 * Exit status 1 if any row differs.
 */
#include <poll.h>
#include <stddef.h>
#include <sys/wait.h>

#include "ring.h"

static struct reader witness; /* its file is attached, without flags */
static struct ktrc_ioc_info before;
static int failed;

static void complain(const char *what, int got, int want)
{
	failed = 1;
	printf("# %s: got %s, want %s\n", what, got ? strerror(got) : "success",
	       want ? strerror(want) : "success");
}

/* all that does not tell the time */
static int is_unchanged(void)
{
	reader_refresh(&witness);
	return !memcmp(&before, &witness.info, offsetof(struct ktrc_ioc_info, now_ticks)) &&
	       !memcmp(before.uuid, witness.info.uuid, sizeof(before.uuid) + sizeof(before.name));
}

static void row(const char *what, int got, int want)
{
	if (got != want)
		complain(what, got, want);
	if (is_unchanged())
		return;
	failed = 1;
	printf("# %s: changed the session\n", what);
}

static int result(long ret)
{
	return ret < 0 ? errno : 0;
}

static int call(int fd, unsigned long request, const void *arg)
{
	return result(ioctl(fd, request, arg));
}

static int open_device(void)
{
	int fd = open(KTRC_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		err(1, KTRC_DEVICE);
	return fd;
}

static void rows_of_order(void)
{
	struct ktrc_ioc_info info = { .size = sizeof(info) };
	struct ktrc_ioc_consume consume = { .size = sizeof(consume) };
	int fd = open_device();
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte = 0;

	row("info, not attached", call(fd, KTRC_IOC_INFO, &info), ENOTCONN);
	row("start, not attached", call(fd, KTRC_IOC_START, NULL), ENOTCONN);
	row("stop, not attached", call(fd, KTRC_IOC_STOP, NULL), ENOTCONN);
	row("consume, not attached", call(fd, KTRC_IOC_CONSUME, &consume), ENOTCONN);
	row("map, not attached",
	    mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? errno : 0, ENOTCONN);
	row("poll, not attached", poll(&p, 1, 0) == 1 && p.revents == POLLERR ? 0 : EIO, 0);
	row("read", result(read(fd, &byte, 1)), EINVAL);
	row("write", result(write(fd, &byte, 1)), EINVAL);
	row("lseek", result(lseek(fd, 1, SEEK_SET)), ESPIPE);
	row("ioctl 0", call(fd, _IO('k', 0), &info), ENOTTY);
	row("ioctl 6", call(fd, _IO('k', 6), &info), ENOTTY);
	row("ioctl of another letter", call(fd, _IO('K', 2), &info), ENOTTY);
	row("info, with a size encoded", call(fd, _IOR('k', 2, struct ktrc_ioc_info), &info),
	    ENOTTY);
	close(fd);
}

/* a struct that ends where memory ends */
static void *at_the_edge(const void *from, size_t bytes)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || munmap(p + 4096, 4096))
		err(1, "mmap");
	return memcpy(p + 4096 - bytes, from, bytes);
}

static void rows_of_sizes(const char *name, int fd, unsigned long request, uint32_t bytes)
{
	static const uint32_t bad[] = { 0, 1, 3, 1u << 31, ~0u };
	uint32_t buffer[1024 + 1] = { 0 };
	char what[80];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(what, sizeof(what), "%s of %u bytes", name, bad[i]);
		buffer[0] = bad[i];
		row(what, call(fd, request, buffer), EINVAL);
	}
	snprintf(what, sizeof(what), "%s with a tail that is not zero", name);
	buffer[0] = bytes + 64;
	buffer[bytes / 4 + 15] = 1;
	row(what, call(fd, request, buffer), E2BIG);
	snprintf(what, sizeof(what), "%s beyond the end of memory", name);
	buffer[0] = bytes;
	row(what, call(fd, request, at_the_edge(buffer, bytes - 4)), EFAULT);
	snprintf(what, sizeof(what), "%s at NULL", name);
	row(what, call(fd, request, NULL), EFAULT);
	snprintf(what, sizeof(what), "%s at an address of the kernel", name);
	row(what, call(fd, request, (void *)0xffffffff81000000), EFAULT);
}

static int attach(int fd, uint32_t flags, const char *name)
{
	struct ktrc_ioc_attach a = { .size = sizeof(a), .flags = flags };

	memcpy(a.name, name, strnlen(name, sizeof(a.name)));
	return call(fd, KTRC_IOC_ATTACH, &a);
}

static void rows_of_attach(void)
{
	struct ktrc_ioc_attach brief = { .size = offsetof(struct ktrc_ioc_attach, name) };
	int fd = open_device();

	rows_of_sizes("attach", fd, KTRC_IOC_ATTACH, sizeof(struct ktrc_ioc_attach));
	row("attach, flag 4", attach(fd, 4, ""), EINVAL);
	row("attach, flag 2^31", attach(fd, 1u << 31 | KTRC_ATTACH_CONSUME, ""), EINVAL);
	row("attach to nobody", attach(fd, 0, "nobody"), ENOENT);
	row("attach to a path", attach(fd, 0, "../default"), ENOENT);
	row("attach, name without NUL", attach(fd, 0, "12345678901234567890123456789012"), EINVAL);
	row("attach, brief struct", call(fd, KTRC_IOC_ATTACH, &brief), 0);
	row("attach again", attach(fd, 0, ""), EISCONN);
	row("attach again, to nobody", attach(fd, 0, "nobody"), EISCONN);
	close(fd);
}

static void rows_of_info(int fd)
{
	struct ktrc_ioc_info info = { .size = 8, .schema = 0x5a5a5a5a };
	void *readonly = at_the_edge(&info, 8);

	if (mprotect((void *)((uintptr_t)readonly & ~4095ul), 4096, PROT_READ))
		err(1, "mprotect");
	rows_of_sizes("info", fd, KTRC_IOC_INFO, sizeof(info));
	row("brief info", call(fd, KTRC_IOC_INFO, &info), 0);
	if (info.abi != KTRC_ABI || info.schema != 0x5a5a5a5a)
		complain("brief info wrote beyond its size", EIO, 0);
	row("info in read-only memory", call(fd, KTRC_IOC_INFO, readonly), EFAULT);
	row("start with an argument", call(fd, KTRC_IOC_START, &info), EINVAL);
	row("stop with an argument", call(fd, KTRC_IOC_STOP, &info), EINVAL);
	row("stop the stopped", call(fd, KTRC_IOC_STOP, NULL), 0);
}

static int consume(int fd, uint32_t cpu, uint64_t position)
{
	struct ktrc_ioc_consume c = { .size = sizeof(c), .cpu = cpu, .position = position };

	return call(fd, KTRC_IOC_CONSUME, &c);
}

static void rows_of_consume(void)
{
	int fd = open_device(), second = open_device();

	if (before.mode == KTRC_MODE_FLIGHT) {
		row("consume a flight recorder", attach(fd, KTRC_ATTACH_CONSUME, ""), EINVAL);
	} else {
		row("be the consumer", attach(fd, KTRC_ATTACH_CONSUME, ""), 0);
		row("be a second consumer", attach(second, KTRC_ATTACH_CONSUME, ""), EBUSY);
		rows_of_sizes("consume", fd, KTRC_IOC_CONSUME, sizeof(struct ktrc_ioc_consume));
		row("consume CPU 2^32-1", consume(fd, ~0u, 0), EINVAL);
		row("consume beyond the last CPU", consume(fd, before.nr_cpus, 0), EINVAL);
		row("consume what is not there", consume(fd, 0, 1ull << 40), EINVAL);
		row("consume 2^64-1", consume(fd, 0, ~0ull), EINVAL);
	}
	row("consume without being the consumer", consume(witness.fd, 0, 0), EPERM);
	close(fd);
	close(second);
}

/* the right is asked for at each call, not only at open */
static void rows_of_rights(void)
{
	struct ktrc_ioc_info info = { .size = sizeof(info) };
	int fd = open_device();

	if (setgid(65534) || setuid(65534))
		err(1, "setuid");
	if (call(fd, KTRC_IOC_INFO, &info) != EPERM || attach(fd, 0, "") != EPERM)
		complain("ioctl as nobody", 0, EPERM);
	if (call(witness.fd, KTRC_IOC_START, NULL) != EPERM)
		complain("start as nobody", 0, EPERM);
	if (call(witness.fd, KTRC_IOC_STOP, NULL) != EPERM || consume(witness.fd, 0, 0) != EPERM)
		complain("stop or consume as nobody", 0, EPERM);
	if (open(KTRC_DEVICE, O_RDWR) >= 0 || errno != EPERM)
		complain("open as nobody", errno, EPERM);
}

static void as_nobody(void)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		failed = 0;
		rows_of_rights();
		fflush(stdout);
		_exit(failed);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		err(1, "fork");
	row("everything as nobody", status ? EIO : 0, 0);
}

int main(void)
{
	reader_open(&witness, "", 0);
	before = witness.info;
	if (before.state != KTRC_STATE_STOPPED)
		errx(1, "the session is not stopped");
	rows_of_order();
	rows_of_attach();
	rows_of_info(witness.fd);
	rows_of_consume();
	as_nobody();
	return failed;
}
