// A fake libnvrtc.so. Its "machine code" is a checksum of the source and the list of its entry
// points.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

enum Result : int { SUCCESS = 0, INVALID_INPUT = 3, INVALID_PROGRAM = 4, INVALID_OPTION = 5, COMPILATION = 6 };

struct Program {
    std::string source, code, log;
};

std::atomic<uint64_t> compilations{0}, programs{0};

uint64_t checksum(const std::string& text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const unsigned char c : text) {
        hash = (hash ^ c) * 0x100000001b3u;
    }
    return hash;
}

// The version that it pretends to be: 10 major + minor.
int version()
{
    const char* text = getenv("RINGJET_FAKE_NVRTC");
    return text == nullptr ? 130 : atoi(text);
}

std::vector<int> architectures()
{
    std::vector<int> known = {75, 80, 86, 87, 89, 90};
    if (version() >= 130) {
        known.insert(known.end(), {88, 100, 103, 110, 120, 121});
    }
    return known;
}

bool knows(const std::string& architecture)
{
    const std::vector<int> known = architectures();
    return std::any_of(known.begin(), known.end(), [&](int k) { return architecture == "sm_" + std::to_string(k); });
}

// The text "entry NAME(" for each `extern "C" __global__ ... NAME(` of the source.
std::string entries(const std::string& source)
{
    std::string list;
    for (size_t at = 0; (at = source.find("extern \"C\" __global__", at)) != std::string::npos;) {
        at = source.find("ringjet_", at);
        const size_t end = at == std::string::npos ? at : source.find('(', at);
        if (end == std::string::npos) {
            break;
        }
        list += "entry " + source.substr(at, end - at) + "(\n";
        at = end;
    }
    return list;
}

} // namespace

API int nvrtcVersion(int* major, int* minor)
{
    *major = version() / 10;
    *minor = version() % 10;
    return SUCCESS;
}

API int nvrtcGetNumSupportedArchs(int* count)
{
    *count = int(architectures().size());
    return SUCCESS;
}

API int nvrtcGetSupportedArchs(int* out)
{
    const std::vector<int> known = architectures();
    std::copy(known.begin(), known.end(), out);
    return SUCCESS;
}

API int nvrtcCreateProgram(Program** program, const char* source, const char*, int headers, const char* const*, const char* const*)
{
    if (headers != 0) {
        return INVALID_INPUT;
    }
    programs++;
    *program = new Program{source, "", ""};
    return SUCCESS;
}

API int nvrtcCompileProgram(Program* p, int count, const char* const* options)
{
    std::string text, architecture;
    for (int i = 0; i < count; i++) {
        const std::string option = options[i], name = "--gpu-architecture=";
        text += option + "\n";
        if (option.compare(0, name.size(), name) == 0) {
            architecture = option.substr(name.size());
        }
    }
    compilations++;
    if (!knows(architecture)) {
        p->log = "invalid value for --gpu-architecture";
        return INVALID_OPTION;
    }
    if (const size_t wrong = p->source.find("#error"); wrong != std::string::npos) {
        p->log = p->source.substr(wrong, std::min<size_t>(200, p->source.find('\n', wrong) - wrong));
        return COMPILATION;
    }
    const std::string body = architecture + "\n" + std::to_string(checksum(p->source + text)) + "\n" + entries(p->source);
    const uint64_t length = body.size();
    p->code = "\x7f" "ELFfake";
    p->code.append(reinterpret_cast<const char*>(&length), 8);
    p->code += body;
    return SUCCESS;
}

API int nvrtcGetCUBINSize(Program* p, size_t* bytes)
{
    *bytes = p->code.size();
    return p->code.empty() ? INVALID_PROGRAM : SUCCESS;
}

API int nvrtcGetCUBIN(Program* p, char* out)
{
    memcpy(out, p->code.data(), p->code.size());
    return SUCCESS;
}

API int nvrtcGetProgramLogSize(Program* p, size_t* bytes)
{
    *bytes = p->log.size() + 1;
    return SUCCESS;
}

API int nvrtcGetProgramLog(Program* p, char* out)
{
    memcpy(out, p->log.c_str(), p->log.size() + 1);
    return SUCCESS;
}

API int nvrtcDestroyProgram(Program** program)
{
    delete *program;
    programs--;
    return SUCCESS;
}

// For tests: the number of compilations, and the number of programs that exist.
API uint64_t ringjet_fake_compilations() { return compilations; }
API uint64_t ringjet_fake_programs() { return programs; }
