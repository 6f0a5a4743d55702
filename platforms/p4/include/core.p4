// Declarations for every P4-16 program, whatever its target: P4-16 language specification, appendix D.
#ifndef HORAE_CORE_P4
#define HORAE_CORE_P4

error {
    NoError,
    PacketTooShort,
    NoMatch,
    StackOutOfBounds,
    HeaderTooShort,
    ParserTimeout,
    ParserInvalidArgument
}

match_kind { exact, ternary, lpm }

// A packet as a parser reads it.
extern packet_in {
    void extract<T>(out T hdr);
    void extract<T>(out T hdr, in bit<32> bits_of_varbit);
    T lookahead<T>();
    void advance(in bit<32> bits);
    bit<32> length();
}

// A packet as a deparser writes it.
extern packet_out {
    void emit<T>(in T hdr);
}

extern void verify(in bool holds, in error otherwise);
extern bool static_assert(bool holds);
extern bool static_assert(bool holds, string message);

action NoAction() {}

#endif
