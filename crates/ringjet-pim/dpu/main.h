// The loop over commands, and what the emulator knows of a program. A program defines before:
// - `wram`, with a `header` that has `commands` and `command_count`;
// - check_header(), check(command, times), execute(command, times), use_header(index).
#pragma once

#include "words.h"

// Command `i`, which every tasklet reads for itself.
static struct command read_command(uint32_t i)
{
    __dma_aligned uint32_t pair[2];
    read_words(wram.header.commands + 2 * i, pair, 2);
    const struct command c = {pair[0] & 0xffff, pair[0] >> 16, pair[1] & 0xffff, pair[1] >> 16};
    return c;
}

// All tasklets run all commands, and stop at the same one.
static uint32_t run_commands(uint32_t* done)
{
    uint32_t times = 1;
    for (*done = 0; *done < wram.header.command_count; ++*done) {
        const struct command c = read_command(*done);
        if (c.type == STOP) {
            break;
        }
        if (c.type == REPEAT) {
            times = c.out;
            continue;
        }
        const uint32_t status = c.type == USE_HEADER ? use_header(c.out) : check(c, times);
        if (c.type == USE_HEADER && status == STATUS_OK) {
            continue;
        }
        if (status != STATUS_OK) {
            return status;
        }
        execute(c, times);
        times = 1;
        barrier_wait(&all_tasklets);
        if (me() == 0) {
            END_COMMAND(c.type);
        }
    }
    return STATUS_OK;
}

int main(void)
{
    if (me() == 0) {
        perfcounter_config(COUNT_CYCLES, true);
        read_words(0, (uint32_t*)&wram.header, sizeof wram.header / 4);
        result.status = check_header();
    }
    barrier_wait(&all_tasklets);
    if (result.status != STATUS_OK) {
        return 0;
    }
    uint32_t done;
    const uint32_t status = run_commands(&done);
    barrier_wait(&all_tasklets);
    if (me() == 0) {
        result.status = status;
        result.command = done;
        result.cycles = perfcounter_get();
    }
    return 0;
}

#ifndef DPU
// What the emulator knows of this program. The file that includes this one defines PROGRAM_SYMBOL
// and PROGRAM_NAME.
static void* host_variable(void) { return &result; }
static void* wram_variable(void) { return &wram; }

const struct ringjet_pim_program PROGRAM_SYMBOL = {
    PROGRAM_NAME, main, "result", host_variable, sizeof result, wram_variable, sizeof wram,
};
#endif
