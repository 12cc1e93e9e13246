// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorted once; an address belongs to the last function that begins before it, if that reaches so far. */
#include "symbols.h"

#include <errno.h>
#include <stdio.h>

#include "array.h"
#include "cleanup.h"
#include "json.h"

/* No function is longer; what no other one follows so soon ends with its page, behind it may be anything. */
#define MAX_BYTES (1u << 16)
#define PAGE_BYTES 4096
#define NAME_ROOM 512

/* By which the kernel comes from what is hooked to the hook; of tracepoints see is_hook(). */
static const char *const hook_functions[] = {
	"kretprobe_rethook_handler",
	"rethook_trampoline_handler",
	"arch_rethook_trampoline_callback",
	"arch_rethook_trampoline",
	"__kretprobe_trampoline_handler",
	"trampoline_handler",
	"__kretprobe_trampoline",
	"kretprobe_trampoline",
	"kprobe_ftrace_handler",
	"opt_pre_handler",
	"optimized_callback",
	"kprobe_int3_handler",
	"asm_exc_int3",
	"exc_int3",
	"do_int3",
	"ftrace_trampoline",
	"ftrace_call",
	"ftrace_caller",
	"ftrace_regs_call",
	"ftrace_regs_caller",
	"ftrace_ops_assist_func",
	"ftrace_ops_list_func",
	"arch_ftrace_ops_list_func",
};

static void release(struct ktrc_symbol *symbol)
{
	free(symbol->name);
	free(symbol->module);
}

/* A program may call its functions what it likes. */
static char *plain_copy(const char *name)
{
	char *copy = strdup(name);

	for (char *c = copy; copy && *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '?';
	return copy;
}

int ktrc_symbols_add(struct ktrc_symbols *symbols, const struct ktrc_symbol *function)
{
	struct ktrc_symbol *symbol = ktrc_array_push(symbols->rows, symbols->nr);

	if (!symbol)
		return -ENOMEM;
	symbol->begin = function->begin;
	symbol->end = function->end;
	symbol->name = plain_copy(function->name);
	symbol->module = function->module ? plain_copy(function->module) : NULL;
	if (symbol->name && (symbol->module || !function->module))
		return 0;
	release(symbol);
	symbols->nr--;
	return -ENOMEM;
}

/* "ffffffff81000000 T _text", and a tab and "[module]" behind what is not the kernel's own. */
static int add_line(struct ktrc_symbols *symbols, const char *line)
{
	char name[NAME_ROOM], module[64] = "";
	unsigned long long address;
	char kind;

	/* addresses are zero where they are hidden */
	if (sscanf(line, "%llx %c %511s [%63[^]]]", &address, &kind, name, module) < 3 ||
	    !address || !strchr("tTwW", kind))
		return 0;
	return ktrc_symbols_add(symbols, &(struct ktrc_symbol){ address, address + MAX_BYTES, name,
								*module ? module : NULL });
}

/* Of several names for one address the best comes first: the shorter one, as without underscores. */
static int by_address(const void *a, const void *b)
{
	const struct ktrc_symbol *x = a, *y = b;
	size_t x_len = strlen(x->name), y_len = strlen(y->name);

	if (x->begin != y->begin)
		return (x->begin > y->begin) - (x->begin < y->begin);
	return x_len != y_len ? (x_len > y_len) - (x_len < y_len) : strcmp(x->name, y->name);
}

void ktrc_symbols_sort(struct ktrc_symbols *symbols)
{
	struct ktrc_symbol *rows = symbols->rows;
	size_t nr = 0;

	if (!symbols->nr)
		return;
	qsort(rows, symbols->nr, sizeof(*rows), by_address);
	for (size_t i = 1; i < symbols->nr; i++) {
		if (rows[i].begin == rows[nr].begin)
			release(&rows[i]);
		else
			rows[++nr] = rows[i];
	}
	symbols->nr = nr + 1;
	for (size_t i = 0; i < nr; i++)
		if (rows[i + 1].begin < rows[i].end)
			rows[i].end = rows[i + 1].begin;
}

static void end_with_page(struct ktrc_symbol *symbol)
{
	if (symbol->end - symbol->begin == MAX_BYTES)
		symbol->end = (symbol->begin | (PAGE_BYTES - 1)) + 1;
}

int ktrc_symbols_load(struct ktrc_symbols *symbols)
{
	__ktrc_file FILE *file = fopen("/proc/kallsyms", "re");
	__ktrc_free char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (!file)
		return 0;
	while (ret == 0 && getline(&line, &room, file) > 0)
		ret = add_line(symbols, line);
	ktrc_symbols_sort(symbols);
	for (size_t i = 0; i < symbols->nr; i++)
		end_with_page(&symbols->rows[i]);
	return ret;
}

void ktrc_symbols_release(struct ktrc_symbols *symbols)
{
	for (size_t i = 0; i < symbols->nr; i++)
		release(&symbols->rows[i]);
	free(symbols->rows);
	*symbols = (struct ktrc_symbols){ 0 };
}

const struct ktrc_symbol *ktrc_symbols_caller(const struct ktrc_symbols *symbols, u64 address)
{
	size_t nr = ktrc_array_before(symbols->rows, symbols->nr, address);

	/* what never returns may be called by a function's last instruction */
	return nr && address - 1 < symbols->rows[nr - 1].end ? &symbols->rows[nr - 1] : NULL;
}

static bool is_hook(const struct ktrc_symbol *symbol)
{
	if (strncmp(symbol->name, "__traceiter_", strlen("__traceiter_")) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(hook_functions); i++)
		if (strcmp(symbol->name, hook_functions[i]) == 0)
			return true;
	return false;
}

u32 ktrc_symbols_skip(const struct ktrc_symbols *symbols, const struct ktrc_stack *stack)
{
	const struct ktrc_symbol *symbol;
	u32 nr = 0;

	/* what has no name lies between them: the code that the function tracer makes for a hook */
	for (u32 i = 0; i < stack->nr; i++) {
		symbol = ktrc_symbols_caller(symbols, stack->frames[i]);
		if (symbol && !is_hook(symbol))
			break;
		if (symbol)
			nr = i + 1;
	}
	return nr < stack->nr ? nr : 0;
}

static json_t *row_to_json(const struct ktrc_symbol *symbol)
{
	return json_pack("{s:I, s:I, s:s, s:s?}", "begin", (json_int_t)symbol->begin, "end",
			 (json_int_t)symbol->end, "name", symbol->name, "module", symbol->module);
}

json_t *ktrc_symbols_to_json(const struct ktrc_symbols *symbols, const struct ktrc_index *callers)
{
	__ktrc_free bool *is_used = calloc(symbols->nr + 1, sizeof(*is_used));
	const struct ktrc_symbol *symbol;
	json_t *rows = json_array();

	for (size_t i = 0; is_used && callers && i < callers->nr_slots; i++) {
		symbol = callers->slots[i].is_used ?
				 ktrc_symbols_caller(symbols, callers->slots[i].a) :
				 NULL;
		if (symbol)
			is_used[symbol - symbols->rows] = true;
	}
	for (size_t i = 0; is_used && i < symbols->nr; i++)
		if (is_used[i] || !callers)
			json_array_append_new(rows, row_to_json(&symbols->rows[i]));
	return rows;
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static int add_row(struct ktrc_symbols *symbols, const json_t *row)
{
	const json_t *begin = json_object_get(row, "begin"), *end = json_object_get(row, "end");
	const char *name = ktrc_json_text(row, "name"), *module = ktrc_json_text(row, "module");
	u64 last = symbols->nr ? symbols->rows[symbols->nr - 1].end : 0;

	if (!json_is_integer(begin) || !json_is_integer(end) || !name || !is_plain(name) ||
	    !(ktrc_json_fits(row, "{s?s}", "module") || ktrc_json_fits(row, "{s:n}", "module")) ||
	    (module && !is_plain(module)) || (u64)json_integer_value(begin) < last ||
	    (u64)json_integer_value(end) <= (u64)json_integer_value(begin))
		return -EPROTO;
	return ktrc_symbols_add(symbols, &(struct ktrc_symbol){ (u64)json_integer_value(begin),
								(u64)json_integer_value(end),
								(char *)name, (char *)module });
}

int ktrc_symbols_from_json(struct ktrc_symbols *symbols, const json_t *rows)
{
	const json_t *row;
	int ret = 0;
	size_t i;

	if (rows && !json_is_array(rows))
		return -EPROTO;
	json_array_foreach(rows, i, row) {
		ret = add_row(symbols, row);
		if (ret < 0)
			break;
	}
	return ret;
}
