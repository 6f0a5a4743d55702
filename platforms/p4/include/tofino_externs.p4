// Extern objects and functions: Tofino Native Architecture, chapter 6; those of Tofino 2 alone are
// known from its public programs and their compiler's declarations.
#ifndef HORAE_TOFINO_EXTERNS_P4
#define HORAE_TOFINO_EXTERNS_P4
#include "tofino_metadata.p4"

// Parser and deparser.

extern Checksum {
    Checksum();
    void add<T>(in T data);
    void subtract<T>(in T data);
    bool verify();
    bit<16> get();
    void subtract_all_and_deposit<T>(out T residual);
    bit<16> update<T>(in T data, @optional in bool zeros_as_ones);
}

// As programs for early releases write it.
extern Checksum<W> {
    Checksum(@optional HashAlgorithm_t algorithm);
    void add<T>(in T data);
    void subtract<T>(in T data);
    bool verify();
    W get();
    void subtract_all_and_deposit<T>(out T residual);
    W update<T>(in T data, @optional in bool zeros_as_ones);
}

extern ParserCounter {
    ParserCounter();
    void set<T>(in T value);
#if __TARGET_TOFINO__ == 2
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<8> mask, in bit<8> add);
    void push<T>(in T value, @optional bool update_with_top);
    void push<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<8> mask, in bit<8> add,
                 @optional bool update_with_top);
    void pop();
#else
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<3> mask, in bit<8> add);
#endif
    bool is_zero();
    bool is_negative();
    void increment(in bit<8> value);
    void decrement(in bit<8> value);
}

extern ParserPriority {
    ParserPriority();
    void set(in bit<3> prio);
}

extern Mirror {
    Mirror(@optional MirrorType_t mirror_type);
    void emit(in MirrorId_t session_id);
    void emit<T>(in MirrorId_t session_id, in T hdr);
}

extern Resubmit {
    Resubmit(@optional ResubmitType_t resubmit_type);
    void emit();
    void emit<T>(in T hdr);
}

extern Digest<T> {
    Digest(@optional DigestType_t digest_type);
    void pack(in T data);
}

#if __TARGET_TOFINO__ == 2
extern Pktgen {
    Pktgen();
    void emit<T>(in T hdr);
}
#endif

extern T port_metadata_unpack<T>(packet_in pkt);

// Hashes and random numbers.

extern CRCPolynomial<T> {
    CRCPolynomial(T coeff, bool reversed, bool msb, bool extended, T init, T xor);
}

extern Hash<W> {
    Hash(HashAlgorithm_t algo);
    Hash(HashAlgorithm_t algo, CRCPolynomial<_> poly);
    W get<D>(in D data);
}

extern Random<W> {
    Random();
    W get();
}

// Values.

extern T max<T>(in T t1, in T t2);
extern T min<T>(in T t1, in T t2);
#if __TARGET_TOFINO__ == 2
extern void funnel_shift_right<T>(out T dst, in T src1, in T src2, int shift_amount);
#else
extern void funnel_shift_right<T>(inout T dst, in T src1, in T src2, int shift_amount);
#endif
extern void invalidate<T>(in T field);
extern bool is_validated<T>(in T field);
extern bit<32> sizeInBits<H>(in H h);
extern bit<32> sizeInBytes<H>(in H h);

// Counters, meters, filters.

#if __TARGET_TOFINO__ == 2
#define HORAE_ACCOUNTING , @optional bool true_egress_accounting
#else
#define HORAE_ACCOUNTING
#endif

extern Counter<W, I> {
    Counter(bit<32> size, CounterType_t type HORAE_ACCOUNTING);
    void count(in I index, @optional in bit<32> adjust_byte_count);
}

extern DirectCounter<W> {
    DirectCounter(CounterType_t type HORAE_ACCOUNTING);
    void count(@optional in bit<32> adjust_byte_count);
}

extern Meter<I> {
    Meter(bit<32> size, MeterType_t type HORAE_ACCOUNTING);
    Meter(bit<32> size, MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green HORAE_ACCOUNTING);
    bit<8> execute(in I index, in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(in I index, @optional in bit<32> adjust_byte_count);
}

extern DirectMeter {
    DirectMeter(MeterType_t type HORAE_ACCOUNTING);
    DirectMeter(MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green HORAE_ACCOUNTING);
    bit<8> execute(in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(@optional in bit<32> adjust_byte_count);
}

extern Lpf<T, I> {
    Lpf(bit<32> size);
    T execute(in T val, in I index);
}

extern DirectLpf<T> {
    DirectLpf();
    T execute(in T val);
}

extern Wred<T, I> {
    Wred(bit<32> size, bit<8> drop_value, bit<8> no_drop_value);
    bit<8> execute(in T val, in I index);
}

extern DirectWred<T> {
    DirectWred(bit<8> drop_value, bit<8> no_drop_value);
    bit<8> execute(in T val);
}

// Registers.

extern Register<T, I> {
    Register(bit<32> size, @optional T initial_value);
    T read(in I index);
    T write(in I index, in T value);
#if __TARGET_TOFINO__ == 2
    void clear(in T value, @optional in T busy);
#endif
}

extern DirectRegister<T> {
    DirectRegister(@optional T initial_value);
    T read();
    T write(in T value);
#if __TARGET_TOFINO__ == 2
    void clear(in T value, @optional in T busy);
#endif
}

extern RegisterParam<T> {
    RegisterParam(T initial_value);
    T read();
}

extern MathUnit<T> {
    MathUnit(bool invert, int<2> shift, int<6> scale,
             tuple<bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>,
                   bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>> data);
    MathUnit(MathOp_t op, int factor);
    MathUnit(MathOp_t op, int A, int B);
    T execute(in T x);
}

#if __TARGET_TOFINO__ == 2

// Inside a body: where the cell is, which comparisons held, the least and most of a wide cell.
#define HORAE_ALU_VALUES(RESULT, OWN) \
    RESULT address OWN(@optional bit<1> subword); \
    RESULT predicate OWN(@optional in bool cmp0, @optional in bool cmp1, @optional in bool cmp2, \
                         @optional in bool cmp3); \
    bit<8> min8<V>(in V val, in bit<16> mask, @optional out bit<4> index, @optional in int<9> postmod); \
    bit<8> max8<V>(in V val, in bit<16> mask, @optional out bit<4> index, @optional in int<9> postmod); \
    bit<16> min16<V>(in V val, in bit<8> mask, @optional out bit<3> index, @optional in int<9> postmod); \
    bit<16> max16<V>(in V val, in bit<8> mask, @optional out bit<3> index, @optional in int<9> postmod);

#define HORAE_OUTPUTS @optional out U rv2, @optional out U rv3, @optional out U rv4

extern RegisterAction<T, I, U> {
    RegisterAction(Register<T, _> reg);
    U execute(@optional in I index, HORAE_OUTPUTS);
    U execute_log(HORAE_OUTPUTS);
    U enqueue(HORAE_OUTPUTS);
    U dequeue(HORAE_OUTPUTS);
    U push(HORAE_OUTPUTS);
    U pop(HORAE_OUTPUTS);
    void sweep(@optional in U busy);
    abstract void apply(inout T value, @optional out U rv, HORAE_OUTPUTS);
    @optional abstract void overflow(@optional inout T value, @optional out U rv, HORAE_OUTPUTS);
    @optional abstract void underflow(@optional inout T value, @optional out U rv, HORAE_OUTPUTS);
    HORAE_ALU_VALUES(U, )
}

// With outputs of different types.
#define HORAE_REGISTER_ACTION(NAME, PARAMETERS, OUT, RESULTS) \
extern NAME<T, I, U1, PARAMETERS> { \
    NAME(Register<T, _> reg); \
    U1 execute(in I index, OUT); \
    U1 execute_log(OUT); \
    U1 enqueue(OUT); \
    U1 dequeue(OUT); \
    U1 push(OUT); \
    U1 pop(OUT); \
    abstract void apply(inout T value, out U1 rv1, OUT); \
    @optional abstract void overflow(@optional inout T value, out U1 rv1, OUT); \
    @optional abstract void underflow(@optional inout T value, out U1 rv1, OUT); \
    HORAE_ALU_VALUES(U, <U>) \
}
#define HORAE_COMMA ,
#define HORAE_OUT2 out U2 rv2
#define HORAE_OUT3 out U2 rv2, out U3 rv3
#define HORAE_OUT4 out U2 rv2, out U3 rv3, out U4 rv4

HORAE_REGISTER_ACTION(RegisterAction2, U2, HORAE_OUT2, )
HORAE_REGISTER_ACTION(RegisterAction3, U2 HORAE_COMMA U3, HORAE_OUT3, )
HORAE_REGISTER_ACTION(RegisterAction4, U2 HORAE_COMMA U3 HORAE_COMMA U4, HORAE_OUT4, )

extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);
    U execute(HORAE_OUTPUTS);
    abstract void apply(inout T value, @optional out U rv, HORAE_OUTPUTS);
    HORAE_ALU_VALUES(U, )
}

#define HORAE_DIRECT_ACTION(NAME, PARAMETERS, OUT) \
extern NAME<T, U1, PARAMETERS> { \
    NAME(DirectRegister<T> reg); \
    U1 execute(OUT); \
    abstract void apply(inout T value, out U1 rv1, OUT); \
    HORAE_ALU_VALUES(U, <U>) \
}

HORAE_DIRECT_ACTION(DirectRegisterAction2, U2, HORAE_OUT2)
HORAE_DIRECT_ACTION(DirectRegisterAction3, U2 HORAE_COMMA U3, HORAE_OUT3)
HORAE_DIRECT_ACTION(DirectRegisterAction4, U2 HORAE_COMMA U3 HORAE_COMMA U4, HORAE_OUT4)

extern LearnAction<T, I, D, U> {
    LearnAction(Register<T, _> reg);
    U execute(in I index, HORAE_OUTPUTS);
    abstract void apply(inout T value, in D digest, in bool learn, @optional out U rv, HORAE_OUTPUTS);
    HORAE_ALU_VALUES(U, )
}

#define HORAE_LEARN_ACTION(NAME, PARAMETERS, OUT) \
extern NAME<T, I, D, U1, PARAMETERS> { \
    NAME(Register<T, _> reg); \
    U1 execute(in I index, OUT); \
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, OUT); \
    HORAE_ALU_VALUES(U, <U>) \
}

HORAE_LEARN_ACTION(LearnAction2, U2, HORAE_OUT2)
HORAE_LEARN_ACTION(LearnAction3, U2 HORAE_COMMA U3, HORAE_OUT3)
HORAE_LEARN_ACTION(LearnAction4, U2 HORAE_COMMA U3 HORAE_COMMA U4, HORAE_OUT4)

extern MinMaxAction<T, I, U> {
    MinMaxAction(Register<T, _> reg);
    U execute(@optional in I index, HORAE_OUTPUTS);
    abstract void apply(inout bit<128> value, @optional out U rv, HORAE_OUTPUTS);
    HORAE_ALU_VALUES(U, )
}

#define HORAE_MIN_MAX_ACTION(NAME, PARAMETERS, OUT) \
extern NAME<T, I, U1, PARAMETERS> { \
    NAME(Register<T, _> reg); \
    U1 execute(@optional in I index, OUT); \
    abstract void apply(inout bit<128> value, out U1 rv1, OUT); \
    HORAE_ALU_VALUES(U, <U>) \
}

HORAE_MIN_MAX_ACTION(MinMaxAction2, U2, HORAE_OUT2)
HORAE_MIN_MAX_ACTION(MinMaxAction3, U2 HORAE_COMMA U3, HORAE_OUT3)
HORAE_MIN_MAX_ACTION(MinMaxAction4, U2 HORAE_COMMA U3 HORAE_COMMA U4, HORAE_OUT4)

#else

extern RegisterAction<T, I, U> {
    RegisterAction(Register<T, _> reg);
    U execute(in I index);
    U execute_log();
    abstract void apply(inout T value, @optional out U rv);
    // Inside apply: which comparisons held, one bit for each outcome.
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);
    U execute();
    abstract void apply(inout T value, @optional out U rv);
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

#endif

// Tables.

extern ActionProfile {
    ActionProfile(bit<32> size);
}

extern ActionSelector {
    ActionSelector(ActionProfile action_profile, Hash<_> hash, SelectorMode_t mode,
                   bit<32> max_group_size, bit<32> num_groups);
    ActionSelector(ActionProfile action_profile, Hash<_> hash, SelectorMode_t mode,
                   Register<bit<1>, _> reg, bit<32> max_group_size, bit<32> num_groups);
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode);
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode, Register<bit<1>, _> reg);
}

extern SelectorAction {
    SelectorAction(ActionSelector sel);
    bit<1> execute(@optional in bit<32> index);
    abstract void apply(inout bit<1> value, @optional out bit<1> rv);
}

extern Atcam {
    Atcam(@optional bit<32> number_partitions);
}

extern Alpm {
    Alpm(@optional bit<32> number_partitions, @optional bit<32> subtrees_per_partition,
         @optional bit<32> atcam_subset_width, @optional bit<32> shift_granularity);
}

#if __TARGET_TOFINO__ == 2
extern IdleTimeout {
    IdleTimeout();
}
#endif

#endif
