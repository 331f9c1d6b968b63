// Transfers between WRAM and MRAM. A DPU ignores the low bits of addresses and sizes; the emulator
// refuses addresses and sizes that are no multiples of 8, and sizes outside of 8 to 2048.
#pragma once

#include "defs.h"

#define mram_read ringjet_pim_mram_read
#define mram_write ringjet_pim_mram_write

#ifdef __cplusplus
extern "C" {
#endif
void mram_read(const void __mram_ptr* from, void* to, unsigned bytes);
void mram_write(const void* from, void __mram_ptr* to, unsigned bytes);
#ifdef __cplusplus
}
#endif
