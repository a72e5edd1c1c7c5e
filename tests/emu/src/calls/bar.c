/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "calls/bar.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "bounds.h"
#include "calls/fd.h"
#include "calls/real.h"
#include "engine/clock.h"
#include "objects/exported.h"

/* UARs are above all the offsets that encode a command */
#define UAR_SHIFT 40
#define END ((off_t)1 << 60)

/* An offset in pages: a command in bits 8 to 15, an index in those beside them */
#define COMMAND_SHIFT 8
#define INDEX_LOW 0xff
#define INDEX_HIGH_SHIFT 8

static int file = -1;
static bool is_parents;
static struct stat file_stat;

static off_t command_offset(unsigned int command, unsigned int index)
{
	off_t pages = (off_t)(index & ~INDEX_LOW) << INDEX_HIGH_SHIFT | command << COMMAND_SHIFT |
		      (index & INDEX_LOW);

	return pages * sysconf(_SC_PAGESIZE);
}

/* Doorbells need not be seen, as the doorbell records say as much: UARs are any memory */
off_t bar_uar_offset(unsigned int number)
{
	return (off_t)number << UAR_SHIFT;
}

off_t bar_dm_offset(unsigned int page_index)
{
	return command_offset(MLX5_IB_MMAP_DEVICE_MEM, page_index);
}

void *bar_map(off_t offset, size_t size)
{
	void *p = REAL(mmap)(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);

	return p == MAP_FAILED ? NULL : p;
}

void bar_clear(off_t offset, size_t size)
{
	fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size);
}

/* The pages that a program only reads */
static bool fill(void)
{
	void *counter = bar_map(command_offset(MLX5_IB_MMAP_CORE_CLOCK, 0), sysconf(_SC_PAGESIZE));
	void *info = bar_map(command_offset(MLX5_IB_MMAP_CLOCK_INFO, 0), sysconf(_SC_PAGESIZE));

	if (!counter || !info)
		return false;
	clock_set_counter(counter);
	clock_fill_info(info);
	return true;
}

/* Who has such a descriptor may have been let to import what is told there, and has to reach the memory of this process then */
static bool export(void)
{
	struct export_table *table = bar_map(BAR_EXPORTS, sizeof(*table));

	if (!table)
		return false;
	exported_start(table);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	return true;
}

static bool make(void)
{
	if (file >= 0)
		fd_close_own(file);
	is_parents = false;
	file = memfd_create("verbsx-emu", MFD_CLOEXEC);
	if (file < 0)
		return false;
	if (fd_add_own(file) || ftruncate(file, END) || REAL(fstat)(file, &file_stat) || !fill() || !export()) {
		fd_close_own(file);
		file = -1;
		return false;
	}
	return true;
}

/* Each open has flags of its own, which a duplicate would not */
int bar_open(int flags)
{
	char path[64];

	if ((file < 0 || is_parents) && !make())
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return REAL(open)(path, (flags & ~(O_ACCMODE | O_CREAT | O_TRUNC)) | O_RDWR);
}

/* Nobody reads these files, so that the position in one is free to be used; all copies of a descriptor have it */
void bar_sign(int fd, uint32_t context, uint8_t device)
{
	lseek(fd, (off_t)context * MAX_DEVICES + device, SEEK_SET);
}

bool bar_whose(int fd, uint32_t *context, uint8_t *device)
{
	off_t position = lseek(fd, 0, SEEK_CUR);

	if (position < MAX_DEVICES)
		return false;
	*context = position / MAX_DEVICES;
	*device = position % MAX_DEVICES;
	return true;
}

bool bar_is(int fd)
{
	struct stat st;

	return file >= 0 && !REAL(fstat)(fd, &st) && st.st_dev == file_stat.st_dev &&
	       st.st_ino == file_stat.st_ino;
}

bool bar_is_own(int fd)
{
	return !is_parents && bar_is(fd);
}

bool bar_has_size(off_t size)
{
	return size == END;
}

void bar_fork(void)
{
	is_parents = true;
	exported_forget();
}
