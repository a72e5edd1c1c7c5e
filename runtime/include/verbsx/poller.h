/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_POLLER_H
#define VERBSX_POLLER_H

/**
 * @file
 * Pollers: waiting for the completions of a CQ.
 *
 *	vx_poller_create(cq, NULL, &poller);
 *	while ((n = vx_poller_poll(poller, 16, wc, -1)) > 0)
 *		for (i = 0; i < n; i++)
 *			use(&wc[i]);
 *
 * A poller spins for a while and then sleeps: polls, arms the CQ, polls again, as a completion that came in between raises no
 * event, and waits for the channel. CQs that share a channel have a poller each, of any thread: an event goes to the poller that
 * it is for, whoever takes it. All CQs of such a channel need one, and nobody else should take events from it. Events are
 * acknowledged in bulk, when the CQ is closed.
 *
 * A program with an event loop watches vx_poller_fd(), and before each sleep
 *
 *	while (vx_poller_arm(poller) == -EBUSY)
 *		while ((n = vx_poller_poll(poller, 16, wc, 0)) > 0)
 *			...
 *
 * A poller is for one thread at a time, but for vx_poller_wake(). While a thread sleeps in vx_poller_poll(), the poller and its CQ cannot be
 * closed, which is -EBUSY: wake it first. While it spins nobody looks, and nobody is to close them.
 */

#include <stdbool.h>

#include <verbsx/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a poller waits. */
enum vx_poller_mode {
	VX_POLLER_BOTH,		/**< it spins, and sleeps where nothing has come in spin_us; of a CQ without a channel it is _SPIN */
	VX_POLLER_SPIN,		/**< it never sleeps, as one of a CQ without a channel */
	VX_POLLER_SLEEP,	/**< it sleeps at once; not of a CQ without a channel */
};

/** What a new poller is to be like. */
struct vx_poller_init {
	uint32_t comp_mask;	/**< no bits yet, so 0 */
	enum vx_poller_mode mode; /**< 0 is VX_POLLER_BOTH */
	uint32_t spin_us;	/**< of VX_POLLER_BOTH, in microseconds; 0 is 20 */
	bool solicited_only;	/**< sleep until there is one of a message sent with IBV_SEND_SOLICITED, or one that failed */
	void (*async)(const struct vx_async_event *event, void *data); /**< told of the context's asynchronous events while the
					     poller sleeps, so not of VX_POLLER_SPIN; each is acknowledged when it returns. It may close all but the poller and
					     what that depends on, which is -EBUSY. NULL: they are not looked at */
	void *data;		/**< for async */
};

VX_EXPORT int vx_poller_create_sized(struct vx_cq *parent, const struct vx_poller_init *init, size_t size, struct vx_poller **out);

/**
 * Make a poller.
 *
 * @param parent  any CQ, made with a channel where the poller is to sleep; several may have one channel
 * @param init    NULL for all defaults
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where the channel has no handle, or it is to sleep
 *         or has async, and there is none; -EBUSY where another poller of the context has async; -EMFILE
 *
 * Closing the CQ closes the poller first. Thread-safe.
 */
static inline int vx_poller_create(struct vx_cq *parent, const struct vx_poller_init *init, struct vx_poller **out)
{
	return vx_poller_create_sized(parent, init, sizeof(*init), out);
}

/**
 * Take completions, and wait for one where there is none.
 *
 * @param num_entries  how many at most
 * @param wc           room for so many
 * @param timeout_ms   how long to wait at most, which is looked at only where the CQ is empty; 0: not at all; negative: for ever
 * @return how many, from 1 on; -EAGAIN when the time is up, or -ECANCELED after vx_poller_wake(), which are no errors: vx_error()
 *         stays as it was; or another negative errno with vx_error() filled: -EINTR after a signal while it slept; -EIO where the
 *         channel has hung up, or async was told of IBV_EVENT_DEVICE_FATAL or of IBV_EVENT_CQ_ERR of this CQ, with what that means
 *
 * Completions that are there come before all of these. A failed request is a completion like others: look at wc.status. Stands for
 * ibv_poll_cq(3), ibv_req_notify_cq(3), ibv_get_cq_event(3) and poll(2).
 */
VX_EXPORT int vx_poller_poll(struct vx_poller *poller, int num_entries, struct ibv_wc *wc, int timeout_ms);

/**
 * The descriptor to watch for EPOLLIN: it can be read when an armed poller has something to do.
 *
 * @return it, which the poller keeps; or a negative errno with vx_error() filled: -EINVAL where the CQ has no channel; the first
 *         time -EMFILE and its like
 */
VX_EXPORT int vx_poller_fd(const struct vx_poller *poller);

/**
 * Get ready to sleep on the descriptor.
 *
 * @return 0; -EBUSY where there is something for vx_poller_poll() with a timeout of 0, which comes first, and is no error; or
 *         another negative errno with vx_error() filled, as vx_poller_poll(), where no completion will come any more
 */
VX_EXPORT int vx_poller_arm(struct vx_poller *poller);

/**
 * Have vx_poller_poll() return -ECANCELED as soon as the CQ is empty: that which is waiting, or the next. Being woken more than
 * once before that is as once. From any thread, or a handler of a signal; errno stays as it was.
 */
VX_EXPORT void vx_poller_wake(struct vx_poller *poller);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_POLLER_H */
