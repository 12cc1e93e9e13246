/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture: everything a view needs to know about a recording, whether it is
 * read from a live session or from a saved trace.
 */
#ifndef KTRC_CAPTURE_H
#define KTRC_CAPTURE_H

#include "clock.h"
#include "code.h"
#include "device.h"
#include "mapped.h"
#include "nl.h"
#include "quota.h"
#include "reader.h"
#include "vmstat.h"

/**
 * struct ktrc_stream - one CPU's packets, closed and whole
 * @cpu: the CPU
 * @bytes: the packets; NULL if they are in a file
 * @len: their length
 * @saved_len: length the trace says the file had; @len in a live capture
 * @is_file: they are in a file, which may get shorter at any time
 * @fd: the file
 */
struct ktrc_stream {
	u32 cpu;
	u8 *bytes;
	size_t len;
	u64 saved_len;
	bool is_file;
	int fd;
};

/**
 * struct ktrc_capture - a recording
 * @schema: what its records mean
 * @session: the session, as it was when captured
 * @clock: its clock
 * @start_ticks: when recording started; 0: never
 * @end_ticks: when it stopped, or when it was captured
 * @uuid: the session's
 * @schema_version: KTRC_SCHEMA of the module
 * @nr_cpus: CPU numbers are below this
 * @nr_online: CPUs online when captured
 * @nr_packets: packets in each ring
 * @is_saved: it comes from a trace
 * @is_cut: reading ended before the records of a stopped session did, or at a full
 *	disk: the rest was left in the session, or is gone
 * @is_unfinished: the tool that was saving it did not come to the end
 * @lost_since: hits of each event lost after @after was read, as the packets tell
 * @host: name of the machine
 * @kernel: its kernel's release
 * @before: counters before the rings were copied
 * @after: counters after that
 * @base: the kernel's own counters at start and stop, as far as they are known
 * @names: of cgroups
 * @quotas: of cgroups, where throttling is recorded
 * @symbols: the kernel's functions, once they were asked for; of a saved trace those in its stacks
 * @code: what user stacks lead through, once it was asked for
 * @mapped: what processes had mapped when the window began, if it was asked for in time
 * @followed_ticks: while following: when the window begins before which something was mapped; 0: nobody
 *	looked
 * @settled_ticks: every CPU's records until then are among those captured
 * @streams: the packets; empty while following
 * @nr_streams: their number
 * @read_error: -errno with which a file could not be read before @reader was started; 0: none
 * @read_error_cpu: of whose file
 * @reader: yields the records
 * @trace: where the same can be read again: a directory; "" if nowhere; NULL if
 *	in the session
 */
struct ktrc_capture {
	struct ktrc_schema *schema;
	struct ktrc_session session;
	struct ktrc_timebase clock;
	u64 start_ticks;
	u64 end_ticks;
	u8 uuid[16];
	u32 schema_version;
	u32 nr_cpus;
	u32 nr_online;
	u32 nr_packets;
	bool is_saved;
	bool is_cut;
	bool is_unfinished;
	u64 lost_since[KTRC_MAX_EVENTS];
	char host[65];
	char kernel[65];
	struct ktrc_counter_set before;
	struct ktrc_counter_set after;
	struct ktrc_base base;
	struct ktrc_names names;
	struct ktrc_quotas quotas;
	struct ktrc_symbols symbols;
	struct ktrc_code code;
	struct ktrc_mapped mapped;
	u64 followed_ticks;
	u64 settled_ticks;
	struct ktrc_stream *streams;
	size_t nr_streams;
	int read_error;
	u32 read_error_cpu;
	struct ktrc_reader *reader;
	const char *trace;
};

struct ktrc_capture *ktrc_capture_create(void);
void ktrc_capture_destroy(struct ktrc_capture *capture);
void ktrc_cleanup_capture(struct ktrc_capture **capture);
#define __ktrc_capture KTRC_CLEANUP(ktrc_cleanup_capture)

/**
 * ktrc_capture_describe() - all but the records of a live session
 * @nl: control
 * @dev: attached to the session; its rings get mapped
 * @capture: set; its reader has no streams yet
 */
int ktrc_capture_describe(struct ktrc_nl *nl, struct ktrc_device *dev,
			  struct ktrc_capture **capture, struct ktrc_error *err);

/** ktrc_capture_refresh() - counters, state and end of a live session, as they are now */
int ktrc_capture_refresh(struct ktrc_capture *capture, struct ktrc_nl *nl, struct ktrc_device *dev,
			 struct ktrc_error *err);

/**
 * ktrc_capture_keep_mapped() - before it is stopped: look at what its processes have mapped, and keep that
 * @nl: control
 * @dev: attached to the session
 *
 * Nothing is kept of a session that does not record what changes there, holds much, or has stopped
 * meanwhile.  Takes a second at most, and what it takes to look through the rings.
 */
int ktrc_capture_keep_mapped(struct ktrc_nl *nl, struct ktrc_device *dev, struct ktrc_error *err);
void ktrc_capture_forget_mapped(const char *session);

/**
 * ktrc_capture_live() - a copy of what a session holds now, consuming nothing
 * @nl: control
 * @dev: attached to the session
 * @with_mapped: @mapped as well, of one that records what changes there
 * @capture: set
 */
int ktrc_capture_live(struct ktrc_nl *nl, struct ktrc_device *dev, bool with_mapped,
		      struct ktrc_capture **capture, struct ktrc_error *err);

/**
 * ktrc_capture_look_first() - before its records are followed: fill @mapped
 * @capture: described
 * @nl: control
 * @dev: attached to the session
 *
 * With all that all processes have, as nobody knows what will be recorded.  Nothing is looked at where the session
 * does not record what changes there, or holds more than can be looked through in passing.  Takes five seconds at most,
 * or until a ring is half full, and what it takes to look through the rings.
 */
int ktrc_capture_look_first(struct ktrc_capture *capture, struct ktrc_nl *nl,
			    struct ktrc_device *dev, struct ktrc_error *err);

/**
 * ktrc_capture_load_mapped() - fill @mapped by what records tell, and a look at processes
 * @capture: copied after the look, with its reader
 * @look: the look; NULL: nobody took one
 * @look_ticks: before it began; unless all records since then are there, it is of no use: what is not
 *	may have changed what was seen
 */
int ktrc_capture_load_mapped(struct ktrc_capture *capture, struct ktrc_mapped_look *look,
			     u64 look_ticks, struct ktrc_error *err);

/** ktrc_capture_has_stacks() - does a record of its session have one */
bool ktrc_capture_has_stacks(const struct ktrc_capture *capture);

/** ktrc_capture_has_copies() - whether any event records copies of user stacks */
bool ktrc_capture_has_copies(const struct ktrc_capture *capture);

/** ktrc_capture_is_copied() - whether a record's user stack was to be copied; of 32-bit programs none is there */
bool ktrc_capture_is_copied(const struct ktrc_capture *capture, const struct ktrc_record *record);

/**
 * ktrc_capture_unwound() - where the copy of a record's user stack leads
 *
 * Return: NULL if there is no copy, or nobody knows.
 */
const struct ktrc_stack *ktrc_capture_unwound(const struct ktrc_capture *capture,
					      const struct ktrc_record *record);

/**
 * ktrc_capture_need_symbols() - fill @symbols if there are stacks
 * @capture: not yet, or from a trace
 * @with_code: @code as well
 *
 * Return: 0 or -ENOMEM.
 */
int ktrc_capture_need_symbols(struct ktrc_capture *capture, bool with_code);

/** ktrc_capture_look_through() - all streams */
void ktrc_capture_look_through(const struct ktrc_capture *capture, struct ktrc_seen *seen);
/** ktrc_capture_drop_streams() - forget them; the reader must not read on */
void ktrc_capture_drop_streams(struct ktrc_capture *capture);

/** ktrc_capture_start_reader() - feed the streams to a new reader */
int ktrc_capture_start_reader(struct ktrc_capture *capture, struct ktrc_error *err);

/** ktrc_capture_window_start() - ticks since when every CPU's records are all there */
u64 ktrc_capture_window_start(const struct ktrc_capture *capture);

/** ktrc_capture_window_ticks() - length of the window from @start_ticks; 0 if it would end before, as in a damaged trace */
u64 ktrc_capture_window_ticks(const struct ktrc_capture *capture, u64 start_ticks);

/** ktrc_capture_percent() - time as a share of the window from @start_ticks; threads add up */
double ktrc_capture_percent(const struct ktrc_capture *capture, u64 start_ticks, u64 ticks);

/** ktrc_capture_event() - an event that the session records, by its label; NULL if it does not */
const struct ktrc_event *ktrc_capture_event(const struct ktrc_capture *capture, const char *label);

/** ktrc_capture_weight() - hits that one of its records stands for; 1 if @event is NULL */
u32 ktrc_capture_weight(const struct ktrc_capture *capture, const struct ktrc_event *event);

/**
 * ktrc_capture_has_all() - does the session make a record of every hit of an event
 * @capture: of the session
 * @event: the event; of NULL it does not
 *
 * Hits that were lost, and those of tasks that the session leaves out, aside.
 */
bool ktrc_capture_has_all(const struct ktrc_capture *capture, const struct ktrc_event *event);

/* Events of each change of what processes have mapped, and of which processes there are; up to NULL. */
extern const char *const ktrc_mapping_labels[];

/** ktrc_capture_has_mappings() - does the session record all that struct ktrc_spaces takes; none was lost */
bool ktrc_capture_has_mappings(const struct ktrc_capture *capture);
/** ktrc_capture_lost_of() - hits of an event that were lost, as far as that is known */
u64 ktrc_capture_lost_of(const struct ktrc_capture *capture, const struct ktrc_event *event);

/** ktrc_capture_lost_mappings() - how much of that was lost */
u64 ktrc_capture_lost_mappings(const struct ktrc_capture *capture);

/** ktrc_capture_lost() - hits lost, all events, CPUs and reasons */
u64 ktrc_capture_lost(const struct ktrc_capture *capture);

/** ktrc_capture_damage() - what of it could not be decoded so far, with what its files lack at their ends */
struct ktrc_damage ktrc_capture_damage(const struct ktrc_capture *capture);

/** ktrc_capture_keep_error() - @error is that of a read of the file of @cpu; the first one is kept */
void ktrc_capture_keep_error(struct ktrc_capture *capture, int error, u32 cpu);

/** ktrc_capture_read_error() - 0, or -errno of the first read of a file of the trace that failed */
int ktrc_capture_read_error(const struct ktrc_capture *capture, struct ktrc_error *err);

/** ktrc_capture_is_whole() - none of it is damaged or missing, as far as it was read; hits that were lost aside */
bool ktrc_capture_is_whole(const struct ktrc_capture *capture);

#endif
