// The negacyclic transform of ringjet_math::ntt, for N = 2^3 to 2^17.
//
// A polynomial of N = R C words, C = 512, is an array of R rows. The first levels of the forward transform work within its
// columns (`ntt_columns`), the last nine within its rows (`ntt_rows`), where also the order of the evaluation domain is made:
// a row is one of its tiles. The inverse goes back. Each is one launch over all limbs of all polynomials (blockIdx.y and z);
// N = 512 has no columns, and smaller rings have a kernel of their own.
//
// A round of R levels takes 2^R words into registers. The levels are those of a tree whose root is node 1 and whose node i
// has the children 2 i and 2 i + 1: node i multiplies by root of unity i, so that a round below a node needs to know only it.
#pragma once

#include "modarith.cuh"

// Words of a limb's transform: addresses of psi^brv(i) and psi^-brv(i) (factors, N each), N^-1 (a factor).
constexpr u32 TRANSFORM_WORDS = 4;
constexpr u32 LOG_ROW = 9;
// Words of a block of columns.
constexpr u32 LOG_COLUMNS_TILE = 12;

template <class A> __device__ __forceinline__ Ptr<const typename A::Factor> roots_of(Words transforms, u32 limb, bool inverse)
{
    return pointer<const typename A::Factor>(transforms[limb * TRANSFORM_WORDS + inverse]);
}

template <class A> __device__ __forceinline__ typename A::Factor scale_of(Words transforms, u32 limb)
{
    return A::factor(transforms + limb * TRANSFORM_WORDS + 2);
}

// R levels below `node`, of the words at equal distances that are in x.
template <class A, int R>
__device__ __forceinline__ void forward_round(
    typename A::Word (&x)[1 << R], Ptr<const typename A::Factor> roots, u32 node, const typename A::Modulus& m)
{
#pragma unroll
    for (int s = 0; s < R; s++) {
#pragma unroll
        for (int pair = 0; pair < 1 << (R - 1); pair++) {
            const int half = 1 << (R - 1 - s), part = pair / half, u = part * 2 * half + pair % half;
            A::forward_butterfly(x[u], x[u + half], roots[(node << s) + part], m);
        }
    }
}

template <class A, int R>
__device__ __forceinline__ void inverse_round(
    typename A::Word (&x)[1 << R], Ptr<const typename A::Factor> roots, u32 node, const typename A::Modulus& m)
{
#pragma unroll
    for (int s = R - 1; s >= 0; s--) {
#pragma unroll
        for (int pair = 0; pair < 1 << (R - 1); pair++) {
            const int half = 1 << (R - 1 - s), part = pair / half, u = part * 2 * half + pair % half;
            A::inverse_butterfly(x[u], x[u + half], roots[(node << s) + part], m);
        }
    }
}

// ---- columns ----

// Where the words of a block of columns are: 2^log_columns columns from `first` on of 2^log_rows rows, and in shared memory
// row by row.
template <class A> struct Columns {
    Ptr<u64> words;
    Shared<typename A::Word> tile;
    Ptr<const typename A::Factor> roots;
    typename A::Modulus m;
    u32 log_rows, log_columns, first;
};

// The R levels from `level` on: `from_memory` and `to_memory` where these are the first and the last that are done.
template <class A, int R, bool INVERSE>
__device__ __forceinline__ void columns_round(const Columns<A>& c, u32 level, bool from_memory, bool to_memory)
{
    const u32 below = c.log_rows - level - R; // logarithm of the distance of a group's rows
    const u32 groups = 1u << (c.log_rows + c.log_columns - R);
    for (u32 group = threadIdx.x; group < groups; group += blockDim.x) {
        const u32 column = group & ((1u << c.log_columns) - 1), rest = group >> c.log_columns;
        const u32 node = rest >> below, row = node << (below + R) | (rest & ((1u << below) - 1));
        typename A::Word x[1 << R];
#pragma unroll
        for (u32 k = 0; k < 1 << R; k++) {
            const u32 at = row + (k << below);
            x[k] = from_memory ? A::load(c.words[(at << LOG_ROW) + c.first + column])
                               : typename A::Word(c.tile[(at << c.log_columns) + column]);
        }
        if (INVERSE) {
            inverse_round<A, R>(x, c.roots, (1u << level) + node, c.m);
        } else {
            forward_round<A, R>(x, c.roots, (1u << level) + node, c.m);
        }
#pragma unroll
        for (u32 k = 0; k < 1 << R; k++) {
            const u32 at = row + (k << below);
            if (to_memory) {
                c.words[(at << LOG_ROW) + c.first + column] = A::store(x[k]);
            } else {
                c.tile[(at << c.log_columns) + column] = x[k];
            }
        }
    }
}

template <class A, bool INVERSE>
__device__ __forceinline__ void columns_levels(const Columns<A>& c, u32 level, u32 count, bool from_memory, bool to_memory)
{
    if (count == 3) {
        columns_round<A, 3, INVERSE>(c, level, from_memory, to_memory);
    } else if (count == 2) {
        columns_round<A, 2, INVERSE>(c, level, from_memory, to_memory);
    } else {
        columns_round<A, 1, INVERSE>(c, level, from_memory, to_memory);
    }
}

template <class A>
__device__ __forceinline__ Columns<A> columns_of(
    Limbs x, Words transforms, Words moduli, u32 log_rows, bool inverse, Shared<typename A::Word> tile)
{
    const u32 i = blockIdx.y;
    const u32 log_columns = log_rows + LOG_ROW < LOG_COLUMNS_TILE ? LOG_ROW : LOG_COLUMNS_TILE - log_rows;
    return {x.limb(blockIdx.z, i), tile, roots_of<A>(transforms, i, inverse), A::modulus(moduli + i * A::MODULUS_WORDS),
            log_rows, log_columns, blockIdx.x << log_columns};
}

// Canonical in; out what forward butterflies leave.
template <class A> __device__ void ntt_columns(Limbs x, Words transforms, Words moduli, u32 log_rows)
{
    SHARED(typename A::Word, tile, 1 << LOG_COLUMNS_TILE);
    const Columns<A> c = columns_of<A>(x, transforms, moduli, log_rows, false, tile);
    for (u32 level = 0; level < log_rows; level += 3) {
        if (level > 0) {
            __syncthreads();
        }
        const u32 left = log_rows - level;
        columns_levels<A, false>(c, level, left < 3 ? left : 3, level == 0, left <= 3);
    }
}

// In what inverse butterflies leave; out canonical, times N^-1.
template <class A> __device__ void intt_columns(Limbs x, Words transforms, Words moduli, u32 log_rows)
{
    SHARED(typename A::Word, tile, 1 << LOG_COLUMNS_TILE);
    const Columns<A> c = columns_of<A>(x, transforms, moduli, log_rows, true, tile);
    const u32 last = (log_rows - 1) / 3 * 3; // where the round of fewer than three levels begins
    for (u32 level = last;; level -= 3) {
        const u32 left = log_rows - level;
        columns_levels<A, true>(c, level, left < 3 ? left : 3, level == last, false);
        __syncthreads();
        if (level == 0) {
            break;
        }
    }
    const typename A::Factor scale = scale_of<A>(transforms, blockIdx.y);
    for (u32 k = threadIdx.x; k < 1u << (log_rows + c.log_columns); k += blockDim.x) {
        const u32 row = k >> c.log_columns, column = k & ((1u << c.log_columns) - 1);
        c.words[(row << LOG_ROW) + c.first + column] = A::store(A::mul_const(c.tile[k], scale, c.m));
    }
}

// ---- rows ----

// Shared words of a row: one of padding after every 64, so that the eighths of a row begin in different banks.
constexpr u32 ROW_SHARED = 512 + 8;
constexpr u32 MOST_ROWS = 4;

// A row is done by 64 threads (threadIdx.x), a block does blockDim.y rows. Three rounds of three levels; thread t holds
// words t + 64 k in the first, words 64 (t / 8) + t % 8 + 8 k in the second, words 64 (t % 8) + 8 (t / 8) + k in the third,
// which are at positions 64 (t / 8) + 8 k + t % 8 of the evaluation domain.
__device__ __forceinline__ u32 padded(u32 e) { return e + (e >> 6); }

// In what forward butterflies leave; out canonical.
template <class A> __device__ void ntt_rows(Limbs x, Words transforms, Words moduli, u32 log_rows)
{
    SHARED(typename A::Word, tile, MOST_ROWS * ROW_SHARED);
    const u32 t = threadIdx.x, i = blockIdx.y, row = blockIdx.x * blockDim.y + threadIdx.y, base = threadIdx.y * ROW_SHARED;
    const typename A::Modulus m = A::modulus(moduli + i * A::MODULUS_WORDS);
    const Ptr<const typename A::Factor> roots = roots_of<A>(transforms, i, false);
    const Ptr<u64> words = x.limb(blockIdx.z, i) + (row << LOG_ROW);
    const u32 node = (1u << log_rows) + row, high = t >> 3, low = t & 7;
    typename A::Word v[8];
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        v[k] = A::load(words[t + 64 * k]);
    }
    forward_round<A, 3>(v, roots, node, m);
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        tile[base + padded(t + 64 * k)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        v[k] = tile[base + padded(64 * high + low + 8 * k)];
    }
    forward_round<A, 3>(v, roots, 8 * node + high, m);
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        tile[base + padded(64 * high + low + 8 * k)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        v[k] = tile[base + padded(64 * low + 8 * high + k)];
    }
    forward_round<A, 3>(v, roots, 64 * node + 8 * low + high, m);
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        words[64 * high + 8 * k + low] = A::store(A::finish(v[k], m));
    }
}

// Canonical in; out what inverse butterflies leave, or canonical and times N^-1 where there is one row.
template <class A> __device__ void intt_rows(Limbs x, Words transforms, Words moduli, u32 log_rows)
{
    SHARED(typename A::Word, tile, MOST_ROWS * ROW_SHARED);
    const u32 t = threadIdx.x, i = blockIdx.y, row = blockIdx.x * blockDim.y + threadIdx.y, base = threadIdx.y * ROW_SHARED;
    const typename A::Modulus m = A::modulus(moduli + i * A::MODULUS_WORDS);
    const Ptr<const typename A::Factor> roots = roots_of<A>(transforms, i, true);
    const Ptr<u64> words = x.limb(blockIdx.z, i) + (row << LOG_ROW);
    const u32 node = (1u << log_rows) + row, high = t >> 3, low = t & 7;
    typename A::Word v[8];
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        v[k] = A::load(words[64 * high + 8 * k + low]);
    }
    inverse_round<A, 3>(v, roots, 64 * node + 8 * low + high, m);
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        tile[base + padded(64 * low + 8 * high + k)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        v[k] = tile[base + padded(64 * high + low + 8 * k)];
    }
    inverse_round<A, 3>(v, roots, 8 * node + high, m);
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        tile[base + padded(64 * high + low + 8 * k)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        v[k] = tile[base + padded(t + 64 * k)];
    }
    inverse_round<A, 3>(v, roots, node, m);
    const typename A::Factor scale = scale_of<A>(transforms, i);
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        words[t + 64 * k] = A::store(log_rows == 0 ? A::mul_const(v[k], scale, m) : v[k]);
    }
}

// ---- small rings ----

// Both directions for N = 2 blockDim.x below 512, a block a limb, a thread a butterfly. Canonical.
template <class A> __device__ void ntt_small(Limbs x, Words transforms, Words moduli, u32 inverse)
{
    SHARED(typename A::Word, tile, 256);
    const u32 t = threadIdx.x, i = blockIdx.y, n = x.n;
    const typename A::Modulus m = A::modulus(moduli + i * A::MODULUS_WORDS);
    const Ptr<const typename A::Factor> roots = roots_of<A>(transforms, i, inverse != 0);
    const Ptr<u64> words = x.limb(blockIdx.z, i);
    tile[t] = A::load(words[t]);
    tile[t + n / 2] = A::load(words[t + n / 2]);
    for (u32 blocks = inverse ? n / 2 : 1; blocks > 0 && blocks < n; blocks = inverse ? blocks / 2 : 2 * blocks) {
        __syncthreads();
        const u32 half = n / 2 / blocks, block = t / half, at = block * 2 * half + t % half;
        typename A::Word u = tile[at], v = tile[at + half];
        if (inverse) {
            A::inverse_butterfly(u, v, roots[blocks + block], m);
        } else {
            A::forward_butterfly(u, v, roots[blocks + block], m);
        }
        tile[at] = u;
        tile[at + half] = v;
    }
    __syncthreads();
    const typename A::Factor scale = scale_of<A>(transforms, i);
    for (u32 k = t; k < n; k += n / 2) {
        words[k] = A::store(inverse ? A::mul_const(tile[k], scale, m) : A::finish(tile[k], m));
    }
}
