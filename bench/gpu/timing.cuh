// Shared by ceilings.cu and chains.cu: errors, samples, and one JSON object on standard output.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(CALL)                                                                              \
    do {                                                                                         \
        cudaError_t error_ = (CALL);                                                             \
        if (error_ != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #CALL, cudaGetErrorString(error_)); \
            std::exit(1);                                                                        \
        }                                                                                        \
    } while (0)

constexpr int WARM_UPS = 3;
constexpr int SAMPLES = 15;

// The JSON object {"min":..,"q1":..,"median":..,"q3":..,"max":..,"n":..}
inline std::string summary(std::vector<double> x) {
    std::sort(x.begin(), x.end());
    auto at = [&](double p) {
        double i = p * (x.size() - 1);
        size_t low = (size_t)i, high = std::min(low + 1, x.size() - 1);
        return x[low] + (x[high] - x[low]) * (i - low);
    };
    char text[256];
    std::snprintf(text, sizeof text, "{\"min\":%.6g,\"q1\":%.6g,\"median\":%.6g,\"q3\":%.6g,\"max\":%.6g,\"n\":%zu}", at(0),
                  at(0.25), at(0.5), at(0.75), at(1), x.size());
    return text;
}

// Seconds of `launch`, measured with events.
template <class F>
inline std::vector<double> seconds(F launch) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<double> found;
    for (int i = -WARM_UPS; i < SAMPLES; i++) {
        CHECK(cudaEventRecord(start));
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (i >= 0) found.push_back(ms / 1e3);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return found;
}

inline std::vector<double> per(double amount, std::vector<double> seconds) {
    for (double& s : seconds) s = amount / s;
    return seconds;
}

inline bool first_rate = true;

// Prints the rates of a kernel that runs one block on each multiprocessor. `kernel` gets memory for
// the cycles of each block.
template <class F>
inline void rate(const char* name, double operations_of_a_block, int blocks, F kernel) {
    long long* cycles;
    CHECK(cudaMalloc(&cycles, blocks * sizeof *cycles));
    std::vector<double> time = seconds([&] { kernel(cycles); });
    std::vector<double> rates;  // rates of each block in the last launch
    std::vector<long long> each(blocks);
    CHECK(cudaMemcpy(each.data(), cycles, blocks * sizeof *cycles, cudaMemcpyDeviceToHost));
    for (long long c : each) rates.push_back(operations_of_a_block / (double)c);
    CHECK(cudaFree(cycles));
    std::printf("%s\n{\"name\":\"%s\",\"per_cycle_of_a_multiprocessor\":%s,\"per_second\":%s}", first_rate ? "" : ",", name,
                summary(rates).c_str(), summary(per(operations_of_a_block * blocks, time)).c_str());
    first_rate = false;
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", name);
}

// Prints "device":{..}; returns the number of multiprocessors.
inline int describe() {
    cudaDeviceProp p;
    int driver, runtime, clock, memory_clock;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, 0));
    std::printf("\"device\":{\"name\":\"%s\",\"capability\":\"%d.%d\",\"multiprocessors\":%d,\"most_khz\":%d,"
                "\"memory_khz\":%d,\"l2_bytes\":%d,\"bytes\":%zu,\"driver\":%d,\"runtime\":%d}",
                p.name, p.major, p.minor, p.multiProcessorCount, clock, memory_clock, p.l2CacheSize, p.totalGlobalMem, driver,
                runtime);
    return p.multiProcessorCount;
}
