// Kernels that test the emulator itself. Correct code has to give the values that the tests expect;
// each mistake has to be reported by name.
#pragma once

#include "../kernels/device.cuh"

namespace ringjet {

// Each thread writes one word, from `word` on, which may lie outside the allocation.
static __device__ void probe_access(Limbs dst, u32 word) { dst.words[word + threadIdx.x] = 1; }

// Copies pairs of words, from word `offset` of dst on, and swaps the words of each pair.
static __device__ void probe_pairs(Limbs dst, Words src, u32 offset)
{
    const Pair pair = as<Pair>(src)[threadIdx.x];
    as<Pair>(dst.words + offset)[threadIdx.x] = Pair{pair.y, pair.x};
    const Pair written = as<Pair>(dst.words + offset)[threadIdx.x];
    dst.words[offset + 2 * threadIdx.x] = written.x + 100;
}

// Reverses a block through dynamic shared memory. `index` is where thread 0 reads. `missing` leaves
// out the barrier.
static __device__ void probe_shared(Limbs dst, u32 index, u32 missing)
{
    DYNAMIC_SHARED(u64, tile);
    SHARED(u32, flags, 4);
    const u32 t = threadIdx.x;
    tile[t] = 100 + t;
    if (t < 4) {
        flags[t] = t;
    }
    if (!missing) {
        __syncthreads();
    }
    dst.words[t] = tile[t == 0 ? index : blockDim.x - 1 - t] + flags[t % 4];
}

// Declares 32 KB of shared memory, and `more` than a kernel can.
static __device__ void probe_declared(Limbs dst, u32 more)
{
    SHARED(u64, half, 4096);
    half[4095] = 1;
    if (more) {
        SHARED(u64, other, 4096);
        other[0] = 1;
    }
    dst.words[0] = half[4095];
}

// The first `leaving` threads return before the barrier.
static __device__ void probe_barrier(Limbs dst, u32 leaving)
{
    if (threadIdx.x < leaving) {
        return;
    }
    __syncthreads();
    dst.words[threadIdx.x] = threadIdx.x;
}

// Computes the sum over each warp, for every lane.
static __device__ void probe_warp(Limbs dst, u32 mask)
{
    u64 sum = threadIdx.x;
    for (int bits = 16; bits > 0; bits /= 2) {
        sum += __shfl_xor_sync(mask, sum, bits);
    }
    dst.words[threadIdx.x] = sum + __shfl_sync(mask, threadIdx.x, 3) + __shfl_down_sync(mask, threadIdx.x, 1);
}

// Counts the threads with atomic additions in shared and in global memory.
static __device__ void probe_atomic(Limbs dst)
{
    SHARED(u32, count, 1);
    if (threadIdx.x == 0) {
        count[0] = 0;
    }
    __syncthreads();
    atomicAdd(&count[0], 1u);
    atomicAdd(&dst.words[1], u64(threadIdx.x));
    atomicCAS(&dst.words[2], u64(0), u64(threadIdx.x + 1));
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        dst.words[0] = count[0];
    }
}

// Stands for all threads of the grid.
constexpr u32 EVERY_THREAD = 0xfffffffe;

// Thread `first` writes word 0, then thread `reader` reads it, then thread `second` writes it, with
// barriers between if `barriers`.
static __device__ void probe_race(Limbs dst, u32 first, u32 reader, u32 second, u32 barriers)
{
    const u32 block = blockIdx.y * gridDim.x + blockIdx.x, thread = block * blockDim.x + threadIdx.x;
    if (thread == first) {
        dst.words[0] = 1;
    }
    if (barriers) {
        __syncthreads();
    }
    if (thread == reader || reader == EVERY_THREAD) {
        dst.words[1 + thread] = dst.words[0];
    }
    if (barriers) {
        __syncthreads();
    }
    if (thread == second) {
        dst.words[0] = 2;
    }
}

} // namespace ringjet
