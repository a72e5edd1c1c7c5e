/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_PARTS_H
#define VERBSX_SRC_PARTS_H

/*
 * What printing reaches by rows alone, and need not be there: a static program that prints structures of libibverbs and librdmacm
 * is linked without handles, and without the second part of the tables of structures. Who needs these refers to them itself: a
 * macro such as VX_TYPEOF(), for one of the second part, by vx_struct_by_any_id(). For printing alone.
 */

#include "printer.h"

#pragma weak vx_more_fields
#pragma weak vx_more_struct_names
#pragma weak vx_more_structs
#pragma weak vx_put_name_of
#pragma weak vx_put_name_of_handle
#pragma weak vx_put_object

#endif
