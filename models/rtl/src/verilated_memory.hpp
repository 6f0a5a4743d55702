// Verilator's saved registers in memory instead of in a file.
#pragma once

#include <verilated_save.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace horae::rtl {

class MemorySave final : public VerilatedSerialize {
 public:
  void flush() override {
    bytes_.append(reinterpret_cast<const char*>(m_bufp), static_cast<std::size_t>(m_cp - m_bufp));
    m_cp = m_bufp;
  }
  std::string bytes() {
    flush();
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

class MemoryRestore final : public VerilatedDeserialize {
 public:
  explicit MemoryRestore(const std::string& bytes) : bytes_(bytes) {
    m_endp = m_bufp;
    fill();
  }
  // Keeps what was not read yet and adds what fits.
  void fill() override {
    const auto left = static_cast<std::size_t>(m_endp - m_cp);
    std::memmove(m_bufp, m_cp, left);
    const std::size_t more = std::min(bufferSize() - left, bytes_.size() - read_);
    std::memcpy(m_bufp + left, bytes_.data() + read_, more);
    read_ += more;
    m_cp = m_bufp;
    m_endp = m_bufp + left + more;
  }

 private:
  const std::string& bytes_;
  std::size_t read_ = 0;
};

}  // namespace horae::rtl
