#pragma once

#include "defs.h"

#define mutex_lock ringjet_pim_mutex_lock
#define mutex_unlock ringjet_pim_mutex_unlock

// A mutex is known by its address, which is one per program; `used` is never read.
typedef struct {
    uint8_t used;
} mutex_t;

#define MUTEX_INIT(name) static const mutex_t name = {0};

#ifdef __cplusplus
extern "C" {
#endif
void mutex_lock(const mutex_t* mutex);
void mutex_unlock(const mutex_t* mutex);
#ifdef __cplusplus
}
#endif
