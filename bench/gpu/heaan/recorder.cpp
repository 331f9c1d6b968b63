// Stands in for the CUDA runtime: prints allocations, copies to the device and launches, one a line.
//
//     allocated ADDRESS BYTES
//     copied ADDRESS BYTES
//     launch KERNEL BLOCKS_X BLOCKS_Y BLOCKS_Z THREADS_X THREADS_Y SHARED WORD...   the words of its arguments
//
// The environment's PARAMETER_BYTES has `KERNEL=BYTES,` for each kernel.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

struct Dim3 {
    unsigned x, y, z;
};
struct Configuration {
    Dim3 grid, block;
    size_t shared;
    void* stream;
};

static Configuration pushed;

// Kernels are registered before main; `names` must exist then.
static std::map<const void*, std::string>& names() {
    static std::map<const void*, std::string> all;
    return all;
}
static uint64_t next = uint64_t(1) << 44;

static size_t parameter_bytes(const std::string& kernel) {
    const char* all = std::getenv("PARAMETER_BYTES");
    const std::string text = all ? all : "", key = kernel + "=";
    const size_t at = text.find(key);
    if (at == std::string::npos) {
        std::fprintf(stderr, "PARAMETER_BYTES does not have %s\n", kernel.c_str());
        std::exit(1);
    }
    return std::strtoul(text.c_str() + at + key.size(), nullptr, 10);
}

extern "C" {

void** __cudaRegisterFatBinary(void*) {
    static void* handle;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*, void*, void*, int*) {
    names()[host] = name;
}
unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, void* stream) {
    pushed = {grid, block, shared, stream};
    return 0;
}
int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared, void* stream) {
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *static_cast<void**>(stream) = pushed.stream;
    return 0;
}
// What a compiled launch calls: the function of the host stands for its kernel.
int __cudaGetKernel(const void** kernel, const void* host) {
    *kernel = host;
    return 0;
}
int __cudaLaunchKernel(const void* host, Dim3 grid, Dim3 block, void** arguments, size_t shared, void*) {
    const std::string& name = names().at(host);
    std::printf("launch %s %u %u %u %u %u %zu", name.c_str(), grid.x, grid.y, grid.z, block.x, block.y, shared);
    const uint32_t* words = static_cast<const uint32_t*>(arguments[0]);
    for (size_t i = 0; i < parameter_bytes(name) / 4; i++) std::printf(" %u", words[i]);
    std::printf("\n");
    return 0;
}
int cudaMalloc(void** at, size_t bytes) {
    *at = reinterpret_cast<void*>(next);
    std::printf("allocated %llu %zu\n", static_cast<unsigned long long>(next), bytes);
    next += (bytes + 511) / 256 * 256;
    return 0;
}
int cudaFree(void*) { return 0; }
int cudaMemset(void*, int, size_t) { return 0; }
int cudaMemcpy(void* to, const void*, size_t bytes, int) {
    std::printf("copied %llu %zu\n", static_cast<unsigned long long>(reinterpret_cast<uint64_t>(to)), bytes);
    return 0;
}
int cudaDeviceGetAttribute(int* value, int, int) {
    *value = MULTIPROCESSORS;  // the only attribute that is asked for
    return 0;
}
int cudaGetLastError() { return 0; }
const char* cudaGetErrorString(int) { return ""; }

}  // extern "C"
