// Verilator's runtime, with two of its habits changed: what it prints goes to the instance that
// prints, and the elements of a memory start with different random values.

int cosim_print(const char* format, ...);
#define VL_PRINTF cosim_print

// The runtime draws an initial value from (seed, scope, variable): all elements of a memory would
// be equal, and a wrong address would go unseen.
#define VL_SCOPED_RAND_RESET_I verilator_scoped_rand_reset_i
#define VL_SCOPED_RAND_RESET_Q verilator_scoped_rand_reset_q
#define VL_SCOPED_RAND_RESET_W verilator_scoped_rand_reset_w
#include COSIM_VERILATED_CPP
#undef VL_SCOPED_RAND_RESET_I
#undef VL_SCOPED_RAND_RESET_Q
#undef VL_SCOPED_RAND_RESET_W

/// Which variable was initialized last on this thread, and which of its elements.
static thread_local struct {
    uint64_t scope, salt, element;
} initialized;

/// A new model begins: nothing was initialized yet.
void cosim_begin_initialization() { initialized = {0, 0, 0}; }

/// Tells the elements of one variable apart: calls for them follow one another.
static uint64_t element_salt(uint64_t scope, uint64_t salt) {
    const bool same = scope == initialized.scope && salt == initialized.salt;
    initialized = {scope, salt, same ? initialized.element + 1 : 0};
    return salt ^ (initialized.element * 0x9e3779b97f4a7c15ULL);
}

IData VL_SCOPED_RAND_RESET_I(int bits, uint64_t scope, uint64_t salt) VL_MT_UNSAFE {
    return verilator_scoped_rand_reset_i(bits, scope, element_salt(scope, salt));
}

QData VL_SCOPED_RAND_RESET_Q(int bits, uint64_t scope, uint64_t salt) VL_MT_UNSAFE {
    return verilator_scoped_rand_reset_q(bits, scope, element_salt(scope, salt));
}

WDataOutP VL_SCOPED_RAND_RESET_W(int bits, WDataOutP words, uint64_t scope,
                                 uint64_t salt) VL_MT_UNSAFE {
    return verilator_scoped_rand_reset_w(bits, words, scope, element_salt(scope, salt));
}
