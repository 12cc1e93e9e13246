// SPDX-License-Identifier: GPL-2.0-or-later
/* A file is looked at before it is opened: to be the one that is, or was, mapped, and to do nothing. */
#include "maps.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"
#include "task.h"

/* "55d0c7a00000-55d0c7a02000 r-xp 00001000 fe:00 1234   /usr/bin/x" */
bool ktrc_map_parse(char *text, struct ktrc_map_line *line)
{
	char mode[5];
	int used = 0;

	if (sscanf(text, "%llx-%llx %4s %llx %*x:%*x %*u %n", &line->begin, &line->end, mode,
		   &line->offset, &used) < 4 ||
	    !used)
		return false;
	text[strcspn(text, "\n")] = '\0';
	line->is_code = mode[2] == 'x';
	line->is_shared = mode[3] == 's';
	line->path = text + used;
	return true;
}

/* To be read, of what open() with O_PATH gave. */
static int reopen(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int ktrc_map_open(u32 pid, const struct ktrc_map_line *line, struct stat *stat)
{
	char path[96];
	__ktrc_fd int fd = -1;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, line->begin, line->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd >= 0 && fstat(fd, stat) == 0 && S_ISREG(stat->st_mode) ? reopen(fd) : -1;
}

/* The path had no symbolic links when the kernel named it. */
int ktrc_name_open(const struct ktrc_name *name)
{
	struct stat stat;
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	__ktrc_fd int fd = -1;

	fd = (int)syscall(SYS_openat2, AT_FDCWD, name->path, &how, sizeof(how));
	return fd >= 0 && fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) ? reopen(fd) : -1;
}

/* What the kernel calls the first namespace of processes, whose numbers records carry. */
#define FIRST_PID_NS 0xeffffffcu

/* Of another one the same number is another process's.  A kernel without namespaces has no such file. */
static bool is_in_first_namespace(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) < 0 || stat_of.st_ino == FIRST_PID_NS;
}

FILE *ktrc_proc_open(u32 pid, const char *name)
{
	char path[64];

	if (!is_in_first_namespace())
		return NULL;
	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return fopen(path, "re");
}

u64 ktrc_proc_start_unit(void)
{
	return NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK);
}

/* Its name, which may hold anything, stands in the last parentheses; the 20th word behind it is the start. */
bool ktrc_proc_identity(u32 pid, u64 *start_ns, char comm[32])
{
	__ktrc_file FILE *file = ktrc_proc_open(pid, "stat");
	unsigned long long start;
	const char *begin, *end;
	char text[1024];
	size_t len;

	len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[len] = '\0';
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || end - begin > 32 ||
	    sscanf(end + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &start) != 1)
		return false;
	text[end - text] = '\0';
	ktrc_comm_copy(comm, begin + 1);
	*start_ns = start * ktrc_proc_start_unit();
	return true;
}
