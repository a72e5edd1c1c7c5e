/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_UMAD_H
#define VERBSX_SRC_UMAD_H

/*
 * libibumad, by which MADs are sent: opened when one is to be, however libverbsx is linked with the rest of rdma-core, as few programs
 * need it. No header of it is needed either; that these are its functions is a test's to say (tests/unit/reach/umad.c).
 */

#include <stddef.h>
#include <stdint.h>

/* CALL(result, name, parameters) of each, which the library has as umad_NAME. */
#define VX_UMAD_CALLS(CALL) \
	CALL(int, open_port, (const char *ca_name, int portnum)) \
	CALL(int, close_port, (int portid)) \
	CALL(int, register, (int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long *method_mask)) \
	CALL(size_t, size, (void)) \
	CALL(void *, get_mad, (void *umad)) \
	CALL(int, set_addr, (void *umad, int dlid, int dqp, int sl, int qkey)) \
	CALL(int, set_pkey, (void *umad, int pkey_index)) \
	CALL(int, send, (int portid, int agentid, void *umad, int length, int timeout_ms, int retries)) \
	CALL(int, recv, (int portid, void *umad, int *length, int timeout_ms)) \
	CALL(int, status, (void *umad))

struct vx_umad {
#define VX_UMAD_MEMBER(result, name, parameters) result (*name##_) parameters;
	VX_UMAD_CALLS(VX_UMAD_MEMBER)
#undef VX_UMAD_MEMBER
};

/*
 * The functions of libibumad. What fails is tried anew the next time. Thread-safe.
 *
 * @param call  the function of libverbsx that needs it
 * @return 0, or a negative errno with vx_error() filled: there is no such library, or it lacks a function
 */
int vx_umad_reach(const struct vx_umad **out, const char *call);

/* Have others in their place, for tests; NULL: the true ones again. */
void vx_umad_replace(const struct vx_umad *functions);

/* umad_open_port() has failed, which does not tell why: looks, records it, and returns a negative errno. */
int vx_umad_open_fail(int code, const char *device, uint32_t port_num);

#endif
