// SPDX-License-Identifier: GPL-2.0-or-later
/* A JSON text with one value changed: bytes changed at random would seldom leave it one. */
#include <stdint.h>
#include <stdlib.h>

#include "../../userspace/lib/cleanup.h"
#include "../../userspace/lib/json.h"
#include "fuzz.h"

/* Where a value stands. */
struct place {
	json_t *parent;
	const char *key; /* in an object */
	size_t index; /* in an array */
};

/* Any place is picked with the same chance: the n-th that is seen with one in n. */
struct picker {
	struct place at;
	unsigned int seed;
	unsigned int nr;
};

static u32 pick(struct picker *picker, u32 nr)
{
	return (u32)rand_r(&picker->seed) % nr;
}

static void see(struct picker *picker, json_t *parent)
{
	struct place place = { .parent = parent };
	json_t *value;

	if (json_is_array(parent)) {
		json_array_foreach(parent, place.index, value) {
			if (pick(picker, ++picker->nr) == 0)
				picker->at = place;
			see(picker, value);
		}
	} else if (json_is_object(parent)) {
		json_object_foreach(parent, place.key, value) {
			if (pick(picker, ++picker->nr) == 0)
				picker->at = place;
			see(picker, value);
		}
	}
}

static struct place any_place(struct picker *picker, json_t *document)
{
	picker->nr = 0;
	see(picker, document);
	return picker->at;
}

static json_t *value_at(const struct place *place)
{
	return place->key ? json_object_get(place->parent, place->key) :
			    json_array_get(place->parent, place->index);
}

static json_t *any_integer(struct picker *picker, const json_t *old)
{
	static const json_int_t odd[] = { 0,	      1,	 -1,	    7,	       8,
					  63,	      64,	 65,	    4096,      4097,
					  UINT32_MAX, 1ll << 32, INT64_MAX, INT64_MIN, 1000000000,
					  1ll << 62,  1ll << 40 };

	if (json_is_integer(old) && pick(picker, 2))
		return json_integer(
			(json_int_t)((u64)json_integer_value(old) + pick(picker, 65) - 32));
	return json_integer(odd[pick(picker, ARRAY_SIZE(odd))]);
}

static json_t *any_text(struct picker *picker)
{
	static const char *const words[] = {
		"",	   "fault",   "fault.light", "reclaim",	     "reclaim.begin", "task",
		"counts",  "packet",  "task_ref",    "unknown",	     "stopped",	      "running",
		"flight",  "stream",  "deleted",     "tsc",	     "mono",	      "text",
		"enum",	   "pad",     "ticks",	     "gfp",	     "cgid",	      "direct",
		"/a/b\n",  "6.1.0-1", "5.4.0",	     "\"\\\xc3\xa4", "dur",	      "kind",
		"\x1b[2J",
	};
	char text[300];
	size_t len = pick(picker, sizeof(text));

	if (pick(picker, 4))
		return json_string(words[pick(picker, ARRAY_SIZE(words))]);
	memset(text, 'a' + (int)pick(picker, 26), sizeof(text));
	text[len] = '\0';
	return json_string(text);
}

static json_t *any_value(struct picker *picker, json_t *document, const json_t *old)
{
	struct place other;

	switch (pick(picker, 8)) {
	case 0:
		return json_null();
	case 1:
		return json_array();
	case 2:
		return json_real(1e30);
	case 3:
		other = any_place(picker, document);
		return json_deep_copy(value_at(&other));
	case 4:
	case 5:
		return any_text(picker);
	default:
		return any_integer(picker, old);
	}
}

static void change(struct picker *picker, json_t *document)
{
	struct place place = any_place(picker, document);
	json_t *value = any_value(picker, document, value_at(&place));

	if (pick(picker, 6) == 0) {
		json_decref(value);
		if (place.key)
			json_object_del(place.parent, place.key);
		else
			json_array_remove(place.parent, place.index);
	} else if (place.key) {
		json_object_set_new(place.parent, place.key, value);
	} else if (pick(picker, 3) == 0) {
		json_array_insert_new(place.parent, place.index, value);
	} else {
		json_array_set_new(place.parent, place.index, value);
	}
}

static json_int_t integer_at(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* The fields of an event one after the other again, and its size theirs, in words. */
static void lay_out(json_t *event)
{
	json_t *fields = json_object_get(event, "fields"), *field;
	json_int_t bits = 0;
	size_t i;

	json_array_foreach(fields, i, field) {
		json_object_set_new(field, "offset_bits", json_integer(bits));
		bits += integer_at(field, "width_bits") & 0xffff;
	}
	if (bits % 32)
		json_array_append_new(fields, json_pack("{s:I, s:I, s:s, s:s}", "offset_bits", bits,
							"width_bits", 32 - bits % 32, "name",
							"rest", "format", "count"));
	json_object_set_new(event, "bytes", json_integer((bits + 31) / 32 * 4));
}

/* Most changes of a field's width would otherwise only show that its event is refused. */
static void repair(json_t *document)
{
	json_t *events = json_object_get(json_object_get(document, "schema"), "events"), *event;
	size_t i;

	json_array_foreach(events, i, event)
		if (json_is_object(event))
			lay_out(event);
}

size_t fuzz_mutate_document(u8 *data, size_t size, size_t max, unsigned int seed)
{
	__ktrc_json json_t *document = json_loadb((const char *)data, size, 0, NULL);
	struct picker picker = { .seed = seed };
	size_t len;

	if (pick(&picker, 16) == 0 || json_object_size(document) == 0)
		return LLVMFuzzerMutate(data, size, max);
	for (u32 nr = 1 + pick(&picker, 3); nr && json_object_size(document); nr--)
		change(&picker, document);
	if (pick(&picker, 2))
		repair(document);
	__ktrc_free char *text = json_dumps(document, JSON_COMPACT);

	len = text ? strlen(text) : 0;
	if (!len || len > max)
		return LLVMFuzzerMutate(data, size, max);
	memcpy(data, text, len);
	return len;
}
