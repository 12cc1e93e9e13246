/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page fault tracepoints, which x86 alone has, and its error code bits.
 * Their header moved from asm/trace/ to trace/events/ between 6.12 and 7.2.
 */
#ifndef KTRC_COMPAT_EXCEPTIONS_H
#define KTRC_COMPAT_EXCEPTIONS_H

#include <asm/trap_pf.h>

#include "have.h"

#ifdef KTRC_HAVE_ASM_TRACE_EXCEPTIONS
#include <asm/trace/exceptions.h>
#else
#include <trace/events/exceptions.h>
#endif

#endif /* KTRC_COMPAT_EXCEPTIONS_H */
