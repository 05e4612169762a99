// The same test as `main.rs`, written straight against Verilator's class: a driver with a queue, a
// monitor that checks the stream rules, and a scoreboard that compares all fields in order.

#include "Vtable_lookup.h"
#include "verilated.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <memory>

/// Of the table; half of the keys are missing from it.
constexpr uint32_t ENTRIES = COSIM_ENTRIES;

using Words = std::array<uint32_t, 8>;

struct Answer {
    bool hit;
    Words descriptor;

    bool operator==(const Answer& other) const {
        return hit == other.hit && descriptor == other.descriptor;
    }
};

/// Watches the answers: rules 2 and 4 of the stream contract.
class Monitor {
public:
    explicit Monitor(const Vtable_lookup& dut) : dut{dut} {}

    /// The answer that the coming edge transfers, if any.
    const Answer* sample() {
        const bool valid = dut.found_valid;
        if (dut.rst) {
            if (valid && was_in_reset) fail("rule 4");
            was_in_reset = true;
            holding = false;
            return nullptr;
        }
        was_in_reset = false;
        if (holding && !valid) fail("rule 2");
        if (!valid) return nullptr;
        seen.hit = dut.found_data_hit;
        for (int i = 0; i < 8; ++i) seen.descriptor[i] = dut.found_data_descriptor[i];
        if (holding && !(seen == held)) fail("rule 2");
        if (dut.found_ready) {
            holding = false;
            return &seen;
        }
        if (!holding) held = seen;
        holding = true;
        return nullptr;
    }

    [[noreturn]] static void fail(const char* what) {
        std::fprintf(stderr, "%s\n", what);
        std::exit(1);
    }

private:
    const Vtable_lookup& dut;
    Answer held{}, seen{};
    bool holding = false, was_in_reset = false;
};

struct Xorshift {
    uint64_t state;
    uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    }
};

int main(int, char** arguments) {
    const uint64_t cycles = std::strtoull(arguments[1], nullptr, 10);
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(1);
    const auto dut = std::make_unique<Vtable_lookup>(&context);
    Xorshift random{0x9e3779b97f4a7c15ULL};
    uint64_t time = 0;

    const auto step = [&] {
        context.time(++time);
        dut->clk = 1;
        dut->eval();
        dut->clk = 0;
    };

    dut->clk = dut->program_valid = dut->lookup_valid = 0;
    dut->found_ready = 1;
    dut->rst = 1;
    for (int i = 0; i < 2; ++i) {
        dut->eval();
        step();
    }
    dut->rst = 0;

    std::array<Answer, 2 * ENTRIES> golden{};
    for (uint32_t index = 0; index < ENTRIES; ++index) {
        Words words;
        for (auto& word : words) word = static_cast<uint32_t>(random.next());
        words[7] &= 0x7ff;
        words[0] = (words[0] & ~0x3ffU) | index * 2;
        golden[index * 2] = {true, words};
        for (int i = 0; i < 8; ++i) dut->program_descriptor[i] = words[i];
        dut->program_index = index;
        dut->program_valid = 1;
        dut->eval();
        step();
    }
    dut->program_valid = 0;

    Monitor monitor{*dut};
    std::deque<uint32_t> queue;
    std::deque<Answer> expected;
    bool offering = false;
    uint64_t matched = 0;
    const std::clock_t start = std::clock();
    for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
        const uint32_t key = random.next() % (2 * ENTRIES);
        queue.push_back(key);
        expected.push_back(golden[key]);

        if (!offering) {
            dut->lookup_data = queue.front();
            dut->lookup_valid = 1;
            offering = true;
        }
        dut->found_ready = 1;
        dut->eval();
        if (offering && dut->lookup_ready) {
            queue.pop_front();
            offering = false;
        }
        if (const Answer* const answer = monitor.sample()) {
            if (expected.empty() || !(*answer == expected.front())) Monitor::fail("mismatch");
            expected.pop_front();
            ++matched;
        }
        step();
    }
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%llu %.6f\n", (unsigned long long)matched, seconds);
}
