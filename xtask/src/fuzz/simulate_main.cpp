// Runs all circuits of a batch: reads `stimulus.bin`, writes `observed.bin`, both in 32-bit words.
#include "Vbatch.h"
#include "verilated.h"
#include <cstdio>
#include <vector>

struct Circuit {
    EData* next;
    unsigned next_words;
    CData* edges;
    EData* observed;
    unsigned observed_words;
};

static int run(unsigned count, unsigned cycles, void (*connect)(Vbatch&, Circuit*)) {
    VerilatedContext context;
    Vbatch top{&context};
    std::vector<Circuit> circuits(count);
    connect(top, circuits.data());
    std::FILE* in = std::fopen("stimulus.bin", "rb");
    std::FILE* out = std::fopen("observed.bin", "wb");
    if (!in || !out) return 1;
    std::vector<unsigned> edges(count);
    top.eval();
    for (unsigned cycle = 0; cycle < cycles; ++cycle) {
        for (unsigned k = 0; k < count; ++k) {
            if (std::fread(circuits[k].next, 4, circuits[k].next_words, in) != circuits[k].next_words) return 2;
            if (std::fread(&edges[k], 4, 1, in) != 1) return 2;
        }
        top.load = 1;
        top.eval();
        for (const Circuit& circuit : circuits) std::fwrite(circuit.observed, 4, circuit.observed_words, out);
        for (unsigned k = 0; k < count; ++k) *circuits[k].edges = edges[k];
        top.load = 0;
        top.eval();
        for (unsigned k = 0; k < count; ++k) *circuits[k].edges = 0;
        top.eval();
    }
    top.final();
    return std::fclose(out) ? 3 : 0;
}
