#include "horae/rnic/spec/engine_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::rnic {

const Schema<EngineConfig>& EngineConfig::schema() {
  using T = EngineConfig;
  static const Schema<T> s =
      Schema<T>("engine",
                "What a NIC does once for each packet, whatever its length. Absent: packets take "
                "no time but that of the wire")
          .field("send", &T::send,
                 {.doc = "time that a data packet sent takes of a unit of the engine",
                  .max = 100_us,
                  .source = "no figure of a vendor; ConnectX-7: 242 M messages/s of 8 bytes sent "
                            "by one NIC (Dissecting GPU-initiated communication, 2026, 4.3.3)",
                  .verified = false})
          .field("receive", &T::receive,
                 {.doc = "time that a data packet received takes of a unit",
                  .max = 100_us,
                  .source = "no figure of a vendor; ConnectX-7: 152 M messages/s where all NICs "
                            "send and receive, 242 M where they only send (the same, 4.3.3)",
                  .verified = false})
          .field("read", &T::read,
                 {.doc = "the same of a response of a READ. Absent: receive",
                  .min = 0_ps,
                  .max = 100_us,
                  .source = "no figure of a vendor; Connect-IB: 88 M READs/s of 32 bytes, where it "
                            "takes in 122 M WRITEs (Kalia et al., USENIX ATC 2016)",
                  .verified = false})
          .field("message", &T::message,
                 {.doc = "the same of a packet of a SEND, and of the last one of a WRITE with "
                         "immediate data. Absent: receive",
                  .min = 0_ps,
                  .max = 100_us,
                  .source = "no figure of a vendor; SENDs of an MTU of 1 KiB are an anomaly of a "
                            "ConnectX-6 where WRITEs are none (Collie, NSDI 2022, appendix A)",
                  .verified = false})
          .field("atomic", &T::atomic,
                 {.doc = "the same of the request of an atomic. Absent: receive",
                  .min = 0_ps,
                  .max = 100_us,
                  .source = "no figure of a vendor; Connect-IB: 52 M atomics/s on spread addresses "
                            "(Kalia et al., USENIX ATC 2016, 5.4)",
                  .verified = false})
          .field("ack_send", &T::ack_send,
                 {.doc = "time that a response sent takes of a unit: ACK, NACK, SACK, CNP, pull",
                  .max = 100_us,
                  .source = "no public value; at most 0.1 ACKs come to a message (the same)",
                  .verified = false})
          .field("ack_receive", &T::ack_receive,
                 {.doc = "time that a response received takes of a unit",
                  .max = 100_us,
                  .source = "no public value; at most 0.1 ACKs come to a message (the same)",
                  .verified = false})
          .choice("pools", &T::pools,
                  {{"shared", EnginePools::shared}, {"apart", EnginePools::apart}},
                  {.doc = "whether packets sent and received take time of the same units (shared: "
                          "those received go first), or each direction has units of its own",
                   .source = "shared: a ConnectX-7 that receives sends 37 % less (the same)",
                   .verified = false})
          .field("units", &T::units,
                 {.doc = "units of each pool; each works on one packet at a time",
                  .min = 1,
                  .max = T::most_units,
                  .source = "no figure of a vendor; a queue pair of a Connect-IB has 8.3 of 157 M "
                            "messages/s (Kalia et al., USENIX ATC 2016)",
                  .verified = false})
          .choice("binding", &T::binding,
                  {{"cyclic", EngineBinding::cyclic}, {"any", EngineBinding::any}},
                  {.doc = "which unit works on a queue pair: always the same one, queue pairs in "
                          "turn (cyclic), or the one that is free first (any)",
                   .source = "cyclic: queue pairs are bound to processing units (Kalia et al., "
                             "USENIX ATC 2016)",
                   .verified = false})
          .field("queue_pair", &T::queue_pair,
                 {.doc = "least time from the first packet of a message to that of its queue "
                         "pair's next message",
                  .max = 100_us,
                  .source = "no figure of a vendor; ConnectX-7: at most 30.7 M messages/s of one "
                            "queue pair (Dissecting GPU-initiated communication, 2026)",
                  .verified = false})
          .field(
              "visit", &T::visit,
              {.doc = "time of a unit, beside that of the packet, for a queue pair whose context "
                      "is not in the engine. It is hidden while the engine works in one role "
                      "alone, requester or responder: the next context is fetched ahead then",
               .max = 100_us,
               .source = "no figure of a vendor; ConnectX-7: 152 M messages/s fall to 74 M over "
                         "the number of queue pairs that send and receive, and 242 M stay where "
                         "all only send (the same, 4.3.3)",
               .verified = false})
          .field("contexts", &T::contexts,
                 {.doc = "contexts that the engine holds, least recently used out first; a queue "
                         "pair has one as requester and one as responder",
                  .max = 1u << 20,
                  .source = "no figure of a vendor; ConnectX-7: the rate falls from 1,350 "
                            "connections on that send and receive (the same)",
                  .verified = false})
          .field(
              "ways", &T::ways,
              {.doc = "contexts of a set, of which the least recently used goes; a context has its "
                      "set by a hash. 0: one set",
               .max = 1u << 20,
               .source = "no figure of a vendor; one set falls at once where the measured rate "
                         "falls from 1,350 connections on to 2,976 (the same)",
               .verified = false})
          .field("ahead", &T::ahead,
                 {.doc = "data packets that the engine has begun and that wait for the wire go on "
                         "being added while less than this waits; zero: the engine begins a packet "
                         "when the wire takes it",
                  .min = 0_B,
                  .max = 64_MiB,
                  .source = "no figure of a vendor; ConnectX-7 on 4,096 queue pairs that send and "
                            "receive: 74 M messages/s of 8 bytes, 77 M of 128, so the engine does "
                            "not stand still while packets leave (the same, table 16)",
                  .verified = false});
  return s;
}

}  // namespace horae::rnic
