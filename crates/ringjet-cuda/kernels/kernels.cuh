// All kernels. build.rs puts the included files in place and appends the entry points.
#pragma once

#include "device.cuh"
#include "modarith.cuh"
#include "elementwise.cuh"
#include "ntt.cuh"
#include "convert.cuh"
#include "big.cuh"
