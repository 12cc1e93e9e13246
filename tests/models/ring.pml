/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of kmod/ring.c and kmod/emit.c, one CPU and a live reader.
 *
 * A position is a slot; a packet is P slots: the first holds the books, the others a
 * record each, of which outermost writers leave SLACK to inner ones.  The ring has N
 * packets.  Writers nest like contexts: @lvl says who runs, and each S() is one
 * access to memory, before which a higher context may run from start to end.
 * A record has two halves, both its position + 1 when it is whole.
 *
 * -DSTREAM: drop the newest; else overwrite the oldest.
 * -DOFF: recording is switched off from another CPU at any time.
 * -DBUG_*: what each rule of the essay in ring.c is for; spin must find each.
 */
#ifndef N
#define N 2
#endif
#define P 3
#define SLACK 1

#ifndef TASK_HITS
#define TASK_HITS 2
#endif
#ifndef IRQ_HITS
#define IRQ_HITS 2
#endif
#ifndef NMI_HITS
#define NMI_HITS 0
#endif

#define IDLE 0
#define LEAF 1
#define CONTEXT(m) (m + 2)

byte head, end, writing;		/* struct ktrc_ring */
byte pub, tail, cons;		/* struct ktrc_status */
bool off;
byte hits, lost;		/* struct ktrc_count */
byte lo[N * P], hi[N * P];	/* records; of a first slot: the books, and position + 1 */
byte content[N];		/* content_bits of packet headers */

byte lvl, nr_ended;
#ifdef BUG_PREEMPT
#define NR_WRITERS 4
#else
#define NR_WRITERS 3
#endif

#define AT(pos) ((pos) % (N * P))
#define PACKET(pos) ((pos) / P)
#define S(m, x) atomic { (lvl == m) -> x }

inline write_record(m, pos)
{
	S(m, lo[AT(pos)] = pos + 1);
	S(m, hi[AT(pos)] = pos + 1)
}

/* ktrc_ring_leave() of the outermost writer; @writing is not idle */
inline publish(m)
{
	do
	:: S(m, h = head);
	   S(m, pub = h);
	   S(m, writing = IDLE);
#ifdef BUG_NO_RECHECK
	   break
#else
	   S(m, ok = (head == h));
	   if
	   :: ok -> break
	   :: else -> S(m, writing = CONTEXT(m))
	   fi
#endif
	od
}

/* ktrc_emit_fast(); @ok: done */
inline emit_fast(m)
{
	S(m, ok = (writing == IDLE && !off));
	if
	:: ok ->
	   S(m, h = head);
	   S(m, ok = (h < end));
	   if
	   :: ok ->
	      S(m, writing = LEAF);
	      S(m, if :: head == h -> head = h + 1 :: else -> ok = 0 fi);
	      if
	      :: ok ->
		 write_record(m, h);
		 S(m, hits++);
		 S(m, pub = h + 1);
		 S(m, writing = IDLE);
		 S(m, again = (head != h + 1));
		 if
		 :: again -> S(m, writing = LEAF); publish(m); ok = 1
		 :: else
		 fi
	      :: else -> S(m, writing = IDLE)
	      fi
	   :: else
	   fi
	:: else
	fi
}

/* plan_packet(): @ok: packet k may be opened, with the books in @books */
inline plan_packet(m)
{
	S(m, k = PACKET(h + P - 1); n = k * P + 2);
#ifdef STREAM
	S(m, ok = (k < N || cons >= (k - N + 1) * P));
#else
	ok = 1;
#ifndef BUG_TAIL_LATE
	S(m, if :: k >= N -> tail = (k - N + 1) * P :: else fi);
#endif
#endif
	if
	:: ok ->
#ifdef BUG_TORN_BOOKS
	   S(m, books = lost);
	   S(m, books = hits - books - 1)
#else
	   do
	   :: S(m, again = hits);
	      S(m, books = lost);
	      if
	      :: atomic { (lvl == m && again == hits) -> books = hits - books - 1 }; break
	      :: atomic { (lvl == m && again != hits) }
	      fi
	   od
#endif
	:: else
	fi
}

inline open_packet(m)
{
#ifdef BUG_TAIL_LATE
	S(m, if :: k >= N -> tail = (k - N + 1) * P :: else fi);
#endif
	S(m, if :: h > 0 -> content[PACKET(h - 1) % N] = h :: else fi);
	S(m, lo[AT(k * P)] = books);
	S(m, hi[AT(k * P)] = k * P + 1);
	S(m, end = (k + 1) * P - SLACK)
}

/* write(); counts the hit as lost if there is no room */
inline write_or_lose(m)
{
	do
	:: S(m, h = head);
	   S(m, n = h + 1;
		opens = (h % P == 0 || h % P >= (outer == IDLE -> P - SLACK : P)));
	   if
#ifndef BUG_NESTED_OPENS
	   :: opens && outer != IDLE -> ok = 0
	   :: opens && outer == IDLE -> plan_packet(m)
#else
	   :: opens -> plan_packet(m)
#endif
	   :: !opens -> ok = 1
	   fi;
	   if
	   :: !ok -> S(m, lost++); break
	   :: else
	   fi;
	   S(m, if :: head == h -> head = n :: else -> ok = 0 fi);
	   if
#ifdef BUG_PUBLISH_EARLY
	   :: ok && outer == IDLE -> S(m, pub = n); if :: opens -> open_packet(m) :: else fi;
	      write_record(m, n - 1); break
	   :: ok && outer != IDLE ->
#else
	   :: ok ->
#endif
	      if :: opens -> open_packet(m) :: else fi; write_record(m, n - 1); break
	   :: !ok
	   fi
	od
}

/* ktrc_emit_slow() */
inline emit_slow(m)
{
	S(m, outer = writing);
#ifdef BUG_HIT_FIRST
	S(m, hits++);
	S(m, writing = CONTEXT(m));
	write_or_lose(m);
#else
	S(m, writing = CONTEXT(m));
	S(m, ok = !off);
	if
	:: ok -> S(m, hits++); write_or_lose(m); ok = 1
	:: else
	fi;
#endif
	if
#ifdef BUG_OFF_LEAVES
	:: !ok -> S(m, writing = outer)
	:: ok && outer != IDLE -> S(m, writing = outer)
	:: ok && outer == IDLE -> publish(m)
#elif defined(BUG_NESTED_PUBLISHES)
	:: outer != IDLE -> S(m, h = head); S(m, pub = h); S(m, writing = outer)
	:: outer == IDLE -> publish(m)
#else
	:: outer != IDLE -> S(m, writing = outer)
	:: outer == IDLE -> publish(m)
#endif
	fi
}

inline emit(m)
{
	emit_fast(m);
	if
	:: ok
	:: else -> emit_slow(m)
	fi
}

#define WRITER_LOCALS \
	byte i, h, n, k, books, outer, again; bool ok, opens

/* between hits, so that states that differ only in what nobody reads any more are one */
#define FORGET h = 0; n = 0; k = 0; books = 0; outer = 0; again = 0; ok = 0; opens = 0

active proctype task()
{
	WRITER_LOCALS;

	do
	:: i < TASK_HITS -> emit(0); atomic { (lvl == 0) -> i++; FORGET }
	:: else -> break
	od;
	atomic { (lvl == 0) -> nr_ended++ }
}

active proctype irq()
{
	WRITER_LOCALS;

	do
	:: i < IRQ_HITS -> atomic { (lvl == 0) -> lvl = 1 }; emit(1); atomic { (lvl == 1) -> lvl = 0; i++; FORGET }
	:: else -> break
	od;
	nr_ended++
}

active proctype nmi()
{
	WRITER_LOCALS;
	byte below;

	do
	:: i < NMI_HITS ->
	   atomic { (lvl < 2) -> below = lvl; lvl = 2 };
	   emit(2);
	   atomic { (lvl == 2) -> lvl = below; below = 0; i++; FORGET }
	:: else -> break
	od;
	nr_ended++
}

#ifdef BUG_PREEMPT
/* a second task, to and from which the scheduler may switch at any step */
active proctype task_2()
{
	WRITER_LOCALS;

	emit(4);
	atomic { (lvl == 4) -> lvl = 0; nr_ended++ }
}

active proctype scheduler()
{
	do
	:: atomic { (lvl == 0 && nr_ended < NR_WRITERS - 1) -> lvl = 4 }
	:: atomic { (lvl == 4) -> lvl = 0 }
	:: (nr_ended >= NR_WRITERS - 1) -> break
	od
}
#endif

#ifdef OFF
active proctype control()
{
	off = 1
}
#endif

/* Every record is read once; the books of each packet say how many stand before it. */
#ifdef STREAM
active proctype reader()
{
	byte pos, p, seen, e;

	do
	:: cons < pub ->
	   p = pub;
	   do
	   :: pos < p ->
	      d_step {
		e = (p > (PACKET(pos) + 1) * P -> content[PACKET(pos) % N] : p);
		if
		:: pos == e -> pos = (PACKET(pos) + 1) * P
		:: else ->
		   assert(hi[AT(pos)] == pos + 1);
		   assert(lo[AT(pos)] == (pos % P -> pos + 1 : seen));
		   if :: pos % P -> seen++ :: else fi;
		   pos++
		fi
	      }
	   :: else -> break
	   od;
	   cons = pos
	:: nr_ended == NR_WRITERS && cons == pub -> break
	od;
	assert(pub == head && writing == IDLE);
	assert(seen + lost == hits);
#ifndef OFF
	assert(hits == TASK_HITS + IRQ_HITS + NMI_HITS + (NR_WRITERS - 3))
#endif
}
#else
/*
 * The copy of a record counts if tail has not passed it afterwards.  Each step here is
 * one access to what the writers share.
 */
active proctype reader()
{
	byte pos, p, e, a, b, seen;

	do
	:: atomic { pos < pub -> p = pub };
	   atomic { if :: pos < tail -> pos = tail :: else fi };
	   atomic { e = (p > (PACKET(pos) + 1) * P -> content[PACKET(pos) % N] : p); p = 0 };
	   if
	   :: pos < e ->
	      atomic { a = lo[AT(pos)]; e = 0 };
	      b = hi[AT(pos)];
	      atomic {
		if
		:: pos >= tail -> assert(b == pos + 1 && (pos % P == 0 || a == pos + 1))
		:: else
		fi;
		a = 0; b = 0; pos++
	      }
	   :: else -> e = 0; pos = (PACKET(pos) + 1) * P
	   fi
	:: nr_ended == NR_WRITERS && pos >= pub -> break
	od;
	atomic {
		assert(pub == head && writing == IDLE);
		pos = tail;
		if :: head > 0 -> seen = lo[AT(pos)]; assert(hi[AT(pos)] == pos + 1) :: else fi;
		do
		:: pos < head ->
		   e = (head > (PACKET(pos) + 1) * P -> content[PACKET(pos) % N] : head);
		   if
		   :: pos == e -> pos = (PACKET(pos) + 1) * P
		   :: else ->
		      assert(hi[AT(pos)] == pos + 1 && (pos % P == 0 || lo[AT(pos)] == pos + 1));
		      assert(pos % P || lo[AT(pos)] == seen);
		      if :: pos % P -> seen++ :: else fi;
		      pos++
		   fi
		:: else -> break
		od;
		assert(seen + lost == hits)
	}
#ifndef OFF
	assert(hits == TASK_HITS + IRQ_HITS + NMI_HITS + (NR_WRITERS - 3))
#endif
}
#endif
