// What a DPU program uses of the vendor's defs.h and attributes.h, for the emulator. Written from
// the documented names alone. Each DPU is emulated by one thread of the host at a time, so what is
// in a DPU's WRAM is thread-local.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t sysname_t;

// The address space of MRAM, which checks with clang define.
#ifndef __mram_ptr
#define __mram_ptr
#endif
#define __dma_aligned __attribute__((aligned(8)))
// Functions have the prefix ringjet_pim_ in the linked program.
//
// A variable of WRAM. A program for a DPU defines this macro as nothing.
#define WRAM __thread
#define __host __thread

// MRAM addresses of a program start at this value, as they do on a DPU. They are numbers: reading
// through one is an error on the host, while a DPU's compiler would emit a transfer.
#define DPU_MRAM_HEAP_POINTER ((uint8_t __mram_ptr*)0x08000000)

#define NR_TASKLETS (ringjet_pim_tasklets())

#ifdef __cplusplus
extern "C" {
#endif

// Instructions that the running tasklet has issued since it last gave up the host thread.
extern __thread uint64_t ringjet_pim_issued;

uint32_t ringjet_pim_tasklets(void);
sysname_t ringjet_pim_me(void);
// Ends a command of the program's profile; called by one tasklet, right after a barrier.
void ringjet_pim_profile(uint32_t command);

static inline sysname_t me(void) { return ringjet_pim_me(); }

static inline void dpu_charge(uint32_t instructions) { ringjet_pim_issued += instructions; }

// A program that the emulator can load. `host`: the address of its `__host` variable in the calling
// thread; `wram`: that of its other variables.
struct ringjet_pim_program {
    const char* name;
    int (*main)(void);
    const char* host_name;
    void* (*host)(void);
    uint32_t host_bytes;
    void* (*wram)(void);
    uint32_t wram_bytes;
};

#ifdef __cplusplus
}
#endif
