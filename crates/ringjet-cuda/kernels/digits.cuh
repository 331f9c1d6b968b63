// Products of big coefficients by digits (ringjet_backend::big::digits), in three launches:
//
// split_columns   cuts integers into digits of DIGIT_BITS bits, makes their residues and transforms
//                 the columns;
// digit_products  transforms the rows, sums the products of digits of each weight, and does the
//                 inverse rows of the sums;
// join_columns    does the inverse columns, makes integers of the residues, adds up the weights,
//                 shifts, rounds, and adds.
//
// Words between launches are lazy, as between columns and rows of a transform. The proofs of all
// ranges are in docs/proofs/big.md.
#pragma once

#include "big.cuh"
#include "convert.cuh"
#include "ntt.cuh"
#include "products.cuh"

namespace ringjet {

constexpr u32 DIGIT_BITS = 306;

// ---- integers to residues ----

// Digits are cut into pieces that every arithmetic takes as left factors of sums.
constexpr u32 SPLIT_BITS = 44, SPLIT_PIECES = 7;

// Residues of the digits of integers modulo 2^bits, with the columns of their transforms: columns
// blockIdx.x of digit blockIdx.y of polynomial blockIdx.z; threadIdx.y shares the primes. Digit d of
// polynomial p becomes polynomial `p * gridDim.y + d` of dst. The highest digit is centred: its
// highest bit is flipped, and `offset` makes up for it. Constants: for each prime factors of sums
// (A::Right): `offset`, then 2^(SPLIT_BITS k) for each piece k. Shared memory: SPLIT_PIECES + 1 tiles.
template <class A>
__device__ __forceinline__ void split_columns(
    Limbs dst, Limbs src, Words constants, Words transforms, Words moduli, u32 primes, u32 bits, u32 log_rows, u32 log_tile)
{
    DYNAMIC_SHARED(u64, y);
    SHARED(typename A::Word, tiles, CONVERT_GROUPS << LOG_CONVERT_TILE);
    const u32 log_columns = log_tile - log_rows, first = blockIdx.x << log_columns, digit = blockIdx.y, p = blockIdx.z;
    const u32 words = words_of(bits), start = digit * DIGIT_BITS;
    const u32 size = least(bits - start, DIGIT_BITS), pieces = (size + SPLIT_BITS - 1) / SPLIT_BITS;
    const bool highest = digit + 1 == gridDim.y;
    for (u32 e = threadIdx.y * blockDim.x + threadIdx.x; e < 1u << log_tile; e += blockDim.x * blockDim.y) {
        const u32 c = ((e >> log_columns) << LOG_ROW) + first + (e & ((1u << log_columns) - 1));
        u32 at = start / WORD_BITS, bit = start % WORD_BITS;
        u64 word = src.limb<8>(p, at).load(c);
#pragma unroll 1
        for (u32 k = 0; k < pieces; k++) {
            const u32 left = size - k * SPLIT_BITS;
            u64 x = word >> bit;
            bit += SPLIT_BITS;
            if (bit >= WORD_BITS) {
                bit -= WORD_BITS;
                at++;
                word = at < words ? src.limb<8>(p, at).load(c) : u64(0);
                x |= word << (SPLIT_BITS - bit);
            }
            x &= (u64(1) << least(left, SPLIT_BITS)) - 1;
            x ^= highest && left <= SPLIT_BITS ? u64(1) << (left - 1) : u64(0);
            y[(k << log_tile) + e] = bits_of(A::number(i64(x)));
        }
        y[(pieces << log_tile) + e] = bits_of(A::number(highest));
    }
    __syncthreads();
    const Outputs outputs = {dst, p * gridDim.y + digit, 0, primes, first, log_rows, log_tile, constants, 1 + SPLIT_PIECES,
                             y, pieces, false, transforms, moduli};
    converted_columns<A, 1>(outputs, tiles);
}

// ---- products ----

// Stands for second factors that are not among the first ones.
constexpr u32 PREPARED = 0xffffffff;

// A word that `canonical` accepts, as it is kept for products: as first factor after `kept_factor`,
// or as second factor.
template <class A> __device__ __forceinline__ typename A::Word kept(typename A::Word x, const typename A::Modulus& m)
{
    return A::MUL_TAKES_SETTLED ? A::settle(x, m) : A::canonical(x, m);
}

template <class A> __device__ __forceinline__ typename A::Word kept_factor(typename A::Word x, const typename A::Modulus& m)
{
    return A::MUL_TAKES_SETTLED ? x : A::form(x, m);
}

// Sums of products of digits, after the rows of their transforms and before those of the inverse:
// rows blockIdx.x modulo prime blockIdx.y. Polynomial `s * weights + w` of dst is the sum of all
// x_(l, i) r_(r, j) with i + j = first_weight + w, over the pairs (l, r) of sum s. Digit i of first
// factor l is polynomial `l * left_digits + i` of x. Digit j of second factor r is polynomial
// `second + r * right_digits + j` of x, or, where `second` is PREPARED, polynomial `r * right_digits +
// j` of `right`, which has canonical words in the evaluation domain. The first `staged` polynomials of
// x lack the levels within rows; if it is 0, x has canonical words in the evaluation domain.
//
// flag: absent (n = 0), or a word that is set to 0; with `guard` the launch does nothing if the word is
// 0 already. sums: for each sum the number of its first pair in the low half and of the pair after its
// last one in the high half; then the pairs, l in the low half. Shared memory: for each row ROW_SHARED
// words and 512 for each staged polynomial.
template <class A>
__device__ __forceinline__ void digit_products(
    Limbs dst, Limbs x, Limbs right, Limbs flag, Words sums, Words transforms, Words moduli, u32 staged, u32 second,
    u32 left_digits, u32 right_digits, u32 first_weight, u32 weights, u32 count, u32 guard, u32 log_rows)
{
    DYNAMIC_SHARED(typename A::Word, tile);
    if (guard != 0) {
        if (u64(flag.words[0]) == 0) {
            return;
        }
    } else if (flag.n != 0 && blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0) {
        flag.words[0] = 0;
    }
    const u32 i = blockIdx.y, row = blockIdx.x * blockDim.y + threadIdx.y, first = row << LOG_ROW;
    const u32 base = threadIdx.y * ROW_SHARED, place = first + place_in_row();
    // where a thread keeps its words of staged polynomials
    const u32 own = blockDim.y * ROW_SHARED + threadIdx.y * blockDim.x + threadIdx.x, step = blockDim.x * blockDim.y;
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    typename A::Word v[EIGHT];
    for (u32 l = 0; l < staged; l++) {
        load_row<A>(v, x.limb<A::BYTES>(l, i), first, log_rows, m);
        __syncthreads();
        forward_row<A>(v, tile, base, roots_of<A>(transforms, i, false), log_rows, row, m);
#pragma unroll
        for (u32 k = 0; k < EIGHT; k++) {
            tile[own + (l * EIGHT + k) * step] = kept<A>(v[k], m);
        }
    }
    for (u32 s = 0; s < count; s++) {
        const u32 begin = u32(sums[s]), end = u32(sums[s] >> 32);
        for (u32 w = 0; w < weights; w++) {
            const u32 weight = first_weight + w;
            const u32 low = weight < right_digits ? 0 : weight - right_digits + 1, high = least(weight, left_digits - 1);
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                v[k] = A::encode(0, m);
            }
            u32 terms = 0;
            for (u32 t = begin; t < end; t++) {
                const u64 pair = sums[count + t];
                for (u32 d = low; d <= high; d++) {
                    const u32 l = u32(pair) * left_digits + d, r = u32(pair >> 32) * right_digits + weight - d;
                    const bool inside = staged != 0 && second != PREPARED;
                    const Limb<A::BYTES> a = x.limb<A::BYTES>(l, i).from(place);
                    const Limb<A::BYTES> b = (second == PREPARED ? right.limb<A::BYTES>(r, i) : x.limb<A::BYTES>(second + r, i)).from(place);
                    typename A::Word f[EIGHT];
#pragma unroll
                    for (u32 k = 0; k < EIGHT; k++) {
                        f[k] = staged != 0 ? typename A::Word(tile[own + (l * EIGHT + k) * step]) : A::encode(a.load(k * STEP), m);
                    }
#pragma unroll
                    for (u32 k = 0; k < EIGHT; k++) {
                        const typename A::Word g = inside ? typename A::Word(tile[own + ((second + r) * EIGHT + k) * step])
                                                          : A::encode(b.load(k * STEP), m);
                        v[k] = add_lazy<A>(v[k], A::mul(kept_factor<A>(f[k], m), g, m), m);
                    }
                    if (is_full<A>(++terms)) {
#pragma unroll
                        for (u32 k = 0; k < EIGHT; k++) {
                            v[k] = make_room<A>(v[k], m);
                        }
                    }
                }
            }
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                v[k] = total<A>(v[k], m);
            }
            __syncthreads();
            inverse_row<A>(v, tile, base, roots_of<A>(transforms, i, true), log_rows, row, m);
            const Limb<A::BYTES> out = dst.limb<A::BYTES>(s * weights + w, i).from(first + threadIdx.x);
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                out.store(64 * k, A::pack(v[k], m));
            }
        }
    }
}

// ---- residues to integers ----

// Integers are computed in pieces of JOIN_BITS bits.
constexpr u32 JOIN_BITS = 29;
constexpr u32 JOIN_MASK = (1u << JOIN_BITS) - 1;
// Pieces that lie in a pair of words of constants; pairs of the lower half of an integer, which is
// left out where no result depends on it.
constexpr u32 PIECES_OF_PAIR = 4, LOW_PAIRS = 3;
// The first piece that has bits of integers of weight w.
static __device__ __forceinline__ u32 first_piece(u32 w) { return w * DIGIT_BITS / JOIN_BITS; }

// Number of pieces of a residue.
template <class A> static constexpr __device__ u32 residue_pieces() { return (A::LEFT_BITS + JOIN_BITS) / JOIN_BITS; }

// What becomes of the sum of all weights. Bits `shift` to `bits` - 1, rounded, are the result. If the
// `unsure` bits from `unsure_from` on are all ones or all zeros, what was not computed may change it.
struct Finish {
    u32 bits, shift, unsure_from, unsure;

    __device__ __forceinline__ u32 words() const { return words_of(bits - shift); }

    // The words of the result that have no bits from bit `end` of the sum on.
    __device__ __forceinline__ u32 words_below(u32 end) const
    {
        return end <= shift ? 0 : least(words(), (end - shift) / WORD_BITS);
    }
};

// Pieces of the sum of one coefficient in shared memory, normalised, `stride` apart from `at` on. The
// first is number `first` of the sum. The one after the `count` others is the sum of all that was
// carried above them: 0 or -1.
struct Window {
    const Shared<u32>& pieces;
    u32 at, stride, count, first;

    __device__ __forceinline__ u32 piece(u32 k) const { return pieces[at + least(k, count) * stride] & JOIN_MASK; }

    // 52 bits of the sum, from `bit` on.
    __device__ __forceinline__ u64 bits(u32 bit) const
    {
        const u32 k = bit / JOIN_BITS - first, by = bit % JOIN_BITS;
        return ((piece(k) | u64(piece(k + 1)) << JOIN_BITS) >> by | u64(piece(k + 2)) << (2 * JOIN_BITS - by)) & LOW_WORD;
    }
};

// acc + a b. One instruction: products that are added later would take registers.
static __device__ __forceinline__ u64 add_wide(u64 acc, u32 a, u32 b)
{
#ifdef __CUDACC__
    asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(acc) : "r"(a), "r"(b));
    return acc;
#else
    return mad_wide(a, b, acc);
#endif
}

// Pieces of integers, not normalised: acc[j] is that of 2^(JOIN_BITS j).
template <class A, u32 PAIRS> struct Pieces {
    static constexpr u32 COUNT = PIECES_OF_PAIR * PAIRS + residue_pieces<A>() - 1;
    u64 acc[COUNT];

    // Adds (or subtracts) y times the integer of a row of constants, in its pairs FROM to TO.
    template <u32 FROM, u32 TO, u32 TERMS> __device__ __forceinline__ void add(u64 y, Ptr<const Pair> row)
    {
#pragma unroll
        for (u32 pair = FROM; pair < TO; pair++) {
            const Pair words = row[pair];
            const u32 piece[PIECES_OF_PAIR] = {low(words.x), high(words.x), low(words.y), high(words.y)};
#pragma unroll
            for (u32 k = 0; k < PIECES_OF_PAIR; k++) {
#pragma unroll
                for (u32 t = 0; t < TERMS; t++) {
                    const u32 at = pair * PIECES_OF_PAIR + k + t;
                    acc[at] = add_wide(acc[at], u32(y >> (t * JOIN_BITS)) & JOIN_MASK, piece[k]);
                }
            }
        }
    }
    template <u32 FROM, u32 TO> __device__ __forceinline__ void subtract(u32 v, Ptr<const Pair> row)
    {
#pragma unroll
        for (u32 pair = FROM; pair < TO; pair++) {
            const Pair words = row[pair];
            const u32 piece[PIECES_OF_PAIR] = {low(words.x), high(words.x), low(words.y), high(words.y)};
#pragma unroll
            for (u32 k = 0; k < PIECES_OF_PAIR; k++) {
                acc[pair * PIECES_OF_PAIR + k] -= wide(v, piece[k]);
            }
        }
    }
};

// The inverse columns of all primes of one polynomial: canonical residues times (P/p)^-1 in y, a tile
// for each prime.
template <class A>
__device__ __forceinline__ void residues_of_columns(
    const Limbs& sums, u32 poly, Ptr<const Input<A>> inputs, Words transforms, const Shared<typename A::Word>& y, u32 primes,
    u32 first, u32 log_rows, u32 log_tile)
{
    const u32 log_columns = log_tile - log_rows;
    const auto columns = [&](u32 i) {
        return Columns<A>{sums.limb<A::BYTES>(poly, i).from(first), y, roots_of<A>(transforms, i, true), inputs[i].m,
                          log_rows, log_columns, i << log_tile};
    };
    if (log_rows > 6) {
#pragma unroll 1
        for (u32 i = threadIdx.y; i < primes; i += blockDim.y) {
            const Columns<A> c = columns(i);
            inverse_levels<A, 6>(c, inputs[i].inverse, ToTile<A>{c});
        }
        __syncthreads();
    }
    if (log_rows > 3) {
#pragma unroll 1
        for (u32 i = threadIdx.y; i < primes; i += blockDim.y) {
            const Columns<A> c = columns(i);
            inverse_levels<A, 3>(c, inputs[i].inverse, ToTile<A>{c});
        }
        __syncthreads();
    }
#pragma unroll 1
    for (u32 i = threadIdx.y; i < primes; i += blockDim.y) {
        const Columns<A> c = columns(i);
        inverse_levels<A, 0>(c, inputs[i].inverse, ToTile<A>{c});
    }
}

// Pieces below those of a weight that a window keeps: the bits of a word of the result may begin there.
constexpr u32 PIECES_BELOW = 2;

// Integers of residues, with the inverse columns before: columns blockIdx.x of polynomial blockIdx.z
// of dst, whose sums of products are polynomials `weights * blockIdx.z + w` of `sums`. The integer of
// weight w is multiplied by 2^(DIGIT_BITS (first_weight + w)). PAIRS: pairs of words that the pieces
// of an integer take.
//
// constants: for each prime an `Input` whose `inverse` is (N P/p)^-1; then, for each weight, rows of
// PAIRS pairs of words, for each prime that of P/p and then that of P: the pieces of 2^s P/p, where s
// is the number of bits below the weight's in its first piece. `needless`: how many of the lowest bits
// of the sum are not needed. flag: 1 is added for coefficients that may be wrong; with `guard` the
// launch does nothing if it is 0. Shared memory for each coefficient: a word for each prime; then
// `Window::count` + 2 numbers: the pieces, what is carried above them, and the carry of the addition of
// `add`.
template <class A, u32 PAIRS>
__device__ __forceinline__ void join_by(
    const Limbs& dst, const Limbs& sums, const Limbs& add, const Limbs& flag, Words constants, Words transforms, u32 weights,
    u32 first_weight, u32 primes, const Finish& f, u32 needless, u32 adds, u32 log_rows, u32 log_tile)
{
    DYNAMIC_SHARED(typename A::Word, y);
    DYNAMIC_SHARED(u32, pieces);
    constexpr u32 COUNT = Pieces<A, PAIRS>::COUNT, TERMS = residue_pieces<A>(), WINDOW = PIECES_BELOW + COUNT;
    const u32 tile = 1u << log_tile, log_columns = log_tile - log_rows, first = blockIdx.x << log_columns, p = blockIdx.z;
    const u32 thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const Ptr<const Input<A>> inputs = as<Input<A>>(constants);
    const Ptr<const Pair> rows = as<Pair>(constants + u32(sizeof(Input<A>) / sizeof(u64)) * primes);
    u32 begun = 0, moved = 0; // words of the result so far; pieces between this weight and the one before
    for (u32 w = 0; w < weights; w++) {
        residues_of_columns<A>(sums, p * weights + w, inputs, transforms, y, primes, first, log_rows, log_tile);
        __syncthreads();
        const u32 start = first_piece(first_weight + w), next = first_piece(first_weight + w + 1);
        const bool last = w + 1 == weights, lower = (start + LOW_PAIRS * PIECES_OF_PAIR) * JOIN_BITS > needless;
        const bool upper = start + LOW_PAIRS * PIECES_OF_PAIR < (f.bits + JOIN_BITS - 1) / JOIN_BITS;
        // the bits of the sum that are known after this weight
        const u32 known = last ? ~0u : next * JOIN_BITS, done = last ? f.words() : f.words_below(known);
        const bool rounds = f.shift > start * JOIN_BITS && f.shift <= known;
        const bool checks = f.unsure != 0 && f.unsure_from + f.unsure > start * JOIN_BITS && f.unsure_from + f.unsure <= known;
        const Ptr<const Pair> row = rows + w * (primes + 1) * PAIRS;
#pragma unroll 1
        for (u32 e = thread; e < tile; e += threads) {
            const u32 c = ((e >> log_columns) << LOG_ROW) + first + (e & ((1u << log_columns) - 1));
            const u32 at = ((2 * primes) << log_tile) + e;
            const Window window = {pieces, at, tile, WINDOW, start - PIECES_BELOW};
            Pieces<A, PAIRS> x;
#pragma unroll
            for (u32 j = 0; j < COUNT; j++) {
                const u32 k = PIECES_BELOW + j + moved;
                x.acc[j] = w > 0 && k <= WINDOW ? u64(i64(i32(u32(pieces[at + k * tile])))) : u64(0);
            }
            if (w > 0) {
                // what is below: the last pieces of those that do not change any more
#pragma unroll
                for (u32 k = 0; k < PIECES_BELOW; k++) {
                    pieces[at + k * tile] = u32(pieces[at + (k + moved) * tile]);
                }
            }
            if (rounds) {
#pragma unroll
                for (u32 j = 0; j < COUNT; j++) {
                    x.acc[j] += (f.shift - 1) / JOIN_BITS - start == j ? u64(1) << ((f.shift - 1) % JOIN_BITS) : 0;
                }
            }
            u64 sum = 0;
#pragma unroll 1
            for (u32 i = 0; i < primes; i++) {
                const u64 residue = A::integer(y[(i << log_tile) + e]);
                sum += fraction(residue, inputs[i].ratio, int(inputs[i].bits));
                if (lower) {
                    x.template add<0, LOW_PAIRS, TERMS>(residue, row + i * PAIRS);
                }
                if (upper) {
                    x.template add<LOW_PAIRS, PAIRS, TERMS>(residue, row + i * PAIRS);
                }
            }
            const u32 v = u32(nearest(sum));
            if (lower) {
                x.template subtract<0, LOW_PAIRS>(v, row + primes * PAIRS);
            }
            if (upper) {
                x.template subtract<LOW_PAIRS, PAIRS>(v, row + primes * PAIRS);
            }
            i64 carry = 0;
#pragma unroll
            for (u32 j = 0; j < COUNT; j++) {
                const i64 t = i64(x.acc[j]) + carry;
                pieces[at + (PIECES_BELOW + j) * tile] = u32(t) & JOIN_MASK;
                carry = t >> JOIN_BITS;
            }
            // A sum that is smaller than half a unit of the result in size is rounded to 0.
            const bool vanishes = rounds && (f.shift - 1) / JOIN_BITS >= start + COUNT;
            pieces[at + WINDOW * tile] = vanishes ? 0 : u32(i32(carry));

            if (checks) {
                const u64 mask = (u64(1) << f.unsure) - 1, bits = window.bits(f.unsure_from) & mask;
                if (bits == mask || bits == 0) {
                    atomicAdd(&flag.words[0], u64(1));
                }
            }
            u32 over = begun > 0 ? u32(pieces[at + (WINDOW + 1) * tile]) : 0;
#pragma unroll 1
            for (u32 k = begun; k < done; k++) {
                const u64 word = window.bits(f.shift + k * WORD_BITS) + over + (p < adds ? add.limb<8>(p, k).load(c) : u64(0));
                over = u32(word >> WORD_BITS);
                dst.limb<8>(p, k).store(c, word & (k + 1 == f.words() ? top_mask(f.bits - f.shift) : LOW_WORD));
            }
            if (done > begun) {
                pieces[at + (WINDOW + 1) * tile] = over;
            }
        }
        begun = done;
        moved = next - start;
        __syncthreads();
    }
}

// join_by for integers of up to 6 pairs of words of constants, and of up to 7. In one kernel the two
// would take more registers than a thread has.
template <class A>
__device__ __forceinline__ void join_columns(
    Limbs dst, Limbs sums, Limbs add, Limbs flag, Words constants, Words transforms, u32 weights, u32 first_weight,
    u32 primes, u32 bits, u32 shift, u32 unsure_from, u32 unsure, u32 needless, u32 adds, u32 guard, u32 log_rows, u32 log_tile)
{
    if (guard == 0 || u64(flag.words[0]) != 0) {
        const Finish f = {bits, shift, unsure_from, unsure};
        join_by<A, 6>(dst, sums, add, flag, constants, transforms, weights, first_weight, primes, f, needless, adds, log_rows, log_tile);
    }
}

template <class A>
__device__ __forceinline__ void join_longer_columns(
    Limbs dst, Limbs sums, Limbs add, Limbs flag, Words constants, Words transforms, u32 weights, u32 first_weight,
    u32 primes, u32 bits, u32 shift, u32 unsure_from, u32 unsure, u32 needless, u32 adds, u32 guard, u32 log_rows, u32 log_tile)
{
    if (guard == 0 || u64(flag.words[0]) != 0) {
        const Finish f = {bits, shift, unsure_from, unsure};
        join_by<A, 7>(dst, sums, add, flag, constants, transforms, weights, first_weight, primes, f, needless, adds, log_rows, log_tile);
    }
}

} // namespace ringjet
