#include "horae/capture/writer.hpp"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "horae/core/error.hpp"

namespace horae::capture {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t most_seconds = 0xffffffff;  // the format's
constexpr std::size_t longest_frame = 262144;      // what readers accept of Ethernet

}  // namespace

struct CaptureWriter::State {
  std::string shown;
  pcap_t* pcap = nullptr;
  pcap_dumper_t* dumper = nullptr;
  std::uint64_t written = 0;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (dumper != nullptr) pcap_dump_close(dumper);
    if (pcap != nullptr) pcap_close(pcap);
  }
  [[noreturn]] void refuse(int error) const {
    throw InputError(fmt::format("{}: cannot be written: {}", shown, std::strerror(error)));
  }
};

CaptureWriter::CaptureWriter(const std::string& path, const std::string& shown)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.shown = shown.empty() ? path : shown;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) s.refuse(errno);
  s.pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, int{longest_frame},
                                                PCAP_TSTAMP_PRECISION_NANO);
  errno = 0;
  if (s.pcap != nullptr) s.dumper = pcap_dump_fopen(s.pcap, file);
  if (s.dumper != nullptr) return;
  const int error = errno != 0 ? errno : ENOMEM;
  std::fclose(file);
  s.refuse(error);
}

CaptureWriter::~CaptureWriter() = default;
CaptureWriter::CaptureWriter(CaptureWriter&&) noexcept = default;
CaptureWriter& CaptureWriter::operator=(CaptureWriter&&) noexcept = default;

void CaptureWriter::write(std::int64_t stamp_ns, std::span<const std::uint8_t> bytes,
                          std::uint32_t length) {
  State& s = *state_;
  if (stamp_ns < 0 || stamp_ns / ns_per_second > most_seconds || length < bytes.size()) {
    throw ModelError(fmt::format("{}: no packet of {} of {} bytes at {} ns can be written", s.shown,
                                 bytes.size(), length, stamp_ns));
  }
  pcap_pkthdr header{};
  header.ts.tv_sec = stamp_ns / ns_per_second;
  header.ts.tv_usec = stamp_ns % ns_per_second;  // so it is with this precision
  header.caplen = static_cast<bpf_u_int32>(std::min(bytes.size(), longest_frame));
  header.len = length;
  errno = 0;
  pcap_dump(reinterpret_cast<u_char*>(s.dumper), &header, bytes.data());
  if (std::ferror(pcap_dump_file(s.dumper)) != 0) s.refuse(errno != 0 ? errno : EIO);
  ++s.written;
}

void CaptureWriter::close() {
  State& s = *state_;
  if (s.dumper == nullptr) return;
  errno = 0;
  const bool failed = pcap_dump_flush(s.dumper) != 0;
  const int error = errno != 0 ? errno : EIO;
  pcap_dump_close(s.dumper);
  s.dumper = nullptr;
  if (failed) s.refuse(error);
}

std::uint64_t CaptureWriter::written() const { return state_->written; }

}  // namespace horae::capture
