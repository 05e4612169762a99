// The C face of a verilated model: one object of class Vmodel behind a handle.
// `ports.inc` is generated from the model's header: COSIM_PORT(index, member) for each port.

#include "Vmodel.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>

void cosim_begin_initialization();

#define COSIM_API extern "C" __attribute__((visibility("default")))

namespace {

/// Unwinds an evaluation that cannot go on.
struct Halt {
    std::string text;
};

struct Instance {
    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<Vmodel> model;
#if VM_TRACE_FST
    std::unique_ptr<VerilatedFstC> wave;
#endif
    std::string output;
    std::string message;
    bool halted = false;
};

/// The object that this thread entered last: output of the runtime goes there.
thread_local Instance* running = nullptr;

void enter(Instance* self) {
    running = self;
    Verilated::threadContextp(self->context.get());
}

std::string place(const char* file, int line) {
    return std::string{file ? file : ""} + ":" + std::to_string(line) + ": ";
}

/// Runs `body`; false: it ended early, and the message says why.
template <typename Body>
bool completed(Instance* self, Body body) {
    try {
        body();
        return true;
    } catch (const Halt& halt) {
        self->message = halt.text;
    } catch (const std::exception& error) {
        self->message = error.what();
    }
    return false;
}

/// Runs `body` in the model; 0: runs on, 1: $finish, 2: halted.
template <typename Body>
int guarded(Instance* self, Body body) {
    if (!self->halted) self->halted = !completed(self, body);
    if (self->halted) return 2;
    return self->context->gotFinish() ? 1 : 0;
}

}  // namespace

// What the Verilator runtime calls instead of ending the process.

void vl_finish(const char*, int, const char*) VL_MT_UNSAFE {
    Verilated::threadContextp()->gotFinish(true);
}

void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {
    throw Halt{place(file, line) + "the model stopped ($stop, $error, $fatal or an assertion)"};
}

void vl_fatal(const char* file, int line, const char*, const char* text) VL_MT_UNSAFE {
    throw Halt{place(file, line) + text};
}

/// Every line the model or the runtime prints.
int cosim_print(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    if (running && length > 0) {
        std::string text(static_cast<size_t>(length) + 1, '\0');
        std::vsnprintf(&text[0], text.size(), format, again);
        text.pop_back();
        running->output += text;
    }
    va_end(again);
    return length;
}

COSIM_API void* cosim_new(int seed) {
    auto* const self = new (std::nothrow) Instance;
    if (!self) return nullptr;
    self->context = std::make_unique<VerilatedContext>();
    self->context->randReset(2);
    self->context->randSeed(seed);
#if VM_TRACE
    self->context->traceEverOn(true);
#endif
    enter(self);
    cosim_begin_initialization();
    self->model = std::make_unique<Vmodel>(self->context.get());
    return self;
}

COSIM_API void cosim_delete(void* handle) {
    auto* const self = static_cast<Instance*>(handle);
#if VM_TRACE_FST
    if (self->wave) self->wave->close();
    self->wave.reset();
#endif
    self->model.reset();
    self->context.reset();
    running = nullptr;
    delete self;
}

/// Makes the object this thread's own; to be called before any function below, whenever the thread
/// called another object's in between. (Apart from them, because it is slow.)
COSIM_API void cosim_enter(void* handle) { enter(static_cast<Instance*>(handle)); }

COSIM_API void* cosim_port(void* handle, uint32_t index) {
    auto* const self = static_cast<Instance*>(handle);
    switch (index) {
#define COSIM_PORT(place, member) \
    case place: return &self->model->member;
#include "ports.inc"
    default: return nullptr;
    }
}

COSIM_API int cosim_eval(void* handle, uint64_t time) {
    auto* const self = static_cast<Instance*>(handle);
    return guarded(self, [self, time] {
        self->context->time(time);
        self->model->eval();
    });
}

COSIM_API const char* cosim_text(void* handle, int which) {
    const auto* const self = static_cast<Instance*>(handle);
    return which == 0 ? self->message.c_str() : self->output.c_str();
}

COSIM_API void cosim_clear_output(void* handle) { static_cast<Instance*>(handle)->output.clear(); }

COSIM_API int cosim_open_wave(void* handle, const char* path) {
#if VM_TRACE_FST
    auto* const self = static_cast<Instance*>(handle);
    return guarded(self, [self, path] {
        self->wave = std::make_unique<VerilatedFstC>();
        self->model->trace(self->wave.get(), 99);
        self->wave->open(path);
        if (!self->wave->isOpen()) throw Halt{std::string{"cannot write the wave "} + path};
    });
#else
    (void)handle;
    (void)path;
    return 2;
#endif
}

COSIM_API void cosim_dump_wave(void* handle, uint64_t time) {
#if VM_TRACE_FST
    auto* const self = static_cast<Instance*>(handle);
    if (self->wave) self->wave->dump(time);
#else
    (void)handle;
    (void)time;
#endif
}

COSIM_API void cosim_close_wave(void* handle) {
#if VM_TRACE_FST
    auto* const self = static_cast<Instance*>(handle);
    if (self->wave) self->wave->close();
    self->wave.reset();
#else
    (void)handle;
#endif
}

COSIM_API int cosim_write_coverage(void* handle, const char* path) {
#if VM_COVERAGE
    auto* const self = static_cast<Instance*>(handle);
    // Of a halted model too: what it reached before counts.
    return completed(self, [self, path] { self->context->coveragep()->write(path); }) ? 0 : 2;
#else
    (void)handle;
    (void)path;
    return 2;
#endif
}

COSIM_API int cosim_finish(void* handle) {
    auto* const self = static_cast<Instance*>(handle);
    return guarded(self, [self] { self->model->final(); });
}
