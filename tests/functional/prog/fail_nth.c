// SPDX-License-Identifier: GPL-2.0
/*
 * fail_nth [-n FIRST-LAST] [WAY...]: for each of these ways to control ktrc the first allocation or copy
 * that the kernel makes for it fails, then the second, and so on until none is left that could; with -n only
 * those with these numbers. Without any way it says which there are.
 * What fails leaves everything as it was: the sessions, the names that are kept, and what the session "kept" has counted
 * and recorded while it does not run; one that runs goes on. A line for each: its name, how many failed of those that
 * the kernel makes, how long it took.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "notices.h"

#define MOST 3000
static int first_place = 1, last_place = MOST;

static struct genl genl;
static struct answer answer;
static struct ktrc_ioc_info info;
static int device = -1;
static int nth_fd;
static int notices;
static uint64_t own_cgroup; /* that this program runs in */

/* ---- what is tried ---- */

/* What was asked for is done, or not; which is not known, as the answer could not be read. */
static bool is_answer_lost;

/* The message's errno, also where it cannot be sent or its answer cannot be made or read. */
static int ask(struct request *r)
{
	static char buffer[65536] __attribute__((aligned(8)));
	bool done = false;

	memset(&answer, 0, sizeof(answer));
	r->nl.nlmsg_len = r->bytes;
	if (send(genl.fd, r->data, r->bytes, 0) < 0)
		return errno;
	while (!done) {
		ssize_t got = recv(genl.fd, buffer, sizeof(buffer), 0);
		struct nlmsghdr *nl = (void *)buffer;

		is_answer_lost = got < 0;
		if (is_answer_lost)
			return errno;
		for (; !done && NLMSG_OK(nl, got); nl = NLMSG_NEXT(nl, got))
			done = take_message(&answer, nl);
	}
	return answer.error;
}

static struct nlattr *about(struct request *r, uint8_t cmd, uint16_t flags, const char *name)
{
	struct nlattr *nest;

	request_init(r, genl.family, cmd, flags);
	nest = put(r, KTRC_A_SESSION | NLA_F_NESTED, NULL, 0);
	put(r, KTRC_A_SESSION_NAME, name, strlen(name) + 1);
	return nest;
}

static int set_state(const char *name, uint32_t state)
{
	struct request r;
	struct nlattr *nest = about(&r, KTRC_CMD_SESSION_SET, 0, name);

	put(&r, KTRC_A_SESSION_STATE, &state, sizeof(state));
	nest_end(&r, nest);
	return ask(&r);
}

static int delete (const char *name)
{
	struct request r;

	nest_end(&r, about(&r, KTRC_CMD_SESSION_DEL, 0, name));
	return ask(&r);
}

/* what a new session can be told beside its name */
struct wanted {
	bool running, replace, bound, filtered, stream;
	uint64_t events; /* bits by id; 0: of page faults and reclaim */
};

static void put_filters(struct request *r)
{
	uint32_t event = KTRC_EV_fault, sample = 3, pid = 1, frames = 20;
	uint64_t min_ns = 1000;
	struct nlattr *rule = put(r, KTRC_A_SESSION_RULE | NLA_F_NESTED, NULL, 0);

	put(r, KTRC_A_RULE_EVENT, &event, sizeof(event));
	put(r, KTRC_A_RULE_MIN_NS, &min_ns, sizeof(min_ns));
	put(r, KTRC_A_RULE_SAMPLE, &sample, sizeof(sample));
	put(r, KTRC_A_RULE_USER_FRAMES, &frames, sizeof(frames));
	put(r, KTRC_A_RULE_KERNEL_FRAMES, &frames, sizeof(frames));
	nest_end(r, rule);
	put(r, KTRC_A_SESSION_PID, &pid, sizeof(pid));
	put(r, KTRC_A_SESSION_CGROUP, &own_cgroup, sizeof(own_cgroup));
}

/* What can be recorded, by id. */
static const struct {
	const char *label;
	bool is_family; /* or a part of one, whose label begins with that one's */
} events[] = {
#define KTRC_LABEL_DATA(id, label) [id] = { label, true },
#define KTRC_LABEL_PART(id, label) [id] = { label, false },
#define KTRC_LABEL_DICT(id, label)
#define KTRC_EVENT(id, ev, label, kind, doc) KTRC_LABEL_##kind(id, label)
#include "../../../uapi/ktrc_events.def"
};
#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

/* The event whose family it is the turn of. */
static size_t family;

/* Return: the bits of all events, or of those of the family @of */
static uint64_t find_events(const char *of)
{
	size_t len = of ? strlen(of) : 0, id;
	uint64_t bits = 0;

	for (id = 0; id < NR_EVENTS; id++) {
		const char *label = events[id].label;

		if (label && (!of || (!strncmp(label, of, len) && strchr(".", label[len]))))
			bits |= 1ull << id;
	}
	return bits;
}

static int make(const char *name, const struct wanted *w)
{
	uint64_t bits = w->events ?: 1ull << KTRC_EV_fault | 1ull << KTRC_EV_reclaim;
	uint64_t memory = 1 << 18;
	uint32_t state = w->running ? KTRC_STATE_RUNNING : KTRC_STATE_NEW, bind = device;
	uint32_t mode = w->stream ? KTRC_MODE_STREAM : KTRC_MODE_FLIGHT, packet = 4096;
	struct request r;
	struct nlattr *nest = about(&r, KTRC_CMD_SESSION_NEW, 0, name);

	put(&r, KTRC_A_SESSION_EVENTS, &bits, sizeof(bits));
	put(&r, KTRC_A_SESSION_MEMORY, &memory, sizeof(memory));
	put(&r, KTRC_A_SESSION_PACKET_BYTES, &packet, sizeof(packet));
	put(&r, KTRC_A_SESSION_STATE, &state, sizeof(state));
	put(&r, KTRC_A_SESSION_MODE, &mode, sizeof(mode));
	if (w->replace)
		put(&r, KTRC_A_SESSION_REPLACE, NULL, 0);
	if (w->bound)
		put(&r, KTRC_A_SESSION_BIND, &bind, sizeof(bind));
	if (w->filtered)
		put_filters(&r);
	nest_end(&r, nest);
	return ask(&r);
}

static int new_stopped(void)
{
	return make("new", &(struct wanted){ .stream = true });
}

static int new_running(void)
{
	return make("new", &(struct wanted){ .running = true });
}

static int new_with_all(void)
{
	return make("new", &(struct wanted){ .running = true, .events = find_events(NULL) });
}

static int new_stopped_with_all(void)
{
	return make("new", &(struct wanted){ .events = find_events(NULL) });
}

static int new_of_family(void)
{
	uint64_t bits = find_events(events[family].label);

	return make("new", &(struct wanted){ .running = true, .events = bits });
}

static int new_filtered(void)
{
	return make("new", &(struct wanted){ .running = true, .filtered = true });
}

/* "kept" as what nobody has to read, or it is stopped in time */
static int go_on_without_reader(void)
{
	return set_state("kept", KTRC_STATE_STOPPED) ?:
		       make("kept", &(struct wanted){ .replace = true, .running = true });
}

/* with hooks that "kept" uses and with others */
static int new_beside(void)
{
	uint64_t bits = 1ull << KTRC_EV_fault | 1ull << KTRC_EV_fault_light |
			1ull << KTRC_EV_madvise | 1ull << KTRC_EV_reclaim;

	return make("new", &(struct wanted){ .running = true, .filtered = true, .events = bits });
}

static int new_bound(void)
{
	return make("new", &(struct wanted){ .bound = true });
}

static int replace(void)
{
	return make("kept", &(struct wanted){ .replace = true, .stream = true });
}

static int delete_new(void)
{
	return delete ("new");
}

static int start_new(void)
{
	return set_state("new", KTRC_STATE_RUNNING);
}

static int stop_new(void)
{
	return set_state("new", KTRC_STATE_STOPPED);
}

static int start(void)
{
	return set_state("kept", KTRC_STATE_RUNNING);
}

static int stop(void)
{
	return set_state("kept", KTRC_STATE_STOPPED);
}

static int get_one(void)
{
	struct request r;

	nest_end(&r, about(&r, KTRC_CMD_SESSION_GET, 0, "kept"));
	return ask(&r);
}

static int dump(uint8_t cmd)
{
	struct request r;

	request_init(&r, genl.family, cmd, NLM_F_DUMP);
	return ask(&r);
}

static int dump_sessions(void)
{
	return dump(KTRC_CMD_SESSION_GET);
}

static int dump_schema(void)
{
	return dump(KTRC_CMD_SCHEMA_GET);
}

static int dump_names(void)
{
	return dump(KTRC_CMD_NAMES_GET);
}

static int dump_counters(void)
{
	struct request r;

	nest_end(&r, about(&r, KTRC_CMD_COUNTERS_GET, NLM_F_DUMP, "kept"));
	return ask(&r);
}

static int open_device(void)
{
	device = open(KTRC_DEVICE, O_RDONLY | O_CLOEXEC);
	return device < 0 ? errno : 0;
}

static int close_device(void)
{
	close(device);
	device = -1;
	return 0;
}

static int attach_to(const char *name, uint32_t flags)
{
	struct ktrc_ioc_attach a = { .size = sizeof(a), .flags = flags };

	snprintf(a.name, sizeof(a.name), "%s", name);
	return ioctl(device, KTRC_IOC_ATTACH, &a) ? errno : 0;
}

static int attach(void)
{
	return attach_to("kept", KTRC_ATTACH_CONSUME);
}

static int attach_bound(void)
{
	return attach_to("new", KTRC_ATTACH_BIND);
}

static int reopen(void)
{
	close_device();
	return open_device();
}

/* the bound session has ended with its descriptor */
static int reopen_and_make(void)
{
	return reopen() ?: new_running();
}

static int open_and_bind(void)
{
	return open_device() ?: new_running() ?: attach_bound();
}

static int get_info(void)
{
	info.size = sizeof(info);
	return ioctl(device, KTRC_IOC_INFO, &info) ? errno : 0;
}

static int ioctl_start(void)
{
	return ioctl(device, KTRC_IOC_START, 0) ? errno : 0;
}

static int ioctl_stop(void)
{
	return ioctl(device, KTRC_IOC_STOP, 0) ? errno : 0;
}

static int consume(void)
{
	struct ktrc_ioc_consume c = { .size = sizeof(c), .cpu = 0, .position = 0 };

	return ioctl(device, KTRC_IOC_CONSUME, &c) ? errno : 0;
}

static void *map;
static size_t map_bytes;

static int map_ring(void)
{
	map_bytes = info.status_bytes + (size_t)info.packet_bytes * info.nr_packets;
	map = mmap(NULL, map_bytes, PROT_READ, MAP_SHARED, device, 0);
	return map == MAP_FAILED ? errno : 0;
}

static int unmap_ring(void)
{
	return munmap(map, map_bytes) ? errno : 0;
}

static int nothing(void)
{
	return 0;
}

/* what is looked at, and what may not change */
struct view {
	struct answer sessions, names, counted;
	uint64_t recorded;
};

static bool is_running(const char *name)
{
	static struct answer session;
	const struct nlattr *state;
	struct request r;

	nest_end(&r, about(&r, KTRC_CMD_SESSION_GET, 0, name));
	transact(&genl, &r, &session);
	state = find_attr_of(find_attr(&session, KTRC_A_SESSION | NLA_F_NESTED),
			     KTRC_A_SESSION_STATE);
	return state && *(const uint32_t *)((const char *)state + NLA_HDRLEN) == KTRC_STATE_RUNNING;
}

static uint64_t sum(const unsigned char *p, size_t bytes)
{
	uint64_t sum = 1;
	size_t i;

	for (i = 0; i < bytes; i++)
		sum = (sum ^ p[i]) * 0x100000001b3;
	return sum;
}

/* of all that its rings hold; 0: there is no such session */
static uint64_t sum_rings(const char *name)
{
	struct ktrc_ioc_info i = { .size = sizeof(i) };
	struct ktrc_ioc_attach a = { .size = sizeof(a) };
	int fd = open(KTRC_DEVICE, O_RDONLY | O_CLOEXEC);
	uint64_t all = 0;
	uint32_t cpu;

	snprintf(a.name, sizeof(a.name), "%s", name);
	if (fd < 0 || (ioctl(fd, KTRC_IOC_ATTACH, &a) && errno != ENOENT))
		err(1, "attach to look");
	if (ioctl(fd, KTRC_IOC_INFO, &i))
		i.nr_cpus = 0;
	for (cpu = 0; cpu < i.nr_cpus; cpu++) {
		size_t bytes = i.status_bytes + (size_t)i.packet_bytes * i.nr_packets;
		void *p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd,
			       (off_t)cpu << KTRC_MMAP_CPU_SHIFT);

		if (p == MAP_FAILED)
			err(1, "CPU %u", cpu);
		all = all * 31 + sum(p, bytes);
		munmap(p, bytes);
	}
	close(fd);
	return all;
}

static void list(uint8_t cmd, struct answer *all)
{
	struct request r;

	request_init(&r, genl.family, cmd, NLM_F_DUMP);
	transact(&genl, &r, all);
}

/* what "kept" has counted */
static void count(struct answer *all)
{
	struct request r;

	nest_end(&r, about(&r, KTRC_CMD_COUNTERS_GET, NLM_F_DUMP, "kept"));
	transact(&genl, &r, all);
}

static void look(struct view *v)
{
	list(KTRC_CMD_SESSION_GET, &v->sessions);
	list(KTRC_CMD_NAMES_GET, &v->names);
	v->counted.bytes = 0;
	v->recorded = 0;
	if (is_running("kept"))
		return;
	v->recorded = sum_rings("kept");
	count(&v->counted);
}

static bool is_same(const struct answer *a, const struct answer *b)
{
	return a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes);
}

static bool is_changed(const struct view *before)
{
	static struct view now;

	look(&now);
	return !is_same(&now.sessions, &before->sessions) || !is_same(&now.names, &before->names) ||
	       !is_same(&now.counted, &before->counted) || now.recorded != before->recorded;
}

static int fault(void)
{
	size_t bytes = 64 * 4096, at;
	char *page;

	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return errno;
	for (at = 0; at < bytes; at += 4096)
		page[at] = 1;
	munmap(page, bytes);
	return 0;
}

/* with something counted, or the next start has nothing to forget */
static int fault_and_stop(void)
{
	return fault() ?: stop();
}

/* Return: 0, or EIO if nothing is recorded */
static int record(void)
{
	static struct view before, after;
	int error;

	look(&before);
	error = start() ?: fault_and_stop();
	look(&after);
	if (error)
		return error;
	return is_same(&before.counted, &after.counted) || before.recorded == after.recorded ? EIO :
											       0;
}

/* ---- trying it ---- */

/*
 * In this order: each finds what the ones before have left; @undo takes back a success.  Without
 * it there is but a step between two ways, which is always made.
 */
static const struct row {
	const char *name;
	int (*try)(void);
	int (*undo)(void);
	uint32_t told; /* the kinds of notices that a success is told by */
} rows[] = {
	{ "open", open_device, close_device, 0 },
	{ "", open_device, NULL, 0 },
	{ "session_new", new_stopped, delete_new, 0 },
	{ "session_new running", new_running, delete_new, NOTICE(STARTED) },
	{ "session_new with every event", new_with_all, delete_new, NOTICE(STARTED) },
	{ "session_new of each family", new_of_family, delete_new, NOTICE(STARTED) },
	{ "session_new filtered", new_filtered, delete_new, NOTICE(STARTED) },
	{ "session_new bound", new_bound, reopen, 0 },
	{ "", new_stopped_with_all, NULL, 0 },
	{ "session_set start with every event", start_new, stop_new, NOTICE(STARTED) },
	{ "", start_new, NULL, 0 },
	{ "session_set stop with every event", stop_new, start_new, NOTICE(STOPPED) },
	{ "session_del with every event", delete_new, new_with_all,
	  NOTICE(STOPPED) | NOTICE(GONE) },
	{ "", delete_new, NULL, 0 },
	{ "", new_stopped, NULL, 0 },
	{ "session_del", delete_new, new_stopped, NOTICE(GONE) },
	{ "", delete_new, NULL, 0 },
	{ "", new_running, NULL, 0 },
	{ "session_del running", delete_new, new_running, NOTICE(STOPPED) | NOTICE(GONE) },
	{ "attach bound", attach_bound, reopen_and_make, 0 },
	{ "", attach_bound, NULL, 0 },
	{ "close bound", close_device, open_and_bind, NOTICE(STOPPED) | NOTICE(GONE) },
	{ "", reopen, NULL, 0 },
	{ "", replace, NULL, 0 },
	{ "", record, NULL, 0 },
	{ "session_new replace", replace, record, NOTICE(GONE) },
	{ "attach", attach, reopen, 0 },
	{ "", attach, NULL, 0 },
	{ "info", get_info, nothing, 0 },
	{ "", get_info, NULL, 0 },
	{ "mmap", map_ring, unmap_ring, 0 },
	{ "session_set start", start, fault_and_stop, NOTICE(STARTED) },
	{ "start", ioctl_start, fault_and_stop, NOTICE(STARTED) },
	{ "", start, NULL, 0 },
	{ "session_set stop", stop, start, NOTICE(STOPPED) },
	{ "stop", ioctl_stop, ioctl_start, NOTICE(STOPPED) },
	{ "consume", consume, nothing, 0 },
	{ "session_get", get_one, nothing, 0 },
	{ "session_get dump", dump_sessions, nothing, 0 },
	{ "schema_get", dump_schema, nothing, 0 },
	{ "counters_get", dump_counters, nothing, 0 },
	{ "names_get", dump_names, nothing, 0 },
	{ "", go_on_without_reader, NULL, 0 },
	{ "session_new beside one that records", new_beside, delete_new, NOTICE(STARTED) },
};

static void arm(int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", nth);

	/* to read the number may be what fails; then the next try does not */
	while (pwrite(nth_fd, text, len, 0) != len)
		if (errno != EFAULT)
			err(1, "fail-nth");
}

/* Whether what was armed has failed meanwhile. */
static bool disarm(void)
{
	char text[16] = "1";

	/* to copy the number is what fails if nothing did before */
	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0 && errno != EFAULT)
		err(1, "fail-nth");
	arm(0);
	return atoi(text) == 0;
}

static void expect_failure(const struct row *row, int nth, int error, const struct view *before)
{
	if (error != ENOMEM && error != EFAULT && error != ENOBUFS)
		errx(1, "%s: number %d: %s: %s", row->name, nth, strerror(error), answer.text);
	if (is_changed(before))
		errx(1, "%s: number %d: changed something, but: %s", row->name, nth,
		     strerror(error));
}

/* While a session runs this program's cgroup is among the names, or it is told that one is missing. */
static void expect_name(const struct row *row, int nth)
{
	static struct answer sessions, names;
	const struct nlattr *nest, *missed;

	if (!is_running("new") && !is_running("kept"))
		return;
	list(KTRC_CMD_SESSION_GET, &sessions);
	list(KTRC_CMD_NAMES_GET, &names);
	nest = find_attr(&sessions, KTRC_A_SESSION | NLA_F_NESTED);
	if (!nest || memmem(names.data, names.bytes, &own_cgroup, sizeof(own_cgroup)))
		return;
	missed = find_attr_of(nest, KTRC_A_SESSION_NAMES_MISSED);
	if (!missed || !*(const uint64_t *)((const char *)missed + NLA_HDRLEN))
		errx(1, "%s: number %d: no name of the cgroup, which is not told", row->name, nth);
}

/* The rest of an answer goes with the socket. */
static void ask_anew(void)
{
	close(genl.fd);
	if (genl_open(&genl))
		errx(1, "no socket");
}

/* What was done is told, if nothing failed meanwhile; what was not done never is. */
static void expect_notices(const struct row *row, int nth, bool is_done, bool is_hit)
{
	uint32_t told = notices_take(notices), wanted = is_done ? row->told : 0;

	if (is_hit ? told & ~wanted : told != wanted)
		errx(1, "%s: number %d: notices %#x, wanted %#x", row->name, nth, told, wanted);
}

/* "kept" runs on, whatever became of another session */
static void expect_recording(const struct row *row, int nth)
{
	static struct answer before, after;

	count(&before);
	if (fault())
		err(1, "pages to fault");
	count(&after);
	if (is_same(&before, &after))
		errx(1, "%s: number %d: a session that runs counts nothing more", row->name, nth);
}

/* With number @nth failing.  Return: whether there was one. */
static bool try_one(const struct row *row, int nth, int *failed)
{
	static struct view before;
	bool is_hit;
	int error;

	look(&before);
	notices_take(notices);
	is_answer_lost = false;
	arm(nth);
	error = row->try();
	is_hit = disarm();
	if (is_answer_lost)
		ask_anew();
	if (!is_hit && error)
		errx(1, "%s: fails by itself: %s: %s", row->name, strerror(error), answer.text);
	*failed += error != 0;
	if ((error == ENOBUFS || is_answer_lost) && is_changed(&before))
		error = 0; /* it is done */
	expect_notices(row, nth, !error, is_hit);
	if (error)
		expect_failure(row, nth, error, &before);
	else if (is_hit)
		expect_name(row, nth);
	if (row->try == new_beside)
		expect_recording(row, nth);
	if (!error && row->undo())
		errx(1, "%s: cannot be taken back after number %d", row->name, nth);
	return is_hit;
}

/* Return: how many there were */
static int try_all(const struct row *row, int *failed)
{
	int nth = first_place;

	while (nth <= last_place && try_one(row, nth, failed))
		nth++;
	if (nth > MOST)
		errx(1, "%s: there is no end", row->name);
	return nth - first_place;
}

static int try_families(const struct row *row, int *failed)
{
	int tried = 0;

	for (family = 0; family < NR_EVENTS; family++)
		if (events[family].is_family)
			tried += try_all(row, failed);
	return tried;
}

static void try_way(const struct row *row)
{
	time_t began = time(NULL);
	int failed = 0;
	int tried = row->try == new_of_family ? try_families(row, &failed) : try_all(row, &failed);

	printf("%s: %d of %d failed, %ld s\n", row->name, failed, tried,
	       (long)(time(NULL) - began));
}

static bool is_asked_for(const struct row *row, char **names)
{
	while (*names && strcmp(*names, row->name))
		names++;
	return *names;
}

static void list_ways(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].undo)
			puts(rows[i].name);
}

static uint64_t find_own_cgroup(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char path[256], full[300];
	struct stat st;

	if (!file || fscanf(file, "0::%255s", path) != 1)
		err(1, "no cgroup");
	fclose(file);
	snprintf(full, sizeof(full), "/sys/fs/cgroup%s", path);
	if (stat(full, &st))
		err(1, "%s", full);
	return st.st_ino;
}

int main(int argc, char **argv)
{
	char **ways = argv + 1;
	int error, asked = 0;
	size_t i;

	if (argc > 2 && !strcmp(argv[1], "-n")) {
		if (sscanf(argv[2], "%d-%d", &first_place, &last_place) != 2 || first_place < 1)
			errx(2, "usage: fail_nth -n FIRST-LAST: not %s", argv[2]);
		ways += 2;
	}
	if (!*ways) {
		list_ways();
		return 0;
	}
	error = genl_open(&genl);
	setlinebuf(stdout); /* it takes an hour */
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (error || nth_fd < 0)
		err(1, "no family ktrc, or no fail-nth");
	own_cgroup = find_own_cgroup();
	notices = notices_open(&genl);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		if (!row->undo) {
			error = row->try();
			if (error)
				errx(1, "preparing row %zu: %s", i, strerror(error));
		} else if (is_asked_for(row, ways)) {
			try_way(row);
			asked++;
		}
	}
	if (ways[asked])
		errx(2, "usage: fail_nth [-n FIRST-LAST] [WAY...]: only %d are ways", asked);
	return 0;
}
