// SPDX-License-Identifier: GPL-2.0-or-later
/* The device: attaching, mapping, and the calls a reader makes. */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "array.h"
#include "cleanup.h"
#include "../../uapi/ktrc_events.h"

void ktrc_device_close(struct ktrc_device *dev)
{
	if (!dev)
		return;
	for (size_t i = 0; i < dev->nr_rings; i++)
		munmap((void *)dev->rings[i].status, dev->rings[i].map_bytes);
	free(dev->rings);
	if (dev->fd >= 0)
		close(dev->fd);
	free(dev);
}

void ktrc_cleanup_device(struct ktrc_device **dev)
{
	ktrc_device_close(*dev);
}

static int open_failed(int errnum, struct ktrc_error *err)
{
	int ret;

	if (errnum == ENOENT || errnum == ENXIO || errnum == ENODEV) {
		ret = ktrc_fail_as(err, errnum, KTRC_EXIT_NOTHING,
				   KTRC_DEVICE ": the module ktrc is not loaded");
		ktrc_hint(err, KTRC_HINT_LOAD);
		return ret;
	}
	ret = ktrc_fail(err, errnum, KTRC_DEVICE ": cannot open");
	if (errnum == EACCES)
		ktrc_hint(err, "run it as root (sudo), or join the group of " KTRC_DEVICE
			       ": sudo usermod -aG ktrc $USER");
	else if (err->code == KTRC_EXIT_PERMISSION)
		ktrc_hint(err, KTRC_HINT_RIGHTS);
	return ret;
}

static int attach_failed(const char *name, int errnum, struct ktrc_error *err)
{
	int ret;

	switch (errnum) {
	case ENOENT:
		ret = ktrc_fail_as(err, errnum, KTRC_EXIT_NOTHING, "there is no session \"%s\"",
				   name);
		ktrc_hint(err, "ktrc-ctl start --session=%s    makes it and starts recording",
			  name);
		return ret;
	case EBUSY:
		ret = ktrc_fail_as(err, errnum, KTRC_EXIT_FAILED,
				   "session %s: another reader is consuming it", name);
		ktrc_hint(err, "only one can; without --follow any number can read");
		return ret;
	default:
		ret = ktrc_fail(err, errnum, "session %s: cannot attach", name);
		if (err->code == KTRC_EXIT_PERMISSION)
			ktrc_hint(err, KTRC_HINT_RIGHTS);
		return ret;
	}
}

int ktrc_device_create(struct ktrc_device **ret_dev, struct ktrc_error *err)
{
	__ktrc_device struct ktrc_device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return ktrc_fail(err, ENOMEM, KTRC_DEVICE);
	dev->fd = open(KTRC_DEVICE, O_RDONLY | O_CLOEXEC);
	if (dev->fd < 0)
		return open_failed(errno, err);
	*ret_dev = ktrc_steal(dev);
	return 0;
}

int ktrc_device_attach(struct ktrc_device *dev, const char *name, u32 flags, struct ktrc_error *err)
{
	struct ktrc_ioc_attach attach = { .size = sizeof(attach), .flags = flags };

	if (strlen(name) >= sizeof(attach.name))
		return ktrc_fail_as(err, EINVAL, KTRC_EXIT_USAGE,
				    "session \"%s\": a name has at most %d characters", name,
				    KTRC_NAME_LEN - 1);
	strcpy(attach.name, name);
	if (ioctl(dev->fd, KTRC_IOC_ATTACH, &attach) < 0)
		return attach_failed(name, errno, err);
	return ktrc_device_info(dev, err);
}

int ktrc_device_open(const char *name, u32 flags, struct ktrc_device **ret_dev,
		     struct ktrc_error *err)
{
	__ktrc_device struct ktrc_device *dev = NULL;
	int ret;

	ret = ktrc_device_create(&dev, err);
	if (ret == 0)
		ret = ktrc_device_attach(dev, name, flags, err);
	if (ret == 0)
		*ret_dev = ktrc_steal(dev);
	return ret;
}

static int abi_mismatch(const struct ktrc_device *dev, u32 abi, struct ktrc_error *err)
{
	int ret = ktrc_fail_as(err, EPROTO, KTRC_EXIT_ABI,
			       KTRC_DEVICE ": the loaded module has ABI %u (schema %u), "
					   "this tool ABI %d (schema %d)",
			       abi, dev->info.schema, KTRC_ABI, KTRC_SCHEMA);

	ktrc_hint(err, KTRC_HINT_ABI);
	return ret;
}

int ktrc_device_info(struct ktrc_device *dev, struct ktrc_error *err)
{
	const struct ktrc_ioc_info *info = &dev->info;

	dev->info = (struct ktrc_ioc_info){ .size = sizeof(dev->info) };
	if (ioctl(dev->fd, KTRC_IOC_INFO, &dev->info) < 0)
		return ktrc_fail(err, errno, KTRC_DEVICE ": cannot describe the session");
	if (info->abi != KTRC_ABI)
		return abi_mismatch(dev, info->abi, err);
	if (!info->clock_hz || info->packet_bytes < 4096 || !info->nr_packets)
		return ktrc_fail(err, EPROTO, KTRC_DEVICE ": impossible sizes");
	return 0;
}

static bool is_mapped(const struct ktrc_device *dev, u32 cpu)
{
	for (size_t i = 0; i < dev->nr_rings; i++)
		if (dev->rings[i].cpu == cpu)
			return true;
	return false;
}

static int map_ring(struct ktrc_device *dev, u32 cpu, struct ktrc_error *err)
{
	const struct ktrc_ioc_info *info = &dev->info;
	size_t bytes = info->status_bytes + (size_t)info->packet_bytes * info->nr_packets;
	struct ktrc_ring *ring;
	void *map;

	map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, dev->fd, (off_t)cpu << KTRC_MMAP_CPU_SHIFT);
	if (map == MAP_FAILED)
		return errno == ENXIO ?
			       0 :
			       ktrc_fail(err, errno, KTRC_DEVICE ": cannot map CPU %u", cpu);
	ring = ktrc_array_push(dev->rings, dev->nr_rings);
	if (!ring) {
		munmap(map, bytes);
		return ktrc_fail(err, ENOMEM, KTRC_DEVICE ": cannot map CPU %u", cpu);
	}
	ring->cpu = cpu;
	ring->status = map;
	ring->data = (const u8 *)map + info->status_bytes;
	ring->map_bytes = bytes;
	if (ring->status->magic != KTRC_STATUS_MAGIC || ring->status->abi != KTRC_ABI)
		return abi_mismatch(dev, ring->status->abi, err);
	return 0;
}

bool ktrc_device_is_half_full(const struct ktrc_device *dev)
{
	for (size_t i = 0; i < dev->nr_rings; i++) {
		const struct ktrc_ring *ring = &dev->rings[i];
		u64 room = (u64)ring->status->nr_packets * ring->status->packet_bytes;

		if (ktrc_ring_head(ring) - ktrc_ring_oldest(ring) > room / 2)
			return true;
	}
	return false;
}

int ktrc_device_map(struct ktrc_device *dev, struct ktrc_error *err)
{
	int ret;

	for (u32 cpu = 0; cpu < dev->info.nr_cpus; cpu++) {
		if (is_mapped(dev, cpu))
			continue;
		ret = map_ring(dev, cpu, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int ktrc_device_start(struct ktrc_device *dev, struct ktrc_error *err)
{
	int ret;

	if (ioctl(dev->fd, KTRC_IOC_START, 0) == 0)
		return 0;
	ret = ktrc_fail(err, errno, "session %s: cannot start", dev->info.name);
	if (ret == -EOPNOTSUPP) {
		err->code = KTRC_EXIT_UNAVAILABLE;
		ktrc_hint(err, "ktrc-ctl doctor    shows every hook");
	}
	return ret;
}

int ktrc_device_stop(struct ktrc_device *dev, struct ktrc_error *err)
{
	if (ioctl(dev->fd, KTRC_IOC_STOP, 0) < 0)
		return ktrc_fail(err, errno, "session %s: cannot stop", dev->info.name);
	return 0;
}

int ktrc_device_consume(struct ktrc_device *dev, u32 cpu, u64 position, struct ktrc_error *err)
{
	struct ktrc_ioc_consume consume = {
		.size = sizeof(consume),
		.cpu = cpu,
		.position = position,
	};

	if (ioctl(dev->fd, KTRC_IOC_CONSUME, &consume) < 0)
		return ktrc_fail(err, errno, "session %s: cannot consume CPU %u", dev->info.name,
				 cpu);
	return 0;
}
