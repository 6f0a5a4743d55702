#include "horae/rnic/host/open_accesses.hpp"

#include <algorithm>
#include <utility>

namespace horae::rnic {

std::uint32_t OpenAccesses::add_group() {
  ++open_;
  if (free_groups_.empty()) {
    groups_.emplace_back();
    return static_cast<std::uint32_t>(groups_.size() - 1);
  }
  const std::uint32_t group = free_groups_.back();
  free_groups_.pop_back();
  groups_[group] = {};
  return group;
}

std::uint32_t OpenAccesses::add_piece(const Piece& piece) {
  ++groups_[piece.group].pieces;
  if (free_pieces_.empty()) {
    pieces_.push_back(piece);
    return static_cast<std::uint32_t>(pieces_.size() - 1);
  }
  const std::uint32_t number = free_pieces_.back();
  free_pieces_.pop_back();
  pieces_[number] = piece;
  return number;
}

void OpenAccesses::when_known(HostThen then) {
  HostThen& of_group = groups_[last_].then;
  if (!of_group) {
    of_group = std::move(then);
    return;
  }
  of_group = [first = std::move(of_group), second = std::move(then)](Picoseconds now,
                                                                     Picoseconds done, bool ok) {
    first(now, done, ok);
    second(now, done, ok);
  };
}

void OpenAccesses::read(Picoseconds now, std::uint64_t address, Bytes size, unsigned char* data) {
  last_ = add_group();
  while (size.count() > 0) {
    const Bytes piece = link_.first_request(address, size);
    const std::uint32_t number =
        add_piece({false, false, address, piece, data, now, Picoseconds(0), last_});
    if (waiting_.empty() && link_.may_begin(now)) {
      begin_read(now, number);
    } else {
      waiting_.push_back(number);
    }
    address += static_cast<std::uint64_t>(piece.count());
    size -= piece;
    if (data != nullptr) data += piece.count();
  }
}

void OpenAccesses::begin_read(Picoseconds now, std::uint32_t number) {
  Piece& piece = pieces_[number];
  const PcieLink::OpenRead read = link_.begin_open_read(now, piece.asked, piece.size);
  piece.tag_taken = read.tag_taken;
  begin_(number, {read.arrival, false, piece.address,
                  static_cast<std::uint32_t>(piece.size.count()), piece.data});
}

void OpenAccesses::write(Picoseconds now, std::uint64_t address, Bytes size, unsigned char* data) {
  last_ = add_group();
  while (size.count() > 0) {
    const Bytes piece = link_.first_write(address, size);
    const Picoseconds arrival = link_.write(now, address, piece);
    const std::uint32_t number =
        add_piece({true, false, address, piece, data, now, Picoseconds(0), last_});
    writes_.push_back(number);
    begin_(number, {arrival, true, address, static_cast<std::uint32_t>(piece.count()), data});
    address += static_cast<std::uint64_t>(piece.count());
    size -= piece;
    if (data != nullptr) data += piece.count();
  }
}

void OpenAccesses::answered(Picoseconds now, std::uint32_t number, bool ok) {
  if (!ok) ++errors_;
  if (!pieces_[number].write) {
    const Piece piece = pieces_[number];
    const Picoseconds done =
        link_.finish_open_read(now, piece.address, piece.size, piece.tag_taken, ok);
    if (!ok) groups_[piece.group].ok = false;
    while (!waiting_.empty() && link_.may_begin(now)) {
      const std::uint32_t next = waiting_.front();
      waiting_.pop_front();
      begin_read(now, next);
    }
    return end_piece(now, number, done);
  }
  pieces_[number].answered = true;
  while (!writes_.empty() && pieces_[writes_.front()].answered) {
    const std::uint32_t visible = writes_.front();
    writes_.pop_front();
    end_piece(now, visible, now);
  }
}

void OpenAccesses::end_piece(Picoseconds now, std::uint32_t number, Picoseconds done) {
  const std::uint32_t group = pieces_[number].group;
  free_pieces_.push_back(number);
  Group& of = groups_[group];
  of.done = std::max(of.done, done);
  if (--of.pieces > 0) return;
  const HostThen then = std::move(of.then);
  const Picoseconds whole = of.done;
  const bool ok = of.ok;
  --open_;
  free_groups_.push_back(group);
  // It may make other accesses.
  if (then) then(now, whole, ok);
}

}  // namespace horae::rnic
