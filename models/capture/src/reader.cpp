#include "horae/capture/reader.hpp"

#include <fmt/format.h>
#include <pcap/pcap.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/roce.hpp"
#include "pcap_text.hpp"

namespace horae::capture {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t most_seconds = 100LL * 24 * 3600;
/// What libpcap takes for a pcapng block as well; no frame on a wire is near it.
constexpr std::uint32_t longest_on_wire = 16u << 20;

/// Protocol numbers that are ethertypes (IEEE 802.3, 3.2.6); below, a cooked header holds codes of
/// the Linux kernel.
constexpr std::array<std::uint8_t, 2> ethertype_ipv4 = {0x08, 0x00};
constexpr std::array<std::uint8_t, 2> ethertype_ipv6 = {0x86, 0xdd};

/// Headers of Linux cooked captures (www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL.html and
/// LINKTYPE_LINUX_SLL2.html): sizes, and where protocol, address and its length stand.
struct Cooked {
  std::size_t size, protocol, address_length, address;
};
constexpr Cooked sll = {16, 14, 5, 6};
constexpr Cooked sll2 = {20, 0, 11, 12};
constexpr std::size_t mac_bytes = 6;

}  // namespace

struct CaptureReader::State {
  std::string path;
  pcap_t* pcap = nullptr;
  std::FILE* file = nullptr;  ///< pcap's
  bpf_program program{};
  bool filters = false;
  bool ended = false;
  bool has_first = false;
  int link = DLT_EN10MB;
  std::int64_t size = 0;
  std::uint64_t read = 0, filtered = 0;
  std::int64_t first_seconds = 0, first_ns = 0;
  std::vector<std::uint8_t> with_header;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (filters) pcap_freecode(&program);
    if (pcap != nullptr) pcap_close(pcap);
  }

  void open();
  void compile(const std::string& filter);
  [[noreturn]] void damaged(std::int64_t at, std::string_view why) const;
  std::int64_t time_of(const pcap_pkthdr& header, std::int64_t at);
  void add_ethernet(CapturedFrame& frame, std::span<const std::uint8_t> header,
                    std::size_t replaced);
  void make_ethernet(CapturedFrame& frame);
  void make_ethernet(CapturedFrame& frame, const Cooked& cooked);
};

void CaptureReader::State::open() {
  std::FILE* opened = std::fopen(path.c_str(), "rb");
  if (opened == nullptr)
    throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  pcap = pcap_fopen_offline_with_tstamp_precision(opened, PCAP_TSTAMP_PRECISION_NANO, error.data());
  if (pcap == nullptr) {
    std::fclose(opened);
    throw InputError(
        fmt::format("{}: {}; expected a pcap or pcapng file", path, readable(error.data())));
  }
  file = opened;
  struct stat status {};
  if (::fstat(::fileno(file), &status) == 0 && S_ISREG(status.st_mode)) size = status.st_size;
  link = pcap_datalink(pcap);
  const bool known = link == DLT_EN10MB || link == DLT_RAW || link == DLT_IPV4 ||
                     link == DLT_IPV6 || link == DLT_LINUX_SLL || link == DLT_LINUX_SLL2;
  if (known) return;
  const char* name = pcap_datalink_val_to_name(link);
  throw InputError(
      fmt::format("{}: link type {}{}; expected Ethernet, raw IP or Linux cooked captures "
                  "(EN10MB, RAW, LINUX_SLL, LINUX_SLL2)",
                  path, link, name != nullptr ? fmt::format(" ({})", name) : ""));
}

void CaptureReader::State::compile(const std::string& filter) {
  constexpr bool optimize = true;
  if (pcap_compile(pcap, &program, filter.c_str(), optimize, PCAP_NETMASK_UNKNOWN) != 0) {
    throw InputError(fmt::format("filter '{}': {}; expected an expression of pcap-filter(7)",
                                 filter, readable(pcap_geterr(pcap))));
  }
  filters = true;
}

void CaptureReader::State::damaged(std::int64_t at, std::string_view why) const {
  throw InputError(fmt::format("{}: packet {}{}: {}", path, read,
                               at >= 0 ? fmt::format(" at byte {}", at) : "", why));
}

/// Nanoseconds since the first packet.
std::int64_t CaptureReader::State::time_of(const pcap_pkthdr& header, std::int64_t at) {
  const auto seconds = static_cast<std::int64_t>(header.ts.tv_sec);
  const auto ns = static_cast<std::int64_t>(header.ts.tv_usec);  // so it is with this precision
  // A damaged record may have any numbers; these bounds keep sums within 64 bits.
  constexpr std::int64_t last_second = 9'000'000'000, most_ns = 1LL << 52;
  const bool sane =
      seconds >= -last_second && seconds <= last_second && ns >= -most_ns && ns <= most_ns;
  if (sane && !has_first) {
    has_first = true;
    first_seconds = seconds;
    first_ns = ns;
  }
  const std::int64_t whole = sane ? seconds - first_seconds : 0;
  if (!sane || whole > most_seconds || whole < -most_seconds) {
    damaged(at, fmt::format("a time stamp of {}.{:09} s; expected one within 100 days of the first "
                            "packet's, {}.{:09} s",
                            seconds, ns, first_seconds, first_ns));
  }
  return whole * ns_per_second + (ns - first_ns);
}

/// Puts an Ethernet header in place of the first `replaced` bytes.
void CaptureReader::State::add_ethernet(CapturedFrame& frame, std::span<const std::uint8_t> header,
                                        std::size_t replaced) {
  with_header.assign(header.begin(), header.end());
  with_header.insert(with_header.end(), frame.bytes.begin() + static_cast<std::ptrdiff_t>(replaced),
                     frame.bytes.end());
  const std::uint64_t length = std::uint64_t{frame.length} - replaced + header.size();
  frame.bytes = with_header;
  frame.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, 0xffffffff));
}

void CaptureReader::State::make_ethernet(CapturedFrame& frame) {
  std::array<std::uint8_t, wire::ethernet> header{};
  const bool six = link == DLT_IPV6 ||
                   (link == DLT_RAW && !frame.bytes.empty() && frame.bytes.front() >> 4 == 6);
  std::ranges::copy(six ? ethertype_ipv6 : ethertype_ipv4, header.end() - 2);
  add_ethernet(frame, header, 0);
}

void CaptureReader::State::make_ethernet(CapturedFrame& frame, const Cooked& cooked) {
  const auto& from = frame.bytes;
  if (from.size() < cooked.size) {  // too short to be anything
    with_header.clear();
    frame.bytes = with_header;
    return;
  }
  std::array<std::uint8_t, wire::ethernet> header{};
  const std::size_t length = std::min<std::size_t>(from[cooked.address_length], mac_bytes);
  std::ranges::copy(from.subspan(cooked.address, length), header.begin() + mac_bytes);
  std::ranges::copy(from.subspan(cooked.protocol, 2), header.end() - 2);
  add_ethernet(frame, header, cooked.size);
}

CaptureReader::CaptureReader(const std::string& path, const std::string& filter)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->open();
  if (!filter.empty()) state_->compile(filter);
}

CaptureReader::~CaptureReader() = default;

bool CaptureReader::next(CapturedFrame& frame) {
  State& s = *state_;
  while (!s.ended) {
    const std::int64_t at = ::ftello(s.file);
    pcap_pkthdr* header = nullptr;
    const std::uint8_t* bytes = nullptr;
    const int result = pcap_next_ex(s.pcap, &header, &bytes);
    if (result == PCAP_ERROR_BREAK) {
      s.ended = true;
      return false;
    }
    ++s.read;
    if (result != 1) {
      s.ended = true;
      s.damaged(at, readable(pcap_geterr(s.pcap)));
    }
    frame.number = s.read;
    frame.bytes = {bytes, header->caplen};
    frame.length = std::max(header->len, header->caplen);
    frame.time_ns = s.time_of(*header, at);
    if (header->len > longest_on_wire) {
      s.damaged(at, fmt::format("a length of {} bytes on the wire; expected at most {}",
                                header->len, longest_on_wire));
    }
    if (s.filters && pcap_offline_filter(&s.program, header, bytes) == 0) {
      ++s.filtered;
      continue;
    }
    if (s.link == DLT_LINUX_SLL) {
      s.make_ethernet(frame, sll);
    } else if (s.link == DLT_LINUX_SLL2) {
      s.make_ethernet(frame, sll2);
    } else if (s.link != DLT_EN10MB) {
      s.make_ethernet(frame);
    }
    return true;
  }
  return false;
}

bool CaptureReader::ended() const { return state_->ended; }
const std::string& CaptureReader::path() const { return state_->path; }
std::int64_t CaptureReader::first_stamp_ns() const {
  return state_->first_seconds * ns_per_second + state_->first_ns;
}
std::uint64_t CaptureReader::read() const { return state_->read; }
std::uint64_t CaptureReader::filtered() const { return state_->filtered; }
double CaptureReader::share() const {
  const std::int64_t at = ::ftello(state_->file);
  if (at < 0 || state_->size == 0) return 0;
  return std::min(1.0, static_cast<double>(at) / static_cast<double>(state_->size));
}

}  // namespace horae::capture
