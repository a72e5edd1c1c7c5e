/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/checksum.h"

/* Polynomials; the reflected ones with their bits turned round */
#define CRC32_REFLECTED 0xedb88320u
#define CRC32C_REFLECTED 0x82f63b78u
#define CRC64_XP10_REFLECTED 0x9a6c9329ac4bc9b5ull
#define T10DIF 0x8bb7

static uint64_t reflected(uint64_t polynomial, uint64_t crc, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
	}
	return crc;
}

uint32_t checksum_crc32(uint32_t seed, const uint8_t *data, size_t len)
{
	return ~reflected(CRC32_REFLECTED, seed, data, len);
}

uint32_t checksum_crc32c(uint32_t seed, const uint8_t *data, size_t len)
{
	return ~reflected(CRC32C_REFLECTED, seed, data, len);
}

uint64_t checksum_crc64(uint64_t seed, const uint8_t *data, size_t len)
{
	return ~reflected(CRC64_XP10_REFLECTED, seed, data, len);
}

uint16_t checksum_t10dif(uint16_t seed, const uint8_t *data, size_t len)
{
	uint16_t crc = seed;

	for (size_t i = 0; i < len; i++) {
		crc ^= data[i] << 8;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 0x8000 ? crc << 1 ^ T10DIF : crc << 1;
	}
	return crc;
}

uint16_t checksum_ip(uint16_t seed, const uint8_t *data, size_t len)
{
	uint32_t sum = seed;

	for (size_t i = 0; i < len; i += 2) {
		sum += data[i] << 8 | (i + 1 < len ? data[i + 1] : 0);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return ~sum;
}
