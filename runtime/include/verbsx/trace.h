/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TRACE_H
#define VERBSX_TRACE_H

/**
 * @file
 * What libverbsx asks of rdma-core, call by call, as strace(1) shows it of the kernel:
 *
 *   ibv_alloc_pd(context=mlx5_0) = mlx5_0 pd 2 <0.000031>
 *
 * The environment variable VERBSX_TRACE does it without a change of the program: 1 is standard error, 0 is off, other
 * numbers are refused, and anything else is a file that is appended to, in whose name %p is the number of the process. It is
 * made for its owner alone, and a symbolic link is refused. A program that is setuid ignores the variable.
 *
 * Structures show what counts by their masks, what a call fills is shown when it succeeded, calls that only look for the
 * reason of a failure are indented, and threads but the first begin with their number.
 *
 * Calls of the data path are shown where VERBSX_TRACE_DATA is 1 as well; another number shows only so many of each object, the first:
 *
 *   ibv_wr(qp=mlx5_0 qp 261) rdma_write(wr_id=0x7, wr_flags=IBV_SEND_SIGNALED, ...) set_sge(...) = 0 <0.000000092>
 *   ibv_poll_cq(cq=mlx5_0 cq 3, num_entries=1, wc=[{wr_id=0x7 ...}]) = 1 <0.000000061> (1742 empty polls before)
 *
 * Where it is not, nothing is there that could show them: they cost what they cost without tracing. Polls that find nothing are
 * counted alone, and what a checked QP refuses (verbsx/guard.h) makes no call. What a program calls of rdma-core itself, with what
 * vx_KIND_raw() gives, is not shown, nor are WQs, what was adopted, and the requests of verbsx/mlx5_wr.h.
 *
 * All functions here are thread-safe. A call that is under way in another thread may still be shown the old way.
 */

#include <stdbool.h>
#include <stdint.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A call of rdma-core that has returned. It lives as long as the function that it is given to runs. Later releases may append
 * fields; a program that knows more of them than the library finds them 0.
 */
struct vx_trace_call {
	const char *call;	/**< its name, such as "ibv_alloc_pd" */
	const char *line;	/**< all of it as text, without a newline */
	int64_t result;		/**< what it returned; a pointer as a number, 0 where it returns nothing */
	int code;		/**< 0, or the negative errno that it failed with */
	bool aside;		/**< it only looks for the reason of a failure */
	uint64_t start;		/**< when it began, in ns since 1970 */
	uint64_t duration;	/**< how long it took, in ns */
	long thread;		/**< number of the thread, as gettid(2) */
	uintptr_t reserved_;	/* 0: no bytes without a name behind it, however long pointers are */
};

/**
 * Is told of every call, in the thread that makes it. Calls that it makes itself are not traced. It may use libverbsx, but
 * must not wait for other threads that do, nor close what the call is about or what that depends on.
 */
typedef void (*vx_trace_function)(const struct vx_trace_call *call, void *data);

/**
 * Write a line for each call to a file, whatever VERBSX_TRACE says. A line is written at once, so that those of several
 * threads and processes do not mix.
 *
 * @param path  as VERBSX_TRACE has it: "1" is standard error; NULL or "0" ends it
 * @return 0, or a negative errno with vx_error() filled: that of open(2), -EINVAL for another number, -EDEADLK
 *         inside of a vx_trace_function, -EAGAIN where the process has no key for its threads left (PTHREAD_KEYS_MAX),
 *         -EOPNOTSUPP where libverbsx was built without tracing; what was traced before then still is
 */
VX_EXPORT int vx_trace_file(const char *path);

/**
 * Have a function told of each call, beside the file if there is one.
 *
 * @param function  NULL ends it; once this returns, the function before is not running and will not be called
 * @param data      handed to it
 * @return 0, or a negative errno with vx_error() filled: -EDEADLK, -EAGAIN, -EOPNOTSUPP as vx_trace_file()
 */
VX_EXPORT int vx_trace_callback(vx_trace_function function, void *data);

/**
 * Count calls, from 0 on, or stop counting.
 *
 * @return 0, or a negative errno with vx_error() filled: -EDEADLK, -EAGAIN, -EOPNOTSUPP as vx_trace_file()
 */
VX_EXPORT int vx_trace_counting(bool on);

/**
 * Have calls of the data path shown, of QPs, CQs and SRQs that are made from now on, whatever VERBSX_TRACE_DATA says.
 *
 * @param most  so many of each object, the first; 1 is all of them, and 0 none
 * @return 0, or a negative errno with vx_error() filled: -EDEADLK, -EAGAIN, -EOPNOTSUPP as vx_trace_file()
 */
VX_EXPORT int vx_trace_data(unsigned int most);

/**
 * How often a call was made since counting was switched on, failures and looking for reasons included.
 *
 * @param call   its name, such as "ibv_alloc_pd"; NULL: all calls
 * @param count  0 where counting never was on
 * @return 0, or a negative errno with vx_error() filled: -ENOENT where libverbsx makes no such call, -EOPNOTSUPP as
 *         vx_trace_file()
 */
VX_EXPORT int vx_trace_count(const char *call, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_TRACE_H */
