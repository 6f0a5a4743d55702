#include "horae/capture/reader.hpp"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include "capture_file.hpp"
#include "erf.hpp"
#include "horae/core/error.hpp"
#include "horae/core/roce.hpp"
#include "link_layer.hpp"
#include "mirror.hpp"
#include "pcap_text.hpp"

namespace horae::capture {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t most_seconds = 100LL * 24 * 3600;
/// Longest pcapng block that libpcap takes as well; no frame on a wire is near it.
constexpr std::uint32_t longest_on_wire = 16u << 20;
constexpr int snap = 262144;  // what filters are told of frames that this room made

/// Which classic pcap file begins like this (draft-ietf-opsawg-pcap, and libpcap's sf-pcap.c for
/// the variant of Kuznetzov), in whatever byte order.
struct Classic {
  bool is = false;
  bool microseconds = false;
  bool patched = false;  ///< that variant, with more in the headers of records
};
/// Headers of the file and of a record.
constexpr std::int64_t classic_file = 24, classic_record = 16;
Classic classic(const std::vector<char>& first) {
  if (first.size() < 4) return {};
  const auto at = [&](std::size_t i) { return std::uint32_t{static_cast<std::uint8_t>(first[i])}; };
  const std::uint32_t little = at(3) << 24 | at(2) << 16 | at(1) << 8 | at(0);
  const std::uint32_t big = at(0) << 24 | at(1) << 16 | at(2) << 8 | at(3);
  for (const std::uint32_t magic : {little, big}) {
    if (magic == 0xa1b2c3d4) return {true, true};
    if (magic == 0xa1b23c4d) return {true, false};
    if (magic == 0xa1b2cd34) return {true, true, true};
  }
  return {};
}

/// A frame as libpcap is asked about it.
pcap_pkthdr header_of(const CapturedFrame& frame) {
  pcap_pkthdr header{};
  header.caplen = static_cast<bpf_u_int32>(frame.bytes.size());
  header.len = frame.length;
  return header;
}

}  // namespace

struct CaptureReader::State {
  std::string path;
  std::optional<CaptureFile> file;
  pcap_t* pcap = nullptr;  ///< null: a file of ERF records
  bpf_program program{};
  bool filters = false;
  bool filters_made = false;  ///< frames as this room makes them, which libpcap does not know
  bool fcs = false;
  bool ended = false;
  bool has_first = false;
  bool unsigned_seconds = false;  ///< 32 bits of seconds, which libpcap takes for signed
  int link = DLT_EN10MB;
  std::int64_t unit_ns = 1;  ///< of libpcap's fractions of a second
  std::int64_t units_per_second = ns_per_second;
  std::uint64_t read = 0, filtered = 0, lost = 0, mirrored = 0;
  std::uint32_t longest = 0;  ///< record, by the file's header
  std::int64_t next_at = -1;  ///< where the next record begins; negative: the file is to be asked
  std::int64_t first_seconds = 0, first_ns = 0;
  EthernetMaker ethernet;
  std::vector<std::uint8_t> record;  ///< of ERF

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
  [[noreturn]] void ends_at(std::int64_t at, std::string_view why);
  std::int64_t time_of(std::int64_t seconds, std::int64_t fraction, std::int64_t at);
  bool passes(const CapturedFrame& frame);
  bool make(CapturedFrame& frame, std::int64_t at);
  bool make_of_erf(CapturedFrame& frame, const erf::Record& record, std::int64_t at);
  bool make_of_record(CapturedFrame& frame, std::int64_t at);
  bool next_erf(CapturedFrame& frame);
};

void CaptureReader::State::open() {
  file.emplace(path);
  const Classic kind = classic(file->first());
  if (!kind.is && erf::begins(file->first())) {
    link = DLT_ERF;
    return;
  }
  // Libpcap multiplies microseconds in 32 bits, where too many of them would become others.
  const u_int precision =
      kind.microseconds ? PCAP_TSTAMP_PRECISION_MICRO : PCAP_TSTAMP_PRECISION_NANO;
  unit_ns = kind.microseconds ? 1000 : 1;
  units_per_second = ns_per_second / unit_ns;
  unsigned_seconds = kind.is;
  next_at = kind.is && !kind.patched ? classic_file : -1;
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  pcap = pcap_fopen_offline_with_tstamp_precision(file->stream(), precision, error.data());
  if (pcap == nullptr) {
    const std::string problem = file->problem();
    throw InputError(fmt::format("{}: {}; expected a pcap or pcapng file, or ERF records", path,
                                 problem.empty() ? readable(error.data()) : problem));
  }
  file->release();
  link = pcap_datalink(pcap);
  longest = static_cast<std::uint32_t>(pcap_snapshot(pcap));
  if (!is_read(link))
    throw InputError(
        fmt::format("{}: link type {}; expected {}", path, link_text(link), links_read));
}

void CaptureReader::State::compile(const std::string& filter) {
  constexpr bool optimize = true;
  filters_made = link == DLT_ERF || link == DLT_INFINIBAND;
  pcap_t* of = filters_made ? pcap_open_dead(DLT_EN10MB, snap) : pcap;
  if (of == nullptr) throw InputError(fmt::format("filter '{}': no memory", filter));
  filters = pcap_compile(of, &program, filter.c_str(), optimize, PCAP_NETMASK_UNKNOWN) == 0;
  const std::string problem = filters ? std::string() : readable(pcap_geterr(of));
  if (filters_made) pcap_close(of);
  if (filters) return;
  throw InputError(
      fmt::format("filter '{}': {}; expected an expression of pcap-filter(7)", filter, problem));
}

void CaptureReader::State::damaged(std::int64_t at, std::string_view why) const {
  throw InputError(fmt::format("{}: packet {}{}: {}", path, read, file->place(at), why));
}

/// A record behind which nothing can be found.
void CaptureReader::State::ends_at(std::int64_t at, std::string_view why) {
  ended = true;
  const std::string problem = file->problem();
  damaged(at, problem.empty() ? why : problem);
}

/// Nanoseconds since the first packet.
std::int64_t CaptureReader::State::time_of(std::int64_t seconds, std::int64_t fraction,
                                           std::int64_t at) {
  // Negative from 2038 on.
  if (seconds < 0 && unsigned_seconds) seconds += std::int64_t{1} << 32;
  if (fraction < 0 || fraction >= units_per_second) {
    damaged(at, fmt::format("a time stamp of {} s and {} {}; expected less than a second of them",
                            seconds, fraction & 0xffffffff, unit_ns == 1 ? "ns" : "us"));
  }
  const std::int64_t ns = fraction * unit_ns;
  // A damaged record may have any number; these bounds keep sums within 64 bits.
  constexpr std::int64_t last_second = 9'000'000'000;
  const bool sane = seconds >= -last_second && seconds <= last_second;
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

/// Applies the filter to a frame that this room made.
bool CaptureReader::State::passes(const CapturedFrame& frame) {
  if (!filters) return true;
  const pcap_pkthdr header = header_of(frame);
  if (pcap_offline_filter(&program, &header, frame.bytes.data()) != 0) return true;
  ++filtered;
  return false;
}

/// Makes a frame from a link that is not Ethernet. Whether it is to be given.
bool CaptureReader::State::make(CapturedFrame& frame, std::int64_t at) {
  const std::string& problem = ethernet.make(frame, link);
  if (!problem.empty()) damaged(at, problem);
  mirrored += take_off_mirror(frame) ? 1 : 0;
  return !filters_made || passes(frame);
}

bool CaptureReader::State::make_of_erf(CapturedFrame& frame, const erf::Record& r,
                                       std::int64_t at) {
  if (r.holds == erf::Holds::nothing) return false;
  lost += r.lost;
  if (!r.problem.empty()) damaged(at, r.problem);
  frame.bytes = r.bytes;
  frame.length = std::max(r.length, static_cast<std::uint32_t>(r.bytes.size()));
  int of = DLT_EN10MB;
  if (r.holds == erf::Holds::infiniband) of = DLT_INFINIBAND;
  if (r.holds == erf::Holds::ipv4) of = DLT_IPV4;
  if (r.holds == erf::Holds::ipv6) of = DLT_IPV6;
  if (of == DLT_EN10MB && !fcs) {
    frame.length -= std::min<std::uint32_t>(frame.length, wire::fcs);
    frame.bytes = frame.bytes.first(std::min<std::size_t>(frame.bytes.size(), frame.length));
  }
  const std::string& problem = ethernet.make(frame, of);
  if (!problem.empty()) damaged(at, problem);
  mirrored += take_off_mirror(frame) ? 1 : 0;
  return passes(frame);
}

/// A record inside a packet of another format. Its own time counts: it is the exact one.
bool CaptureReader::State::make_of_record(CapturedFrame& frame, std::int64_t at) {
  if (frame.bytes.size() < erf::header) {
    damaged(at, fmt::format("{} bytes; expected {}, the header of an ERF record",
                            frame.bytes.size(), erf::header));
  }
  const erf::Record r = erf::taken_apart(frame.bytes);
  if (r.holds != erf::Holds::nothing) frame.time_ns = time_of(r.seconds, r.ns, at);
  return make_of_erf(frame, r, at);
}

bool CaptureReader::State::next_erf(CapturedFrame& frame) {
  for (;;) {
    const std::int64_t at = file->position();
    record.resize(erf::header);
    std::size_t there = std::fread(record.data(), 1, erf::header, file->stream());
    if (there == 0 && file->problem().empty() && std::ferror(file->stream()) == 0) {
      ended = true;
      return false;
    }
    if (there == erf::header && record[8] != erf::pad) ++read;
    if (there < erf::header) {
      ++read;
      ends_at(at, fmt::format("an ERF record of {} bytes; expected {} of its header", there,
                              erf::header));
    }
    const std::size_t length = std::size_t{record[10]} << 8 | record[11];
    if (length < erf::header) {
      ends_at(at, fmt::format("an ERF record of {} bytes by its own account; expected at least {}",
                              length, erf::header));
    }
    record.resize(length);
    there += std::fread(record.data() + there, 1, length - there, file->stream());
    if (there < length) {
      ends_at(at, fmt::format("an ERF record of {} bytes, of which {} are there", length, there));
    }
    if (record[8] == erf::pad) continue;
    const erf::Record r = erf::taken_apart(record);
    frame.number = read;
    if (r.holds != erf::Holds::nothing) frame.time_ns = time_of(r.seconds, r.ns, at);
    if (make_of_erf(frame, r, at)) return true;
  }
}

CaptureReader::CaptureReader(const std::string& path, const std::string& filter, bool fcs)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->fcs = fcs;
  state_->open();
  if (!filter.empty()) state_->compile(filter);
}

CaptureReader::~CaptureReader() = default;

bool CaptureReader::next(CapturedFrame& frame) {
  State& s = *state_;
  if (s.pcap == nullptr) return !s.ended && s.next_erf(frame);
  while (!s.ended) {
    const std::int64_t at = s.next_at >= 0 ? s.next_at : s.file->position();
    pcap_pkthdr* header = nullptr;
    const std::uint8_t* bytes = nullptr;
    const int result = pcap_next_ex(s.pcap, &header, &bytes);
    if (result == PCAP_ERROR_BREAK) {
      s.ended = true;
      return false;
    }
    ++s.read;
    if (result != 1) s.ends_at(at, readable(pcap_geterr(s.pcap)));
    if (s.next_at >= 0) {
      s.next_at += classic_record + header->caplen;
      // Libpcap gives no more of a longer record.
      if (header->caplen == s.longest) s.next_at = s.file->position();
    }
    frame.number = s.read;
    frame.bytes = {bytes, header->caplen};
    frame.length = std::max(header->len, header->caplen);
    if (s.link == DLT_ERF) {
      if (s.make_of_record(frame, at)) return true;
      continue;
    }
    frame.time_ns = s.time_of(header->ts.tv_sec, header->ts.tv_usec, at);
    if (header->len > longest_on_wire) {
      s.damaged(at, fmt::format("a length of {} bytes on the wire; expected at most {}",
                                header->len, longest_on_wire));
    }
    if (s.link == DLT_EN10MB) {
      s.mirrored += take_off_mirror(frame) ? 1 : 0;
      if (s.passes(frame)) return true;
      continue;
    }
    if (s.filters && !s.filters_made && pcap_offline_filter(&s.program, header, bytes) == 0) {
      ++s.filtered;
      continue;
    }
    if (s.make(frame, at)) return true;
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
std::uint64_t CaptureReader::mirrored() const { return state_->mirrored; }
std::uint64_t CaptureReader::lost() const { return state_->lost; }
double CaptureReader::share() const { return state_->file->share(); }

}  // namespace horae::capture
