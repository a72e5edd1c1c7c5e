# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Where the emulated mlx5 and soft-RoCE of Linux 6.1 do not say the same, and why both stay as they are."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """Lines that only one of them has; WHO and what stands for a name is the same on both sides."""

    emulated: str | None
    soft_roce: str | None
    reason: str
    ends: bool = False  # what follows in the program depends on it
    step: str = ""  # what the step has to be about


DIFFERENCES = [
    Difference("WHO: local length error", "WHO: local QP operation error",
               "rxe has one status for all errors of its own receive requests; IBA says which"),
    Difference("WHO: local protection error", "WHO: local QP operation error",
               "rxe has one status for all errors of its own requests; IBA says which"),
    Difference("WHO: remote invalid request error", "WHO: remote operation error",
               "rxe answers a message that is too long as one that it cannot place; IBA: invalid request"),
    Difference("WHO SQE", "WHO ERR",
               "rxe does not have SQE: IBA has it for local errors of UC and UD", ends=True),
    Difference(None, "WHO: Work Request Flushed Error",
               "of the same: in ERR, not in SQE, receive requests are flushed"),
    Difference("WHO: Work Request Flushed Error", None,
               "rxe of Linux 6.1 does not flush what is posted to a QP that is in ERR already"),
    Difference("async local access violation work queue error", None,
               "rxe does not send IBV_EVENT_QP_ACCESS_ERR"),
    Difference("async invalid request local work queue error", None,
               "rxe does not send IBV_EVENT_QP_REQ_ERR"),
    Difference("async last WQE reached", None,
               "rxe of Linux 6.1 does not send IBV_EVENT_QP_LAST_WQE_REACHED for it"),
    Difference("WHO event", None,
               "rxe: a failed completion is no solicited one; IBA: it is", ends=True),
    Difference(None, "WHO event",
               "armed for any completion, then for solicited ones: IBA keeps the first. Doorbells are not "
               "trapped, so the emulation sees only the last", ends=True),
    Difference("WHO: memory management operation error", "WHO: success LOCAL_INV",
               "rxe lets any QP invalidate a window of type 2A; IBA: only the one that it is bound to",
               ends=True),
    Difference("WHO: remote invalid request error", "post_send: EINVAL",
               "rxe looks at the alignment of an atomic in post_send, mlx5 at the other end", ends=True,
               step="ATOMIC"),
    Difference("WHO: Work Request Flushed Error", "post_send: EINVAL",
               "the same in ERR", ends=True, step="ATOMIC"),
    Difference("WHO: remote access error", "WHO: RNR retry counter exceeded",
               "a write with immediate of a wrong key and without a receive: either comes first", ends=True,
               step="RDMA_WRITE_WITH_IMM"),
    Difference("WHO: Work Request Flushed Error", "WHO: remote access error",
               "rxe completes the receive request of a write that it refuses; IBA: that takes none",
               step="RDMA_WRITE_WITH_IMM"),
    Difference("post_send: ENOMEM", "post_send: EINVAL",
               "in RESET: libmlx5 has no room in the queue, rxe looks at the state"),
    Difference("memory X", "memory Y",
               "a write with immediate over UC without a receive is lost; whether its data are is not said",
               ends=True, step="RDMA_WRITE_WITH_IMM"),
]
