// Each action of ConWeave's registers, as its paper and its authors' P4 program have it:
// the cell before, what the packet brings, the cell afterwards and what the action says.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../../models/programs/src/conweave/actions.hpp"
#include "conweave_parts.hpp"

namespace horae::programs::conweave_actions_test {
namespace {

using namespace conweave;

/// The cell after one access of a register of its own, and what the action gave.
template <class T, class F, class... Operands>
auto act(F f, T before, Operands... operands) {
  dataplane::Pipeline pipeline("p", 0, 1);
  dataplane::Register<T> array(pipeline, dataplane::Gress::ingress, "r", 1);
  RegisterAction<T, F> action(pipeline, array, "act", f);
  array.write(0, before);
  Packet packet;
  const dataplane::Pass pass(packet, {0, dataplane::Gress::ingress}, 1, 0, 0_ps);
  using Result = decltype(action.run(pass, 0, operands...));
  if constexpr (std::is_void_v<Result>) {
    action.run(pass, 0, operands...);
    return array.read(0);
  } else {
    const auto given = action.run(pass, 0, operands...);
    return std::pair(array.read(0), given);
  }
}

using Word = std::uint32_t;
using Byte = std::uint8_t;
using Said = std::pair<Word, bool>;
using SaidByte = std::pair<Byte, bool>;
using Gave = std::pair<Word, Word>;
using GaveByte = std::pair<Byte, Byte>;
constexpr Word never = 0xffffffff;

void reads_word() { EXPECT_EQ(act(ReadCell{}, Word{7}), Gave(7, 7)); }
void reads_byte() { EXPECT_EQ(act(ReadCell{}, Byte{7}), GaveByte(7, 7)); }
void sets_word() { EXPECT_EQ(act(SetCell{}, Word{7}, Word{9}), 9u); }
void sets_flag() {
  EXPECT_EQ(act(FillCell<1>{}, Byte{0}), 1);
  EXPECT_EQ(act(FillCell<1>{}, Byte{1}), 1);
}
void clears_flag() {
  EXPECT_EQ(act(FillCell<0>{}, Byte{1}), 0);
  EXPECT_EQ(act(FillCell<0>{}, Byte{0}), 0);
}
void compares_byte() {
  EXPECT_EQ(act(EqualsCell{}, Byte{2}, Byte{2}), SaidByte(2, true));
  EXPECT_EQ(act(EqualsCell{}, Byte{2}, Byte{3}), SaidByte(2, false));
}

// Source: a NOTIFY's path is avoided until its time is over, and only that one; a later NOTIFY of
// another path takes the place of the first.
void path_is_busy() {
  const auto says = [](Busy cell, Word now, Word path) {
    return act(IsBusy{}, cell, now, path).second;
  };
  EXPECT_TRUE(says({.path = 3, .until = 100}, 99, 3));
  EXPECT_FALSE(says({.path = 3, .until = 100}, 100, 3));  // it is over
  EXPECT_FALSE(says({.path = 3, .until = 100}, 99, 2));   // another path
  EXPECT_FALSE(says({.path = 0, .until = 0}, 5, 0));      // nothing was said yet
}
void path_is_noted() {
  const Busy after = act(NoteBusy{}, Busy{.path = 3, .until = 100}, Word{2}, Word{150});
  EXPECT_EQ(after.path, 2u);
  EXPECT_EQ(after.until, 150u);
}

// Source: a flow that was silent for longer than theta_inactive may change its path freely.
void silence_is_measured() {
  EXPECT_EQ(act(IsSilent{300}, Word{1000}, Word{1300}), Said(1300, false));
  EXPECT_EQ(act(IsSilent{300}, Word{1000}, Word{1301}), Said(1301, true));
  EXPECT_EQ(act(IsSilent{300}, Word{0xfffffff0}, Word{0x10}),
            Said(0x10, false));  // time goes round
}
// Source: one packet opens an epoch after a CLEAR or a reply said that the flow is stable.
void stability_is_taken_once() {
  EXPECT_EQ(act(TestAnd<0>{}, Byte{1}), SaidByte(0, true));
  EXPECT_EQ(act(TestAnd<0>{}, Byte{0}), SaidByte(0, false));
}
// Source: the first packet past theta_reply reroutes, no other one.
void deadline_expires_once() {
  EXPECT_EQ(act(Expire{}, Word{100}, Word{100}), Said(100, false));
  EXPECT_EQ(act(Expire{}, Word{100}, Word{101}), Said(never, true));
  EXPECT_EQ(act(Expire{}, never, Word{101}), Said(never, false));
}
// Source: a reply in time puts the deadline off while it goes around; without one, or late, it is
// none.
void deadline_is_extended_in_time() {
  EXPECT_EQ(act(Extend{4}, Word{100}, Word{100}), Said(104, true));
  EXPECT_EQ(act(Extend{4}, Word{100}, Word{101}), Said(100, false));
  EXPECT_EQ(act(Extend{4}, never, Word{5}), Said(never, false));
}
// Source: epochs have two bits.
void epochs_go_round() {
  for (Byte e = 0; e < 4; ++e) {
    const auto next = static_cast<Byte>((e + 1) % 4);
    EXPECT_EQ(act(NextEpoch{}, e), GaveByte(next, next));
  }
}
// Source: the packet that reroutes is the last one on the path before (TAIL).
void path_changes() { EXPECT_EQ(act(Exchange{}, Byte{3}, Byte{1}), GaveByte(1, 3)); }

// Destination: a packet of the epoch before is of the past and changes nothing; of any other it
// begins that epoch, for what lies between may have been lost.
void epoch_is_entered(int epoch) {
  for (int current = 0; current < 4; ++current) {
    const auto [after, said] = act(EnterEpoch{epoch}, static_cast<Byte>(current));
    const bool same = current == epoch, past = current == (epoch + 1) % 4;
    EXPECT_EQ(said, std::tuple(same, past)) << current;
    EXPECT_EQ(after, same || past ? current : epoch) << current;
  }
}
// Destination: packets that wait in the flow's queue.
void queued_are_added() { EXPECT_EQ(act(Add{}, Word{7}, Word{1}), Gave(8, 8)); }
void queued_are_cleared() { EXPECT_EQ(act(FillCell<0>{}, Word{8}), 0u); }
// Destination: the first packet that overtakes its TAIL begins a reordering, the others go on with
// it; while the queue of the last one empties there is no new one.
void reordering_begins_once() {
  const auto says = [](int status) { return act(BeginReordering{}, static_cast<Byte>(status)); };
  EXPECT_EQ(says(in_order), std::pair(Byte{holding}, std::tuple(true, false)));
  EXPECT_EQ(says(holding), std::pair(Byte{holding}, std::tuple(false, true)));
  EXPECT_EQ(says(emptying), std::pair(Byte{emptying}, std::tuple(false, false)));
}
void reordering_empties() { EXPECT_EQ(act(FillCell<emptying>{}, Byte{holding}), emptying); }
// Destination: each packet of the old path puts the release off to when the TAIL is expected now;
// what is over, or was never set, is not begun again.
void release_is_put_off() {
  EXPECT_EQ(act(PutOff{}, Word{100}, Word{90}, Word{130}), 130u);
  EXPECT_EQ(act(PutOff{}, Word{100}, Word{100}, Word{130}), 130u);
  EXPECT_EQ(act(PutOff{}, Word{100}, Word{101}, Word{130}), 0u);
  EXPECT_EQ(act(PutOff{}, Word{0}, Word{0}, Word{130}), 0u);
}
// Destination: the timer releases the queue when the TAIL is overdue, and looks again X_DEFAULT
// later.
void release_is_due() {
  EXPECT_EQ(act(IsDue{200}, Word{100}, Word{100}), Said(100, false));
  EXPECT_EQ(act(IsDue{200}, Word{100}, Word{101}), Said(301, true));
  EXPECT_EQ(act(IsDue{200}, Word{0}, Word{101}), Said(301, true));
}
// Destination: a queue belongs to the flow that took it first until that one gives it back.
void queue_is_taken_if_free() {
  EXPECT_EQ(act(TakeIfFree{}, Word{nobody}, Word{5}), Said(5, true));
  EXPECT_EQ(act(TakeIfFree{}, Word{6}, Word{5}), Said(6, false));
  EXPECT_EQ(act(TakeIfFree{}, Word{5}, Word{5}), Said(5, false));
}
void queue_is_owned() {
  EXPECT_EQ(act(EqualsCell{}, Word{5}, Word{5}), Said(5, true));
  EXPECT_EQ(act(EqualsCell{}, Word{5}, Word{6}), Said(5, false));
}
void queue_is_given_back() {
  EXPECT_EQ(act(ClearIf{}, Word{5}, Word{5}), Said(nobody, true));
  EXPECT_EQ(act(ClearIf{}, Word{5}, Word{6}), Said(5, false));
}
// Destination, egress: packets that left a queue, and the epoch (and one) of the TAIL that left.
void left_are_counted() { EXPECT_EQ(act(IncrementCell{}, Word{7}), Gave(8, 7)); }
void tail_left_is_set() { EXPECT_EQ(act(SetCell{}, Byte{0}, Byte{3}), 3); }
void tail_left_is_taken_once() {
  EXPECT_EQ(act(ClearIf{}, Byte{3}, Byte{3}), SaidByte(0, true));
  EXPECT_EQ(act(ClearIf{}, Byte{2}, Byte{3}), SaidByte(2, false));  // of another epoch
  EXPECT_EQ(act(ClearIf{}, Byte{0}, Byte{3}), SaidByte(0, false));
}

using Test = std::function<void()>;

/// By register and action; of registers that there are several of, the first's name stands for all.
const std::map<std::string, Test>& tests() {
  static const std::map<std::string, Test> all = [] {
    std::map<std::string, Test> t = {{"busy.is_busy", path_is_busy},
                                     {"busy.note", path_is_noted},
                                     {"active_time.is_silent", silence_is_measured},
                                     {"stability.take", stability_is_taken_once},
                                     {"stability.set", sets_flag},
                                     {"reply_deadline.set", sets_word},
                                     {"reply_deadline.expire", deadline_expires_once},
                                     {"reply_deadline.extend", deadline_is_extended_in_time},
                                     {"reply_deadline.read", reads_word},
                                     {"epoch.next", epochs_go_round},
                                     {"epoch.read", reads_byte},
                                     {"epoch.is", compares_byte},
                                     {"path.change", path_changes},
                                     {"path.read", reads_byte},
                                     {"queued.add", queued_are_added},
                                     {"queued.read", reads_word},
                                     {"queued.clear", queued_are_cleared},
                                     {"reordering.begin", reordering_begins_once},
                                     {"reordering.is", compares_byte},
                                     {"reordering.empty", reordering_empties},
                                     {"reordering.end", clears_flag},
                                     {"resume_at.set", sets_word},
                                     {"resume_at.put_off", release_is_put_off},
                                     {"resume_at.check", release_is_due},
                                     {"owner.take", queue_is_taken_if_free},
                                     {"owner.is", queue_is_owned},
                                     {"owner.give_back", queue_is_given_back},
                                     {"left.count", left_are_counted},
                                     {"left.read", reads_word},
                                     {"left.clear", queued_are_cleared},
                                     {"tail_left.set", tail_left_is_set},
                                     {"tail_left.take", tail_left_is_taken_once}};
    for (int e = 0; e < 4; ++e)
      t["epoch_rx.enter" + std::to_string(e)] = [e] { epoch_is_entered(e); };
    for (const std::string flag :
         {"phase", "phase_rx", "old_seen", "tail_seen", "counts_packets"}) {
      t[flag + ".set"] = sets_flag;
      t[flag + ".clear"] = clears_flag;
      t[flag + ".is"] = compares_byte;
    }
    for (const std::string time : {"tail_time", "old_sent", "old_arrived", "tail_sent"}) {
      t[time + ".read"] = reads_word;
      t[time + ".set"] = sets_word;
    }
    return t;
  }();
  return all;
}

TEST(ConweaveActions, DoWhatThePaperSays) {
  for (const auto& [name, test] : tests()) {
    SCOPED_TRACE(name);
    test();
  }
}

/// "path_a_busy3" and "owner_b": one of several.
std::string kind_of(const std::string& name) {
  for (const std::string several : {"busy", "owner"})
    if (name.find(several) != std::string::npos) return several;
  return name;
}

TEST(ConweaveActions, AllOfThemAreTested) {
  dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
  const auto program = conweave_test::read_conweave("")->make(pipeline, conweave_test::routes);
  std::set<std::string> declared, tested;
  for (const auto& a : pipeline.actions()) declared.insert(kind_of(a.register_name) + "." + a.name);
  for (const auto& [name, test] : tests()) tested.insert(name);
  EXPECT_EQ(declared, tested);
}

}  // namespace
}  // namespace horae::programs::conweave_actions_test
