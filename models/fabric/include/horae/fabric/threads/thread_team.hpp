// Several threads that run the devices of one simulation, window by window.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/threads/lane.hpp"

namespace horae::fabric {

class device;

/// How many threads run devices, and when.
struct threading {
  unsigned count = 1;
  /// A window is shared if in the one before devices handled so many events or more: what takes
  /// less time than the threads to meet is done by one of them.
  std::uint64_t from = 256;
};

/// Where a fixed number of threads wait for each other. A wait is short: it spins before it sleeps.
class MeetingPoint {
 public:
  explicit MeetingPoint(unsigned threads) : threads_(threads) {}
  /// Returns when all have called it. What each did before is seen by all behind it.
  void meet();

 private:
  const unsigned threads_;
  alignas(64) std::atomic<std::uint32_t> here_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

/// Devices in lanes, a thread each; the caller's thread is that of the first lane. In a window each
/// thread first takes for its devices what arrives, and when all have, runs them. A device writes
/// what is its own and its ports' only, and ports are read by their peers in the first part alone,
/// so there are no locks; what it tells a peer otherwise is kept in its lane to the window's end.
/// Results are those of one thread to the byte.
///
/// Devices that work with SystemC's kernel or with what is not ours (modules and memory of a
/// user's own, RTL, other processes) are all in the first lane (device::stays_with_kernel()).
class thread_team {
 public:
  /// `devices` in the order of construction; `own`: lane of the caller's thread. No thread is
  /// started before the first window that is shared, so a process may fork until time starts.
  thread_team(const std::vector<device*>& devices, Lane& own, const threading& threads);
  ~thread_team();
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;

  /// A device that failed, and how; none: null pointers.
  struct Failure {
    std::exception_ptr error;
    const device* where = nullptr;
  };
  /// Runs all devices to `end`. Of several failures that of the device which one thread would have
  /// run first.
  Failure run_window(Picoseconds end);

  /// Gives devices what others told them in a window. run_window() does so itself: it is for who
  /// runs devices one by one.
  void deliver_told();

  unsigned threads() const { return static_cast<unsigned>(parts_.size()); }
  /// Packets of the lanes that are not the caller's.
  PacketCounts others_packets() const;

 private:
  struct alignas(64) Part {
    Lane* lane = nullptr;
    std::unique_ptr<Lane> own;     ///< null: the caller's
    std::vector<device*> devices;  ///< the last constructed first
    std::uint64_t events = 0;      ///< handled in the last window
    Failure failure;
  };

  void share_out(const std::vector<device*>& devices);
  void start();
  void work(Part& part);
  void work_alone();
  static void run_part(Part& part);
  std::uint64_t events() const;
  void level_pools();

  std::uint64_t from_;
  std::vector<Part> parts_;
  MeetingPoint meeting_;
  Picoseconds end_{};
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace horae::fabric
