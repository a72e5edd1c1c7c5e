/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_BENCH_MEASURE_H
#define VERBSX_BENCH_MEASURE_H

/*
 * How the programs here measure: their tasks run in turn, round after round, each for some thousand times, on
 * the clock of the thread, which stands still while others have the processor. What is printed is the median of
 * the rounds, a line a task: its name, a tab, and the nanoseconds that one of its units takes. The first task is an
 * empty loop; what it takes is subtracted from the others.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What costs little beside what it stands on is measured in pairs: short blocks of the one and the other follow each other, as
 * one, other, other, one, and the median of what the one takes longer than the other counts. So what else the machine does,
 * which comes and goes more slowly, is in both and drops out.
 */

struct task {
	const char *name;
	void (*run)(unsigned int times);
	unsigned int units;	/* that one time is made of, such as lines; 0: one */
};

/* usage: PROGRAM [TIMES [ROUNDS]]. Returns the exit status. */
int measure(const struct task *tasks, size_t count, int argc, char **argv);

struct pair {
	const char *name;
	void (*run)(unsigned int times);
	void (*raw)(unsigned int times);	/* what it stands on */
};

/*
 * The same usage, as many times in all. Prints three lines a pair: NAME.vx and NAME.raw, which are medians, and NAME.more,
 * the median of the differences.
 */
int measure_pairs(const struct pair *pairs, size_t count, int argc, char **argv);

/* Nanoseconds of processor time that this thread has used. */
uint64_t thread_time(void);

/*
 * All threads that are started from now on have one processor with this one. What another thread does, such as that of the emulated
 * device, is then done between what is measured, and not beside it: who has a line of a cache would be chance.
 */
bool stay_on_one_processor(void);

void report(const char *name, double ns);

/* Of values that it sorts. */
double median(int64_t *values, unsigned int count);

/* As if the value were used, so that the compiler computes it. */
static inline void keep(uintptr_t value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

/* A task that computes an expression of value, the next of an array of 64. */
#define TASK_EACH(task, values, expression) \
	static void task(unsigned int times) \
	{ \
		unsigned int i; \
\
		for (i = 0; i < times; i++) { \
			int value = (values)[i % 64]; \
\
			keep((uintptr_t)(expression)); \
		} \
	}

/* A task that computes an expression. */
#define TASK(task, expression) \
	static void task(unsigned int times) \
	{ \
		unsigned int i; \
\
		for (i = 0; i < times; i++) \
			keep((uintptr_t)(expression)); \
	}

/* Blocks of a pair that do nothing but call NAME_vx() and NAME_raw(), and the pair of them. */
#define PAIR_OF(name) \
	static void name##_vxs(unsigned int times) \
	{ \
		while (times--) \
			name##_vx(); \
	} \
\
	static void name##_raws(unsigned int times) \
	{ \
		while (times--) \
			name##_raw(); \
	}
#define PAIR(name) { #name, name##_vxs, name##_raws }

#endif
