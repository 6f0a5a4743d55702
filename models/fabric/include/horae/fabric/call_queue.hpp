// Calls of modules of a user's own, each at its own time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <systemc>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::fabric {

/// Makes calls that may wait, from thread processes (IEEE 1666-2011, 11.1.1.4: b_transport is not
/// called from a method process). A call is made when SystemC's time is its own, those of one time
/// in the order of devices and of their serial numbers, each in a delta cycle of its own when the
/// one before waits. So modules see the same calls at the same times in the same order, however and
/// in windows of whatever length devices run, if each call is added before its time.
///
/// It has no processes, and takes no time, until begin().
class call_queue {
 public:
  /// Who has calls made.
  class caller {
   public:
    /// Makes the call `number`, which may wait. Whatever goes wrong is the caller's to report.
    virtual void call(std::uint32_t number) = 0;

   protected:
    ~caller() = default;
  };

  call_queue() = default;
  call_queue(const call_queue&) = delete;
  call_queue& operator=(const call_queue&) = delete;

  /// A device has calls made, in this process or in another one of the run (before elaboration
  /// ends). InputError when both occur: modules of a user's own that such devices share would be
  /// two.
  void serve(bool runs_here);
  /// From now on calls are made (before simulation starts, more than once does no harm).
  void begin();
  /// Has `who` make its call `number` at `at`, not before now. `device` and `serial` are unique
  /// among calls of one time.
  void add(Picoseconds at, std::uint32_t device, std::uint64_t serial, caller& who,
           std::uint32_t number);

  /// Something that was asked for is not answered yet: one more, one less. Devices are not idle
  /// meanwhile.
  void asked() { ++open_; }
  void answered() { --open_; }
  std::uint64_t open() const { return open_; }

 private:
  struct Due {
    Picoseconds at;
    std::uint32_t device;
    std::uint32_t number;
    std::uint64_t serial;
    caller* who;
    bool operator>(const Due& o) const {
      if (at != o.at) return at > o.at;
      return device != o.device ? device > o.device : serial > o.serial;
    }
  };
  /// A thread process, and when it has something to do.
  struct Worker {
    sc_core::sc_event go;
  };

  bool is_due() const;
  void plan();
  void dispatch();
  void work(Worker& worker);

  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  sc_core::sc_event next_{"next_call"};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> resting_;
  std::uint64_t open_ = 0;
  bool begun_ = false;
  bool here_ = false, elsewhere_ = false;  ///< whether devices that have calls made run there
};

}  // namespace horae::fabric
