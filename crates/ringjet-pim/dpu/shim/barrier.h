#pragma once

#include "defs.h"

#define barrier_wait ringjet_pim_barrier_wait

// How many tasklets the barrier waits for. It is a function because NR_TASKLETS is chosen at run
// time in the emulator.
typedef struct {
    uint32_t (*tasklets)(void);
} barrier_t;

#define BARRIER_INIT(name, count)                                                                  \
    static uint32_t name##_tasklets(void) { return (count); }                                      \
    static const barrier_t name = {name##_tasklets};

#ifdef __cplusplus
extern "C" {
#endif
void barrier_wait(const barrier_t* barrier);
#ifdef __cplusplus
}
#endif
