// Memory and launches of heaan004.cu, on a GPU or on the library's emulator.
//
// A kernel is a structure with its arguments, NAME, THREADS (most threads of a block) and the body
// as operator(). `launch` takes a function that makes the structure, because the emulator looks up
// its pointers for each launch.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "device.cuh"
#ifndef RINGJET_EMULATOR
#include "../timing.cuh"
#endif

#ifdef RINGJET_EMULATOR

namespace emulator {
void begin(u32 bytes);  // emulator.cpp
}

// The emulator's memory, as pairs of begin and end.
static std::vector<std::pair<u64, u64>> allocations;

// The emulator asks which allocation an address belongs to.
extern "C" bool ringjet_emulator_find(u64 address, u64* base, u64* begin, u64* end) {
    for (const auto& a : allocations) {
        if (a.first <= address && address < a.second) {
            *base = *begin = a.first;
            *end = a.second;
            return true;
        }
    }
    return false;
}

#endif

namespace heaan004 {

// Device memory for `count` values. It begins with bytes that are no result.
template <class T>
class Buffer {
    static constexpr int UNWRITTEN = 0xa5;
    T* at = nullptr;
    size_t count = 0;

    size_t bytes() const { return count * sizeof(T); }

public:
    Buffer(size_t count) : count(count) {
#ifdef RINGJET_EMULATOR
        at = static_cast<T*>(std::malloc(bytes()));
        if (at == nullptr) std::abort();
        std::memset(static_cast<void*>(at), UNWRITTEN, bytes());
        allocations.push_back({u64(at), u64(at) + bytes()});
#else
        CHECK(cudaMalloc(&at, bytes()));
        CHECK(cudaMemset(at, UNWRITTEN, bytes()));
#endif
    }
    explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) { upload(values); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
#ifdef RINGJET_EMULATOR
        for (auto& a : allocations) {
            if (a.first == u64(at)) a = {0, 0};
        }
        std::free(at);
#else
        CHECK(cudaFree(at));
#endif
    }

    void upload(const std::vector<T>& values) {
        if (values.size() != count) std::abort();
#ifdef RINGJET_EMULATOR
        std::memcpy(static_cast<void*>(at), values.data(), bytes());
#else
        CHECK(cudaMemcpy(at, values.data(), bytes(), cudaMemcpyHostToDevice));
#endif
    }
    std::vector<T> download() const {
        std::vector<T> values(count);
#ifdef RINGJET_EMULATOR
        std::memcpy(static_cast<void*>(values.data()), at, bytes());
#else
        CHECK(cudaMemcpy(values.data(), at, bytes(), cudaMemcpyDeviceToHost));
#endif
        return values;
    }

#ifdef RINGJET_EMULATOR
    Ptr<const T> read() const { return pointer<const T>(u64(at)); }
    Ptr<T> write() const { return pointer<T>(u64(at)); }
#else
    const T* read() const { return at; }
    T* write() const { return at; }
#endif
};

#ifdef RINGJET_EMULATOR

inline u32 multiprocessors() { return 2; }

template <class Make>
void launch(u32 blocks, u32 rows, u32 threads, u32 shared_bytes, Make make) {
    emulator::begin(sizeof(u32));
    const auto kernel = make();
    const Dim grid = {blocks, rows, 1}, block = {threads, 1, 1};
    const char* failed = threads > kernel.THREADS
                             ? "too many threads in a block"
                             : emulator::launch(kernel.NAME, &grid, &block, shared_bytes, [&] { kernel(); });
    if (failed) {
        std::fprintf(stderr, "%s: %s\n", kernel.NAME, failed);
        std::exit(1);
    }
}

#else

inline u32 multiprocessors() {
    int count;
    CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return u32(count);
}

template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS) entry(const Kernel kernel) {
    kernel();
}

template <class Make>
void launch(u32 blocks, u32 rows, u32 threads, u32 shared_bytes, Make make) {
    const auto kernel = make();
    entry<<<dim3(blocks, rows), threads, shared_bytes>>>(kernel);
    CHECK(cudaGetLastError());
}

#endif

}  // namespace heaan004
