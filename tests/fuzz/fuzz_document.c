// SPDX-License-Identifier: GPL-2.0-or-later
/* ktrc.json alone: schema, session, counters, names.  An input: options, the text. */
#include "../../userspace/lib/cleanup.h"
#include "../../userspace/lib/json.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	__ktrc_capture struct ktrc_capture *capture = ktrc_capture_create();
	__ktrc_json json_t *document = NULL;
	json_error_t where;
	struct ktrc_error err;

	if (size < FUZZ_OPTIONS_BYTES)
		return 0;
	document = json_loadb((const char *)data + FUZZ_OPTIONS_BYTES, size - FUZZ_OPTIONS_BYTES,
			      JSON_REJECT_DUPLICATES, &where);
	if (!document || ktrc_capture_from_json(capture, document, &err) < 0 ||
	    ktrc_capture_start_reader(capture, &err) < 0)
		return 0;
	fuzz_save_again(capture);
	fuzz_read(capture, fuzz_options(data));
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	if (fuzz_mutate_input(data, &size, max, &seed))
		return size;
	return FUZZ_OPTIONS_BYTES + fuzz_mutate_document(data + FUZZ_OPTIONS_BYTES,
							 size - FUZZ_OPTIONS_BYTES,
							 max - FUZZ_OPTIONS_BYTES, seed);
}
