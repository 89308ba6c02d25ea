#pragma once
// Sizes of dimensions, and what ties them to each other: the same dimension seen in two places, a
// sum (what a Concat joins), a product (what a Reshape flattens), a window that slides (Conv). What
// follows from what is known is worked out in both directions.

#include <cstdint>
#include <optional>
#include <vector>

namespace hone {

class DimSystem {
 public:
  using Id = std::size_t;

  Id open();
  Id known(std::int64_t size);
  // The two are one. Says nothing where their sizes are known and differ: what a model broadcasts,
  // or takes in one of two branches, is no law.
  void equate(Id a, Id b);
  // The size, unless another one is known.
  void set(Id dim, std::int64_t size);

  void add_sum(Id total, std::vector<Id> parts, std::int64_t plus = 0);
  void add_product(Id total, std::vector<Id> parts);
  // out = (in + pad - extent) / stride + 1, rounded down.
  struct Window {
    std::int64_t extent = 1;
    std::int64_t stride = 1;
    std::int64_t pad = 0;
  };
  void add_window(Id out, Id in, Window window);
  // out = in * by / per, rounded down.
  void add_scale(Id out, Id in, std::int64_t by, std::int64_t per);

  std::optional<std::int64_t> size(Id dim) const { return dims_[root(dim)].size; }
  bool are_one(Id a, Id b) const { return root(a) == root(b); }
  Id root(Id dim) const;
  // Works out what follows from sizes that became known, until nothing is new.
  void solve();

 private:
  struct Entry {
    Id parent;
    std::optional<std::int64_t> size;
  };
  enum class Kind { sum, product, window, scale };
  struct Tie {
    Kind kind;
    Id out;
    std::vector<Id> parts;
    std::int64_t plus = 0;
    Window window{};
    std::int64_t by = 1;
    std::int64_t per = 1;
  };
  void add(Tie tie);
  void learn(Id dim, std::int64_t size);
  void apply(const Tie& tie);
  void apply_fold(const Tie& tie);
  void apply_window(const Tie& tie);
  void apply_scale(const Tie& tie);

  std::vector<Entry> dims_;
  std::vector<Tie> ties_;
  bool has_news_ = false;  // a size that ties may not have seen yet
};

}  // namespace hone
