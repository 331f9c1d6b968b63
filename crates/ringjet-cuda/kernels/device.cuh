// What all kernels use: word types, pointers, shared memory, views of polynomials. The emulator
// replaces pointers and shared memory by ones that check bounds (emulator/shim.h); all other source
// is shared.
#pragma once

#ifndef RINGJET_EMULATOR

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

template <class T> using Ptr = T*;
template <class T> using Shared = T*;

// The pointer for an address that was itself read from device memory.
template <class T> __device__ __forceinline__ Ptr<T> pointer(u64 address) { return reinterpret_cast<T*>(address); }

// Constants as values of type T instead of as words.
template <class T> __device__ __forceinline__ Ptr<const T> as(Ptr<const u64> words)
{
    return reinterpret_cast<const T*>(words);
}

// Numbers as values of type T, which may be written.
template <class T> __device__ __forceinline__ Ptr<T> as(Ptr<u64> words) { return reinterpret_cast<T*>(words); }
template <class T> __device__ __forceinline__ Ptr<T> as(Ptr<u32> numbers) { return reinterpret_cast<T*>(numbers); }
template <class T> __device__ __forceinline__ Ptr<T> as(Ptr<u16> numbers) { return reinterpret_cast<T*>(numbers); }

// Shared memory of a block. SHARED has `count` values; DYNAMIC_SHARED has as many as the launch
// asked for.
#define SHARED(T, name, count) \
    __shared__ T name##_memory[count]; \
    const Shared<T> name = name##_memory
#define DYNAMIC_SHARED(T, name) \
    extern __shared__ __align__(16) u64 dynamic_shared[]; \
    const Shared<T> name = reinterpret_cast<T*>(dynamic_shared)

// Element i, which nothing reads again soon: the caches give its place away first.
template <class T> __device__ __forceinline__ T read_once(Ptr<T> p, u64 i) { return __ldcs(p + i); }

#endif

typedef Ptr<const u64> Words;

// Element i; ONCE: by read_once.
template <bool ONCE, class T> __device__ __forceinline__ T element(const Ptr<T>& p, u64 i)
{
    if constexpr (ONCE) {
        return read_once(p, i);
    } else {
        return p[i];
    }
}


// Two neighbouring words, x and y, which a GPU reads or writes in one access: `const Pair p =
// as<Pair>(words)[i]`. The address must be a multiple of 16 bytes.
typedef ulonglong2 Pair;
typedef uint2 Pair32;
typedef ushort2 Pair16;
// Four neighbours, at an address that is a multiple of all their bytes or of 16.
typedef uint4 Four32;
typedef ushort4 Four16;

// A limb in memory, whose residues take 8, 6 or 4 bytes. Residues of 6 bytes have their lower 32
// bits in a first array and their upper 16 in a second one, so that both are read and written in
// whole lines. An array takes whole words of 8 bytes. `load` and `store` take a word, `pair` and
// `store_pair` two neighbours, words c and c + 1, with an even c, `four` and `store_four` four
// neighbours, with a multiple c of four; ONCE: see element. A limb of 8 bytes a residue has no `four`: two accesses are better apart.
template <int BYTES> struct Limb;

template <> struct Limb<8> {
    Ptr<u64> words;

    // Words of a limb of n residues.
    static __device__ __forceinline__ u32 words_of(u32 n) { return n; }
    static __device__ __forceinline__ Limb at(Ptr<u64> words, u32) { return {words}; }
    // The limb from word c on.
    __device__ __forceinline__ Limb from(u32 c) const { return {words + c}; }
    template <bool ONCE = false> __device__ __forceinline__ u64 load(u32 c) const { return element<ONCE>(words, c); }
    __device__ __forceinline__ void store(u32 c, u64 word) const { words[c] = word; }
    template <bool ONCE = false> __device__ __forceinline__ Pair pair(u32 c) const { return element<ONCE>(as<Pair>(words), c / 2); }
    __device__ __forceinline__ void store_pair(u32 c, const Pair& pair) const { as<Pair>(words)[c / 2] = pair; }
};

template <> struct Limb<6> {
    Ptr<u32> low;
    Ptr<u16> high;

    static __device__ __forceinline__ u32 words_of(u32 n) { return (n + 1) / 2 + (n + 3) / 4; }
    static __device__ __forceinline__ Limb at(Ptr<u64> words, u32 n) { return {as<u32>(words), as<u16>(words + (n + 1) / 2)}; }
    __device__ __forceinline__ Limb from(u32 c) const { return {low + c, high + c}; }
    template <bool ONCE = false> __device__ __forceinline__ u64 load(u32 c) const
    {
        return u64(element<ONCE>(high, c)) << 32 | element<ONCE>(low, c);
    }
    __device__ __forceinline__ void store(u32 c, u64 word) const
    {
        low[c] = u32(word);
        high[c] = u16(word >> 32);
    }
    template <bool ONCE = false> __device__ __forceinline__ Pair pair(u32 c) const
    {
        const Pair32 l = element<ONCE>(as<Pair32>(low), c / 2);
        const Pair16 h = element<ONCE>(as<Pair16>(high), c / 2);
        return {u64(h.x) << 32 | l.x, u64(h.y) << 32 | l.y};
    }
    __device__ __forceinline__ void store_pair(u32 c, const Pair& pair) const
    {
        as<Pair32>(low)[c / 2] = Pair32{u32(pair.x), u32(pair.y)};
        as<Pair16>(high)[c / 2] = Pair16{u16(pair.x >> 32), u16(pair.y >> 32)};
    }
    template <bool ONCE = false> __device__ __forceinline__ void four(u64 (&x)[4], u32 c) const
    {
        const Four32 l = element<ONCE>(as<Four32>(low), c / 4);
        const Four16 h = element<ONCE>(as<Four16>(high), c / 4);
        x[0] = u64(h.x) << 32 | l.x;
        x[1] = u64(h.y) << 32 | l.y;
        x[2] = u64(h.z) << 32 | l.z;
        x[3] = u64(h.w) << 32 | l.w;
    }
    __device__ __forceinline__ void store_four(u32 c, const u64 (&x)[4]) const
    {
        as<Four32>(low)[c / 4] = Four32{u32(x[0]), u32(x[1]), u32(x[2]), u32(x[3])};
        as<Four16>(high)[c / 4] = Four16{u16(x[0] >> 32), u16(x[1] >> 32), u16(x[2] >> 32), u16(x[3] >> 32)};
    }
};

template <> struct Limb<4> {
    Ptr<u32> words;

    static __device__ __forceinline__ u32 words_of(u32 n) { return (n + 1) / 2; }
    static __device__ __forceinline__ Limb at(Ptr<u64> words, u32) { return {as<u32>(words)}; }
    __device__ __forceinline__ Limb from(u32 c) const { return {words + c}; }
    template <bool ONCE = false> __device__ __forceinline__ u64 load(u32 c) const { return element<ONCE>(words, c); }
    __device__ __forceinline__ void store(u32 c, u64 word) const { words[c] = u32(word); }
    template <bool ONCE = false> __device__ __forceinline__ Pair pair(u32 c) const
    {
        const Pair32 pair = element<ONCE>(as<Pair32>(words), c / 2);
        return {pair.x, pair.y};
    }
    __device__ __forceinline__ void store_pair(u32 c, const Pair& pair) const
    {
        as<Pair32>(words)[c / 2] = Pair32{u32(pair.x), u32(pair.y)};
    }
    template <bool ONCE = false> __device__ __forceinline__ void four(u64 (&x)[4], u32 c) const
    {
        const Four32 l = element<ONCE>(as<Four32>(words), c / 4);
        x[0] = l.x;
        x[1] = l.y;
        x[2] = l.z;
        x[3] = l.w;
    }
    __device__ __forceinline__ void store_four(u32 c, const u64 (&x)[4]) const
    {
        as<Four32>(words)[c / 4] = Four32{u32(x[0]), u32(x[1]), u32(x[2]), u32(x[3])};
    }
};

// A view of residue polynomials. Limb i of polynomial p has n residues and begins after `stride * p +
// chosen[i]` limbs, or after `stride * p + i` where `chosen` is null. If polys is 1, the one polynomial
// is used for every p.
struct Limbs {
    Ptr<u64> words;
    Ptr<const u32> chosen;
    u32 stride, polys, n, unused;

    template <int BYTES> __device__ __forceinline__ Limb<BYTES> limb(u32 p, u32 i) const
    {
        const u64 index = u64(polys == 1 ? 0 : p) * stride + (chosen ? chosen[i] : i);
        return Limb<BYTES>::at(words + index * Limb<BYTES>::words_of(n), n);
    }
};

// Arguments whose number differs between launches, such as the terms of a sum. They are passed by
// value, so nothing has to be copied to the device before a launch.
constexpr u32 LIST_WORDS = 440;
struct List {
    u64 words[LIST_WORDS];

    __device__ __forceinline__ u64 operator[](u32 i) const { return words[i]; }

    // The view in the words from `at` on: 0: address of limb 0; 1: address of the list of chosen
    // limbs, or 0; 2: stride in the low half and number of polynomials in the high half.
    __device__ __forceinline__ Limbs view(u32 at, u32 n) const
    {
        return {pointer<u64>(words[at]), pointer<const u32>(words[at + 1]), u32(words[at + 2]), u32(words[at + 2] >> 32), n, 0};
    }
};
constexpr u32 VIEW_WORDS = 3;

// The coefficient of this thread, in kernels whose blocks are runs of neighbouring coefficients.
__device__ __forceinline__ u32 coefficient() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The first of the two neighbouring coefficients of this thread, in kernels whose threads have two.
__device__ __forceinline__ u32 first_coefficient() { return 2 * coefficient(); }
