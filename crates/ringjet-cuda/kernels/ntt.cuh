// The negacyclic transform of ringjet_math::ntt, for N = 2^3 to 2^17.
//
// A polynomial of N = R C words, C = 512, is an array of R rows. The first levels of the forward
// transform work within the columns (`ntt_columns`), the last nine within the rows (`ntt_rows`).
// The rows kernel also arranges the order of the evaluation domain: a row is one tile of it. The
// inverse transform runs the two in the opposite order. Each kernel is one launch over all limbs
// (blockIdx.y) of all polynomials (blockIdx.z). N = 512 has no columns; smaller rings have their
// own kernel, `ntt_small`. Between the two kernels, memory holds lazy words as the arithmetic packs
// them.
//
// A round of R levels loads 2^R words into registers. The levels form a binary tree: its root is
// node 1, and node i has the children 2 i and 2 i + 1. Node i multiplies by root of unity i, so the
// number of the top node determines all roots of a round.
//
// Below node i of the rows, root (i << l) + j is psi^(2^(8-l) c) times root j, with c = 2 brv(row)
// + 1. So the rows kernel multiplies word t of each eighth of a row by psi^(c t) after the first
// three levels; from there on, roots 0 to 255 serve all rows.
#pragma once

#include "device.cuh"
#include "modarith_word.cuh"

namespace ringjet {

constexpr u32 LOG_ROW = 9;
// Binary logarithm of the words of a block of columns.
constexpr u32 LOG_COLUMNS_TILE = 12;
constexpr u32 MOST_COLUMN_LEVELS = 8;
// Levels of a round; words that a round loads.
constexpr u32 ROUND = 3;
constexpr u32 EIGHT = 1 << ROUND;

// Constants of a limb. roots: address of roots_kept() factors psi^brv(i), followed by psi^0 to
// psi^63. inverse_roots: likewise with psi^-1. scale: N^-1.
template <class A> struct Transform {
    u64 roots, inverse_roots;
    typename A::Constant scale;
};

// Number of roots in the table of a ring of 2^log_rows rows.
static __device__ __forceinline__ u32 roots_kept(u32 log_rows) { return log_rows < 5 ? 256 : EIGHT << log_rows; }

template <class A> using Roots = Ptr<const typename A::Constant>;

template <class A> __device__ __forceinline__ Roots<A> roots_of(Words transforms, u32 limb, bool inverse)
{
    const Ptr<const Transform<A>> all = as<Transform<A>>(transforms);
    return pointer<const typename A::Constant>(inverse ? all[limb].inverse_roots : all[limb].roots);
}

// ---- widths ----

// Width of words after `levels` levels of forward butterflies on words of width `width`. A level
// first settles words that are too wide for it.
template <class A> static constexpr __device__ int forward_width(int width, int levels)
{
    for (int level = 0; level < levels; level++) {
        width = (width + A::PRODUCT > A::MOST ? A::SETTLED : width) + A::PRODUCT;
    }
    return width;
}

// The largest width that the columns leave in memory. They begin with canonical words, or with
// results of a conversion.
template <class A> static constexpr __device__ int columns_width()
{
    if (A::PACKED != AS_THEY_ARE) {
        return A::PACKED;
    }
    int most = 0;
    for (int levels = 0; levels <= int(MOST_COLUMN_LEVELS); levels++) {
        const int width = forward_width<A>(A::CANONICAL, levels), converted = forward_width<A>(A::REDUCED, levels);
        most = width > most ? width : most;
        most = converted > most ? converted : most;
    }
    return most;
}

// Width that inverse rounds leave. A round of three levels makes sums up to 8 times as wide, so it
// is an eighth of MOST, but at least the width of a sum of two products.
template <class A> static constexpr __device__ int inverse_width()
{
    return 2 * A::PRODUCT > A::MOST / 8 ? 2 * A::PRODUCT : A::MOST / 8;
}

// ---- rounds ----

// A round of R forward levels below `node`, of the words of x from `from` on. They are words at equal
// distances, `width` wide. The results have forward_width(), or, after the last levels (`last`), a
// width that `decode` accepts.
template <class A, int R, int COUNT>
__device__ __forceinline__ void forward_round(
    typename A::Word (&x)[COUNT], const Roots<A>& roots, u32 node, const typename A::Modulus& m, int width, bool last = false,
    int from = 0)
{
#pragma unroll
    for (int s = 0; s < R; s++) {
        const int most = last && s == R - 1 ? A::DECODED : A::MOST;
#pragma unroll
        for (int pair = 0; pair < 1 << (R - 1); pair++) {
            const int half = 1 << (R - 1 - s), part = pair / half, u = from + part * 2 * half + pair % half;
            if (width + A::PRODUCT > most) {
                x[u] = A::settle(x[u], m);
            }
            A::forward(x[u], x[u + half], roots[(node << s) + part], m);
        }
        width = forward_width<A>(width, 1);
    }
}

// A round of R inverse levels below `node`, of the words of x from `from` on. The results are at most
// `left` wide. All widths are compile-time constants.
template <class A, int R, int COUNT>
__device__ __forceinline__ void inverse_round(
    typename A::Word (&x)[COUNT], const Roots<A>& roots, u32 node, const typename A::Modulus& m, int width, int left,
    int from = 0)
{
    int widths[COUNT];
#pragma unroll
    for (int u = 0; u < COUNT; u++) {
        widths[u] = width;
    }
#pragma unroll
    for (int s = R - 1; s >= 0; s--) {
#pragma unroll
        for (int pair = 0; pair < 1 << (R - 1); pair++) {
            const int half = 1 << (R - 1 - s), part = pair / half, u = from + part * 2 * half + pair % half, v = u + half;
            if (widths[u] + widths[v] > A::MOST && widths[u] >= widths[v]) {
                x[u] = A::settle(x[u], m);
                widths[u] = A::SETTLED;
            }
            if (widths[u] + widths[v] > A::MOST) {
                x[v] = A::settle(x[v], m);
                widths[v] = A::SETTLED;
            }
            if (widths[u] + widths[v] > A::MOST) {
                x[u] = A::settle(x[u], m);
                widths[u] = A::SETTLED;
            }
            A::inverse(x[u], x[v], roots[(node << s) + part], m);
            widths[u] += widths[v];
            widths[v] = A::PRODUCT;
        }
    }
#pragma unroll
    for (int u = from; u < from + (1 << R); u++) {
        if (widths[u] > left) {
            x[u] = A::settle(x[u], m);
        }
    }
}

// ---- columns ----

// A block of columns: columns `first` to `first + 2^log_columns - 1` of all 2^log_rows rows. `tile`
// holds the block in shared memory, row by row.
template <class A> struct Columns {
    Limb<A::BYTES> words; // from column `first` of row 0 on
    Shared<typename A::Word> tile;
    Roots<A> roots;
    typename A::Modulus m;
    u32 log_rows, log_columns;
    // where the block's tile begins in `tile`
    u32 base;

    // The limb from this word on.
    __device__ __forceinline__ Limb<A::BYTES> from(u32 row, u32 column) const { return words.from((row << LOG_ROW) + column); }
};

template <class A>
__device__ __forceinline__ Columns<A> columns_of(
    Limbs x, Words transforms, Words moduli, u32 log_rows, bool inverse, const Shared<typename A::Word>& tile)
{
    const u32 i = blockIdx.y;
    const u32 log_columns = log_rows + LOG_ROW < LOG_COLUMNS_TILE ? LOG_ROW : LOG_COLUMNS_TILE - log_rows;
    const Limb<A::BYTES> words = x.limb<A::BYTES>(blockIdx.z, i).from(blockIdx.x << log_columns);
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    return {words, tile, roots_of<A>(transforms, i, inverse), m, log_rows, log_columns, 0};
}

// One group of words in a round of the R levels that begin at LEVEL: its column, its node (counted
// within its level), its first row, and the binary logarithm of the distance between its rows.
struct Group {
    u32 column, node, row, below;
};

// Groups that a thread has at once. The last rounds of less than three levels take several groups of
// neighbouring rows, so that a thread has eight words.
template <int R, int LEVEL> static constexpr __device__ u32 groups_at_once() { return LEVEL == 0 ? 1 : EIGHT >> R; }

// Number `k` of the runs of groups_at_once() groups. Returns the first group.
template <class A, int R, int LEVEL> __device__ __forceinline__ Group group_of(const Columns<A>& c, u32 k)
{
    constexpr u32 GROUPS = groups_at_once<R, LEVEL>();
    const u32 column = k & ((1u << c.log_columns) - 1), rest = k >> c.log_columns;
    if (GROUPS > 1) {
        return {column, rest * GROUPS, rest * GROUPS << R, 0};
    }
    const u32 below = c.log_rows - LEVEL - R, node = rest >> below;
    return {column, node, node << (below + R) | (rest & ((1u << below) - 1)), below};
}

// Canonical words of the columns from memory, as input of the forward transform.
template <class A> struct FromMemory {
    const Columns<A>& c;

    // The words of a group, which are `1 << g.below` rows apart.
    template <int COUNT> __device__ __forceinline__ void load(typename A::Word (&x)[COUNT], const Group& g) const
    {
        const Limb<A::BYTES> words = c.from(g.row, g.column);
#pragma unroll
        for (u32 u = 0; u < u32(COUNT); u++) {
            x[u] = A::encode(words.load(u << (g.below + LOG_ROW)), c.m);
        }
    }
};

// In place of an input, in rounds that have none.
template <class A> struct NoInput {};

// The forward levels of GROUPS groups, the first of which is g; x has their words, `width` wide. After
// the last level it writes lazy words to memory, before to shared memory. MIDDLE: the last level is not
// among these.
template <class A, int R, int LEVEL, int GROUPS, bool MIDDLE>
__device__ __forceinline__ void forward_groups(const Columns<A>& c, typename A::Word (&x)[GROUPS << R], const Group& g, int width)
{
#pragma unroll
    for (u32 s = 0; s < GROUPS; s++) {
        forward_round<A, R>(x, c.roots, (1u << LEVEL) + g.node + s, c.m, width, false, s << R);
    }
    const Limb<A::BYTES> words = c.from(g.row, g.column);
    const u32 at = c.base + (g.row << c.log_columns) + g.column, step = 1u << (g.below + c.log_columns);
    const bool last = !MIDDLE && (R < int(ROUND) || LEVEL + R == c.log_rows);
#pragma unroll
    for (u32 u = 0; u < GROUPS << R; u++) {
        if (last) { // the rows of a group are neighbours
            words.store(u << LOG_ROW, A::pack(x[u], c.m));
        } else {
            c.tile[at + u * step] = x[u];
        }
    }
}

// One forward round. At level 0 it reads words of width `width` from `in`; later ones are in shared
// memory.
template <class A, int R, int LEVEL, class In>
__device__ __forceinline__ void forward_columns(const Columns<A>& c, const In& in, int width)
{
    constexpr u32 GROUPS = groups_at_once<R, LEVEL>();
    for (u32 k = threadIdx.x; k < (1u << (c.log_rows + c.log_columns - R)) / GROUPS; k += blockDim.x) {
        const Group g = group_of<A, R, LEVEL>(c, k);
        typename A::Word x[GROUPS << R];
        if constexpr (LEVEL == 0) {
            in.load(x, g);
        } else {
            const u32 at = c.base + (g.row << c.log_columns) + g.column, step = 1u << (g.below + c.log_columns);
#pragma unroll
            for (u32 u = 0; u < GROUPS << R; u++) {
                x[u] = c.tile[at + u * step];
            }
        }
        forward_groups<A, R, LEVEL, GROUPS, false>(c, x, g, forward_width<A>(width, LEVEL));
    }
}

// The words of a group after the last inverse round, canonical and multiplied by `scale`, to memory.
template <class A> struct ToMemory {
    const Columns<A>& c;

    __device__ __forceinline__ void store(u32 u, const Group& g, const typename A::Word& x) const
    {
        c.from(g.row, g.column).store(u << (g.below + LOG_ROW), A::integer(x));
    }
};

// The same, to where they were in the tile.
template <class A> struct ToTile {
    const Columns<A>& c;

    __device__ __forceinline__ void store(u32 u, const Group& g, const typename A::Word& x) const
    {
        c.tile[c.base + (g.row << c.log_columns) + g.column + (u << (g.below + c.log_columns))] = x;
    }
};

// One inverse round. The first round reads lazy words from memory; the round at level 0 passes
// canonical words, times `scale`, to `out`.
template <class A, int R, int LEVEL, class Out>
__device__ __forceinline__ void inverse_columns(const Columns<A>& c, const typename A::Constant& scale, const Out& out)
{
    constexpr u32 GROUPS = groups_at_once<R, LEVEL>();
    const bool first = R < int(ROUND) || LEVEL + R == c.log_rows;
    for (u32 k = threadIdx.x; k < (1u << (c.log_rows + c.log_columns - R)) / GROUPS; k += blockDim.x) {
        const Group g = group_of<A, R, LEVEL>(c, k);
        typename A::Word x[GROUPS << R];
        const Limb<A::BYTES> words = c.from(g.row, g.column);
        const u32 at = c.base + (g.row << c.log_columns) + g.column, step = 1u << (g.below + c.log_columns);
#pragma unroll
        for (u32 u = 0; u < GROUPS << R; u++) {
            x[u] = first ? A::unpack(words.load(u << LOG_ROW)) : // the rows of a group are neighbours
                typename A::Word(c.tile[at + u * step]);
        }
#pragma unroll
        for (u32 s = 0; s < GROUPS; s++) {
            inverse_round<A, R>(x, c.roots, (1u << LEVEL) + g.node + s, c.m, inverse_width<A>(),
                LEVEL == 0 ? A::MOST : inverse_width<A>(), s << R);
        }
#pragma unroll
        for (u32 u = 0; u < GROUPS << R; u++) {
            if (LEVEL == 0) {
                out.store(u, g, A::canonical(A::mul_const(x[u], scale, c.m), c.m));
            } else {
                c.tile[at + u * step] = x[u];
            }
        }
    }
}

// The round at LEVEL; `width` is that of the words before level 0.
template <class A, int LEVEL, class In>
__device__ __forceinline__ void forward_levels(const Columns<A>& c, const In& in, int width)
{
    const u32 left = c.log_rows - LEVEL;
    if (left >= 3) {
        forward_columns<A, 3, LEVEL>(c, in, width);
    } else if (left == 2) {
        forward_columns<A, 2, LEVEL>(c, in, width);
    } else {
        forward_columns<A, 1, LEVEL>(c, in, width);
    }
}

template <class A, int LEVEL, class Out>
__device__ __forceinline__ void inverse_levels(const Columns<A>& c, const typename A::Constant& scale, const Out& out)
{
    const u32 left = c.log_rows - LEVEL;
    if (left >= 3) {
        inverse_columns<A, 3, LEVEL>(c, scale, out);
    } else if (left == 2) {
        inverse_columns<A, 2, LEVEL>(c, scale, out);
    } else {
        inverse_columns<A, 1, LEVEL>(c, scale, out);
    }
}

// Takes canonical words; leaves lazy words of columns_width().
template <class A> __device__ __forceinline__ void ntt_columns(Limbs x, Words transforms, Words moduli, u32 log_rows)
{
    SHARED(typename A::Word, tile, 1 << LOG_COLUMNS_TILE);
    const Columns<A> c = columns_of<A>(x, transforms, moduli, log_rows, false, tile);
    const FromMemory<A> in = {c};
    forward_levels<A, 0>(c, in, A::CANONICAL);
    if (log_rows > 3) {
        __syncthreads();
        forward_levels<A, 3>(c, NoInput<A>{}, A::CANONICAL);
    }
    if (log_rows > 6) {
        __syncthreads();
        forward_levels<A, 6>(c, NoInput<A>{}, A::CANONICAL);
    }
}

// Takes lazy words of inverse_width(); leaves canonical words, times N^-1.
template <class A> __device__ __forceinline__ void intt_columns(Limbs x, Words transforms, Words moduli, u32 log_rows)
{
    SHARED(typename A::Word, tile, 1 << LOG_COLUMNS_TILE);
    const Columns<A> c = columns_of<A>(x, transforms, moduli, log_rows, true, tile);
    const typename A::Constant scale = as<Transform<A>>(transforms)[blockIdx.y].scale;
    const ToMemory<A> out = {c};
    if (log_rows > 6) {
        inverse_levels<A, 6>(c, scale, out);
        __syncthreads();
    }
    if (log_rows > 3) {
        inverse_levels<A, 3>(c, scale, out);
        __syncthreads();
    }
    inverse_levels<A, 0>(c, scale, out);
}

// ---- rows ----

// The limb and the polynomial of a block of rows. Kernels on rows go from the last limb to the first,
// the others from the first to the last: so a launch begins with what the launch before it used last,
// which is still in the second-level cache.
static __device__ __forceinline__ u32 limb_from_last() { return gridDim.y - 1 - blockIdx.y; }
static __device__ __forceinline__ u32 polynomial_from_last() { return gridDim.z - 1 - blockIdx.z; }

// Words of shared memory for a row, with padding for `in_row`.
constexpr u32 ROW_SHARED = 512 + 8;
constexpr u32 MOST_ROWS = 4;

// 64 threads (threadIdx.x) transform one row; a block has blockDim.y rows. There are three rounds
// of three levels. For k = 0 to 7, thread t holds the words t + 64 k in the first round, 64 (t / 8)
// + t % 8 + 8 k in the second, and 64 (t % 8) + 8 (t / 8) + k in the third. The words of the third
// round belong at positions 64 (t / 8) + 8 k + t % 8 of the evaluation domain.
//
// Where word e of a row is in shared memory. For doubles the number of its eighth changes the lower
// bits. So in each round the 16 words that threads access at a time are in different banks: they differ
// in bits 0 to 3 of e in the first round, in bits 0, 1, 2, 6 in the second, in bits 3, 6, 7, 8 in the
// third. Integers, whose kernels have no registers left for that, have a word of padding after every
// eighth; with 8 bytes a word the second round then needs some banks twice.
template <class A> static __device__ __forceinline__ u32 in_row(u32 e)
{
    return A::SMALL_START > 0 ? e ^ (e >> 6) ^ (e >> 3 & 8) : e + (e >> 6);
}

// psi^(c t), with c = 2 brv(row) + 1, as first factor of A::mul. It is the product of psi^(64 h),
// which is root brv(h), and psi^l, where c t = 64 h + l.
template <class A>
__device__ __forceinline__ typename A::Word twist(
    const Roots<A>& roots, u32 log_rows, u32 row, u32 t, const typename A::Modulus& m)
{
    const u32 reversed = (__brev(row) >> 1) >> (31 - log_rows), e = (2 * reversed + 1) * t;
    const typename A::Constant high = roots[__brev(e >> 6) >> (32 - ROUND - log_rows)];
    return A::factor(high, roots[roots_kept(log_rows) + (e & 63)], m);
}

// Multiplies words of width `width` by f.
template <class A>
__device__ __forceinline__ void multiply(
    typename A::Word (&x)[EIGHT], const typename A::Word& f, const typename A::Modulus& m, int width)
{
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        x[k] = A::mul(f, width > A::MUL_IN ? A::settle(x[k], m) : x[k], m);
    }
}

// The words of a thread before the levels within its row, which begins at word `first` of a limb:
// those that ntt_columns left, or canonical words where the ring has no columns (log_rows = 0).
template <class A>
__device__ __forceinline__ void load_row(
    typename A::Word (&v)[EIGHT], const Limb<A::BYTES>& limb, u32 first, u32 log_rows, const typename A::Modulus& m)
{
    const Limb<A::BYTES> words = limb.from(first + threadIdx.x);
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        const u64 word = words.load(64 * k);
        v[k] = log_rows == 0 ? A::encode(word, m) : A::unpack(word);
    }
}

// The words of a thread in its row of the evaluation domain are STEP places apart, from this one
// on.
constexpr u32 STEP = 8;
static __device__ __forceinline__ u32 place_in_row()
{
    const u32 t = threadIdx.x;
    return 64 * (t >> 3) + (t & 7);
}

// The forward levels within a row; v holds the words of load_row. Leaves words for `decode`, word k
// for place_in_row() + k STEP. `tile` is the row's shared memory; no thread of the block may still
// read it.
template <class A>
__device__ __forceinline__ void forward_row(
    typename A::Word (&v)[EIGHT], const Shared<typename A::Word>& tile, u32 base, const Roots<A>& roots, u32 log_rows,
    u32 row, const typename A::Modulus& m)
{
    constexpr int IN = columns_width<A>();
    const u32 t = threadIdx.x, high = t >> 3, low = t & 7;
    forward_round<A, 3>(v, roots, (1u << log_rows) + row, m, IN);
    multiply<A>(v, twist<A>(roots, log_rows, row, t, m), m, forward_width<A>(IN, 3));
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        tile[base + in_row<A>(t + 64 * k)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        v[k] = tile[base + in_row<A>(64 * high + low + 8 * k)];
    }
    forward_round<A, 3>(v, roots, high, m, A::MUL);
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        tile[base + in_row<A>(64 * high + low + 8 * k)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        v[k] = tile[base + in_row<A>(64 * low + 8 * high + k)];
    }
    forward_round<A, 3>(v, roots, 8 * low + high, m, forward_width<A>(A::MUL, 3), true);
}

// Takes the words of load_row; leaves canonical words.
template <class A> __device__ __forceinline__ void ntt_rows(Limbs x, Words transforms, Words moduli, u32 log_rows)
{
    SHARED(typename A::Word, tile, MOST_ROWS * ROW_SHARED);
    const u32 i = limb_from_last(), p = polynomial_from_last(), row = blockIdx.x * blockDim.y + threadIdx.y;
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    const Limb<A::BYTES> limb = x.limb<A::BYTES>(p, i);
    typename A::Word v[EIGHT];
    load_row<A>(v, limb, row << LOG_ROW, log_rows, m);
    forward_row<A>(v, tile, threadIdx.y * ROW_SHARED, roots_of<A>(transforms, i, false), log_rows, row, m);
    const Limb<A::BYTES> out = limb.from((row << LOG_ROW) + place_in_row());
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        out.store(k * STEP, A::decode(v[k], m));
    }
}

// The inverse levels within a row, the reverse of forward_row: takes canonical words and leaves
// words t + 64 k, for `pack`. `tile` is the row's shared memory; no thread of the block may still
// read it.
template <class A>
__device__ __forceinline__ void inverse_row(
    typename A::Word (&v)[EIGHT], const Shared<typename A::Word>& tile, u32 base, const Roots<A>& roots, u32 log_rows,
    u32 row, const typename A::Modulus& m)
{
    constexpr int LAZY = inverse_width<A>();
    const u32 t = threadIdx.x, high = t >> 3, low = t & 7;
    inverse_round<A, 3>(v, roots, 8 * low + high, m, A::CANONICAL, LAZY);
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        tile[base + in_row<A>(64 * low + 8 * high + k)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        v[k] = tile[base + in_row<A>(64 * high + low + 8 * k)];
    }
    inverse_round<A, 3>(v, roots, high, m, LAZY, A::MUL_IN);
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        tile[base + in_row<A>(64 * high + low + 8 * k)] = v[k];
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        v[k] = tile[base + in_row<A>(t + 64 * k)];
    }
    multiply<A>(v, twist<A>(roots, log_rows, row, t, m), m, A::MUL_IN);
    inverse_round<A, 3>(v, roots, (1u << log_rows) + row, m, A::MUL, A::PACKED == AS_THEY_ARE ? LAZY : A::MOST);
}

// Takes canonical words of src, which may be x; leaves in x lazy words of inverse_width(), or
// canonical words times N^-1 where the ring has no columns.
template <class A> __device__ __forceinline__ void intt_rows(Limbs x, Limbs src, Words transforms, Words moduli, u32 log_rows)
{
    SHARED(typename A::Word, tile, MOST_ROWS * ROW_SHARED);
    const u32 t = threadIdx.x, i = limb_from_last(), p = polynomial_from_last();
    const u32 row = blockIdx.x * blockDim.y + threadIdx.y;
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    const Limb<A::BYTES> from = src.limb<A::BYTES>(p, i).from((row << LOG_ROW) + place_in_row());
    typename A::Word v[EIGHT];
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        v[k] = A::encode(from.load(k * STEP), m);
    }
    inverse_row<A>(v, tile, threadIdx.y * ROW_SHARED, roots_of<A>(transforms, i, true), log_rows, row, m);
    const typename A::Constant scale = as<Transform<A>>(transforms)[i].scale;
    const Limb<A::BYTES> out = x.limb<A::BYTES>(p, i).from((row << LOG_ROW) + t);
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        out.store(64 * k, log_rows == 0 ? A::decode(A::mul_const(v[k], scale, m), m) : A::pack(v[k], m));
    }
}

// ---- small rings ----

// Both directions for N = 2 blockDim.x below 512: one block for each limb, one thread for each
// butterfly. Takes canonical words of src, which may be x, and leaves canonical words in x.
template <class A> __device__ __forceinline__ void ntt_small(Limbs x, Limbs src, Words transforms, Words moduli, u32 inverse)
{
    SHARED(typename A::Word, tile, 256);
    const u32 t = threadIdx.x, i = blockIdx.y, n = x.n;
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    const Roots<A> roots = roots_of<A>(transforms, i, inverse != 0);
    const Limb<A::BYTES> words = x.limb<A::BYTES>(blockIdx.z, i), from = src.limb<A::BYTES>(blockIdx.z, i);
    tile[t] = A::encode(from.load(t), m);
    tile[t + n / 2] = A::encode(from.load(t + n / 2), m);
    for (u32 blocks = inverse ? n / 2 : 1; blocks > 0 && blocks < n; blocks = inverse ? blocks / 2 : 2 * blocks) {
        __syncthreads();
        const u32 half = n / 2 / blocks, block = t / half, at = block * 2 * half + t % half;
        typename A::Word u = A::settle(tile[at], m), v = A::settle(tile[at + half], m);
        if (inverse) {
            A::inverse(u, v, roots[blocks + block], m);
        } else {
            A::forward(u, v, roots[blocks + block], m);
        }
        tile[at] = u;
        tile[at + half] = v;
    }
    __syncthreads();
    const typename A::Constant scale = as<Transform<A>>(transforms)[i].scale;
    for (u32 k = t; k < n; k += n / 2) {
        words.store(k, A::decode(inverse ? A::mul_const(tile[k], scale, m) : typename A::Word(tile[k]), m));
    }
}

} // namespace ringjet
