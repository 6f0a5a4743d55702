// Bytes of a frame, with room before them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae {

/// Bytes like a vector's. Headers are put before them, and taken off, without moving the rest.
class FrameBytes {
 public:
  FrameBytes() = default;
  FrameBytes(std::initializer_list<std::uint8_t> bytes) {
    assign({std::data(bytes), bytes.size()});
  }
  explicit FrameBytes(std::span<const std::uint8_t> bytes) { assign(bytes); }

  const std::uint8_t* data() const { return room_.data() + first_; }
  std::uint8_t* data() { return room_.data() + first_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::uint8_t* begin() const { return data(); }
  const std::uint8_t* end() const { return data() + size_; }
  std::uint8_t* begin() { return data(); }
  std::uint8_t* end() { return data() + size_; }
  std::uint8_t& operator[](std::size_t at) { return data()[at]; }
  const std::uint8_t& operator[](std::size_t at) const { return data()[at]; }

  /// They are not its own.
  void assign(std::span<const std::uint8_t> bytes) {
    make_room(front, bytes.size());
    std::copy_n(bytes.data(), bytes.size(), data());
  }
  /// Cut, or filled with zeros, to so many bytes.
  void resize(std::size_t size) {
    if (first_ + size > room_.size()) room_.resize(first_ + size);
    if (size > size_) std::fill_n(data() + size_, size - size_, std::uint8_t{0});
    size_ = size;
  }
  void clear() { size_ = 0; }
  /// So many bytes more before them, whatever they are.
  void put_before(std::size_t count) {
    if (count > first_) {
      FrameBytes wider;
      wider.make_room(front + count, size_);
      std::copy_n(data(), size_, wider.data());
      swap(wider);
    }
    first_ -= count;
    size_ += count;
  }
  /// So many bytes fewer; there are as many.
  void take_off(std::size_t count) {
    first_ += count;
    size_ -= count;
  }
  void swap(FrameBytes& other) {
    room_.swap(other.room_);
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
  }
  bool operator==(const FrameBytes& other) const { return std::ranges::equal(*this, other); }

 private:
  /// Bytes before those of a new frame: what programs put before packets is of some headers.
  static constexpr std::size_t front = 128;
  void make_room(std::size_t before, std::size_t size) {
    first_ = before;
    size_ = size;
    if (room_.size() < before + size) room_.resize(before + size);
  }

  std::vector<std::uint8_t> room_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace horae
