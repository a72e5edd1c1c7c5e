/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What blocks of data are signed with. */
#ifndef EMU_CHECKSUM_H
#define EMU_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of IEEE 802.3, CRC-32C (Castagnoli), and the CRC-64 of XP10. */
uint32_t checksum_crc32(uint32_t seed, const uint8_t *data, size_t len);
uint32_t checksum_crc32c(uint32_t seed, const uint8_t *data, size_t len);
uint64_t checksum_crc64(uint64_t seed, const uint8_t *data, size_t len);

/* Guards of T10 DIF: its CRC, and the checksum of IP. */
uint16_t checksum_t10dif(uint16_t seed, const uint8_t *data, size_t len);
uint16_t checksum_ip(uint16_t seed, const uint8_t *data, size_t len);

#endif
