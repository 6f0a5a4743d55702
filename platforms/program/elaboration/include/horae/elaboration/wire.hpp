// Values as bytes, from one rank of a run to another: processes of the same program.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::elaboration {

class WireWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof(T));
  }
  void put(const std::string& text) {
    put(text.size());
    append(text.data(), text.size());
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const auto& value : values) put(value);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::byte> bytes_;
};

/// Takes values in the order in which they were put. ModelError beyond the last one.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
  }
  void get(std::string& text) {
    const auto size = get<std::size_t>();
    text.assign(reinterpret_cast<const char*>(take(size)), size);
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(get<std::size_t>());
    for (auto& value : values) get(value);
  }

 private:
  const std::byte* take(std::size_t size) {
    if (size > bytes_.size()) throw ModelError("a message between ranks ends too early");
    const std::byte* first = bytes_.data();
    bytes_ = bytes_.subspan(size);
    return first;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace horae::elaboration
