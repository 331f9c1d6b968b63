// The functions of libcuda.so.1 for graphs of kernels, and what all launches have in common.

#include "call.h"

#include <algorithm>

using namespace fake;

namespace {

u64 argument_bytes(char kind) { return kind == 'L' ? 32 : kind == 'l' ? 8 * 440 : kind == 'W' ? 8 : 4; }

// CUDA_KERNEL_NODE_PARAMS_v2
struct Parameters {
    void* function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
    void** arguments;
    void** extra;
    void* kernel;
    void* context;
};

// The launch that a node's parameters describe.
Result described(const Call& call, const char* name, const Parameters* p, Launch* out)
{
    Function* const f = call.own<Function>(name, p->function);
    if (f == nullptr) {
        return INVALID_HANDLE;
    }
    if (p->extra != nullptr || p->kernel != nullptr || p->context != nullptr) {
        return call.m.complain(INVALID_VALUE, "%s with parameters that are not known here", name);
    }
    const Dim grid = {p->grid_x, p->grid_y, p->grid_z}, block = {p->block_x, p->block_y, p->block_z};
    return call.m.prepare(f, grid, block, p->shared, p->arguments, out);
}

} // namespace

namespace fake {

Result Machine::prepare(Function* function, Dim grid, Dim block, u32 shared, void** arguments, Launch* out)
{
    const Kernel& k = *function->kernel;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0 || grid.x > 0x7fffffff ||
        grid.y > 65535 || grid.z > 65535 || shared > function->most_dynamic) {
        return complain(INVALID_VALUE, "%s with %u x %u x %u blocks of %u x %u x %u threads and %u bytes", k.name, grid.x, grid.y,
                        grid.z, block.x, block.y, block.z, shared);
    }
    if (u64(block.x) * block.y * block.z > k.threads) {
        return complain(LAUNCH_OUT_OF_RESOURCES, "%s has %u threads at most", k.name, k.threads);
    }
    *out = {function, grid, block, shared, {}};
    for (const char* kind = k.arguments; *kind != 0; kind++) {
        const char* const from = static_cast<const char*>(arguments[kind - k.arguments]);
        out->arguments.emplace_back(from, from + argument_bytes(*kind));
    }
    return SUCCESS;
}

Result Machine::run(const Launch& launch)
{
    const Kernel& k = *launch.function->kernel;
    launch.function->device->kernels++;
    if (launch.function->module->dead) {
        return complain(LAUNCH_FAILED, "%s runs after its module was unloaded", k.name);
    }
    if (!settings.skip.empty() && std::string(k.name).compare(0, settings.skip.size(), settings.skip) == 0) {
        return SUCCESS;
    }
    std::vector<const void*> pointers;
    for (const auto& a : launch.arguments) {
        pointers.push_back(a.data());
    }
    const char* const wrong = k.entry(&launch.grid, &launch.block, launch.shared, pointers.data());
    return wrong == nullptr ? SUCCESS : complain(ILLEGAL_ADDRESS, "%s", wrong);
}

} // namespace fake

API int cuGraphCreate(void** graph, unsigned flags)
{
    IN_CONTEXT;
    if (flags != 0) {
        return m.complain(INVALID_VALUE, "a graph with flags");
    }
    *graph = m.add<Graph>(current);
    return SUCCESS;
}

API int cuGraphAddKernelNode_v2(void** node, void* graph, void* const* dependencies, size_t count, const Parameters* parameters)
{
    IN_CONTEXT;
    OWN(Graph, g, graph);
    Launch launch;
    if (const Result wrong = described(call, __func__, parameters, &launch); wrong != SUCCESS) {
        return wrong;
    }
    std::vector<Node*> after;
    for (size_t i = 0; i < count; i++) {
        OWN(Node, before, dependencies[i]);
        if (before->graph != g) {
            return m.complain(INVALID_VALUE, "a node depends on a node of another graph");
        }
        after.push_back(before);
    }
    Node* const made = m.add<Node>(current);
    made->graph = g;
    made->after = after;
    made->launch = launch;
    g->nodes.push_back(made);
    *node = made;
    return SUCCESS;
}

// Nodes that do not depend on each other run in the reverse order of their addition.
API int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long flags)
{
    IN_CONTEXT;
    OWN(Graph, g, graph);
    if (m.settings.graphs != SUCCESS) {
        return m.settings.graphs;
    }
    if (flags != 0) {
        return m.complain(INVALID_VALUE, "an executable graph with flags");
    }
    Exec* const made = m.add<Exec>(current);
    std::vector<Node*> rest = g->nodes;
    while (!rest.empty()) {
        const auto waits = [&](const Node* n) {
            return std::any_of(n->after.begin(), n->after.end(),
                               [&](Node* before) { return std::find(rest.begin(), rest.end(), before) != rest.end(); });
        };
        const auto next = std::find_if(rest.rbegin(), rest.rend(), [&](const Node* n) { return !waits(n); });
        made->launches.emplace_back(*next, (*next)->launch);
        rest.erase(std::next(next).base());
    }
    m.graph_builds++;
    *exec = made;
    return SUCCESS;
}

API int cuGraphExecKernelNodeSetParams_v2(void* exec, void* node, const Parameters* parameters)
{
    IN_CONTEXT;
    OWN(Exec, e, exec);
    OWN(Node, n, node);
    Launch launch;
    if (const Result wrong = described(call, __func__, parameters, &launch); wrong != SUCCESS) {
        return wrong;
    }
    for (auto& [of, does] : e->launches) {
        if (of == n) {
            if (does.function != launch.function) {
                return m.complain(INVALID_VALUE, "a node gets another kernel");
            }
            does = launch; // runs that are queued have copies
            m.graph_updates++;
            return SUCCESS;
        }
    }
    return m.complain(INVALID_VALUE, "an executable graph was not made of this node");
}

API int cuGraphUpload(void* exec, void* stream)
{
    IN_CONTEXT;
    OWN(Exec, e, exec);
    OWN(Stream, s, stream);
    return m.settings.uploads;
}

API int cuGraphLaunch(void* exec, void* stream)
{
    IN_CONTEXT;
    OWN(Exec, e, exec);
    OWN(Stream, s, stream);
    m.graph_launches++;
    auto launches = std::make_shared<std::vector<std::pair<Node*, Launch>>>(e->launches);
    m.enqueue(s, [&m, launches] {
        for (const auto& [of, does] : *launches) {
            if (const Result wrong = m.run(does); wrong != SUCCESS) {
                return wrong;
            }
        }
        return SUCCESS;
    });
    return SUCCESS;
}

API int cuGraphExecDestroy(void* exec)
{
    IN_CONTEXT;
    OWN(Exec, e, exec);
    e->dead = true;
    return SUCCESS;
}

API int cuGraphDestroy(void* graph)
{
    IN_CONTEXT;
    OWN(Graph, g, graph);
    g->dead = true;
    for (Node* n : g->nodes) {
        n->dead = true;
    }
    return SUCCESS;
}
