// Includes all kernels. build.rs replaces each include by the text of the file and appends the
// entry points.
#pragma once

#include "device.cuh"
#include "modarith_f64.cuh"
#include "modarith_u32.cuh"
#include "modarith_u64.cuh"
#include "automorphism.cuh"
#include "products.cuh"
#include "elementwise.cuh"
#include "gemm.cuh"
#include "ntt.cuh"
#include "convert.cuh"
#include "keyswitch.cuh"
#include "rotations.cuh"
#include "big.cuh"
#include "digits.cuh"
