// SPDX-License-Identifier: GPL-2.0-or-later
/* Files are opened through /proc/PID/map_files: each is the one that is mapped. */
#include "maps.h"

#include <fcntl.h>
#include <string.h>

#include "cleanup.h"

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
	line->path = text + used;
	return *line->path;
}

int ktrc_map_open(u32 pid, const struct ktrc_map_line *line, struct stat *stat)
{
	char path[96];
	__ktrc_fd int fd = -1;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, line->begin, line->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, stat) < 0 || !S_ISREG(stat->st_mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

FILE *ktrc_proc_open(u32 pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return fopen(path, "re");
}
