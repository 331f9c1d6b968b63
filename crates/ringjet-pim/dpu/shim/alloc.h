#pragma once

#include "defs.h"

#define mem_alloc ringjet_pim_mem_alloc
#define mem_reset ringjet_pim_mem_reset

#ifdef __cplusplus
extern "C" {
#endif
// The heap is what static variables and stacks leave of WRAM. A tasklet that asks for more faults.
void* mem_alloc(size_t bytes);
void mem_reset(void);
#ifdef __cplusplus
}
#endif
