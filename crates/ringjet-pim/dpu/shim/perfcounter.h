#pragma once

#include "defs.h"

#define perfcounter_config ringjet_pim_perfcounter_config
#define perfcounter_get ringjet_pim_perfcounter_get

typedef uint64_t perfcounter_t;
typedef enum { COUNT_SAME, COUNT_CYCLES, COUNT_INSTRUCTIONS } perfcounter_config_t;

#ifdef __cplusplus
extern "C" {
#endif
perfcounter_t perfcounter_config(perfcounter_config_t config, bool reset);
// Multiples of 16, as on a DPU.
perfcounter_t perfcounter_get(void);
#ifdef __cplusplus
}
#endif
