#include "checkpoint/own_weights.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "base/text.h"
#include "model/edit.h"
#include "model/elements.h"

namespace hone {
namespace {

// As save_model has it: what is smaller stays in the model.
constexpr std::uint64_t smallest_outside = 1024;
constexpr std::size_t elements_at_once = std::size_t{1} << 16;

// A weight as a graph uses it.
struct Form {
  TensorPtr source;
  ElementType type = ElementType::undefined;
  bool is_turned = false;  // rows for columns
  bool is_as_it_lies() const { return type == source->type && !is_turned; }
};

std::uint64_t bytes_per_element(ElementType type) {
  return static_cast<std::uint64_t>(bits_of(type)) / 8;
}

std::vector<std::int64_t> dims_of(const Form& form) {
  std::vector<std::int64_t> dims = form.source->dims;
  if (form.is_turned) std::swap(dims[0], dims[1]);
  return dims;
}

// The bytes are read and not looked at where they are mapped: what was mapped and looked at stays
// with the process.
Status read_piece(const Tensor& tensor, std::uint64_t from, char* to, std::uint64_t length) {
  const auto& backing = tensor.dense.backing();
  const int file = backing ? backing->file_descriptor() : -1;
  if (file < 0) {
    std::memcpy(to, tensor.dense.view().data() + from, length);
    return done();
  }
  auto offset = static_cast<off_t>(tensor.external->offset + from);
  while (length > 0) {
    const ssize_t count = ::pread(file, to, length, offset);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return fail(Fault::io, "cannot read tensor '" + printable(tensor.name) + "'",
                  count < 0 ? std::strerror(errno) : "its file became shorter");
    }
    to += count;
    offset += count;
    length -= static_cast<std::uint64_t>(count);
  }
  return done();
}

Failure has_no_number(const Tensor& tensor) {
  return fail(Fault::bad_input,
              "tensor '" + printable(tensor.name) + "' holds what is no number, and is to be cast",
              {}, "--weights in-place leaves it as it lies; or fetch the checkpoint again");
}

// Numbers beyond the range of the type become its largest.
Result<std::string> read_cast(const Form& form) {
  const Tensor& source = *form.source;
  const std::uint64_t from_bytes = bytes_per_element(source.type);
  const std::uint64_t to_bytes = bytes_per_element(form.type);
  const std::uint64_t count = source.element_count();
  std::string bytes(count * to_bytes, '\0');
  if (source.type == form.type) {
    HONE_TRY_DO(read_piece(source, 0, bytes.data(), bytes.size()));
    return bytes;
  }
  std::string piece(elements_at_once * from_bytes, '\0');
  std::vector<double> numbers(elements_at_once);
  for (std::uint64_t done_so_far = 0; done_so_far < count; done_so_far += elements_at_once) {
    const std::uint64_t now = std::min<std::uint64_t>(elements_at_once, count - done_so_far);
    HONE_TRY_DO(read_piece(source, done_so_far * from_bytes, piece.data(), now * from_bytes));
    const std::span part(numbers.data(), now);
    decode_elements(source.type, std::string_view(piece.data(), now * from_bytes), part);
    if (std::ranges::any_of(part, [](double number) { return std::isnan(number); }))
      return has_no_number(source);
    encode_elements(form.type, part, bytes.data() + done_so_far * to_bytes);
  }
  return bytes;
}

// Some columns of a matrix as rows, in squares that stay in a cache.
void turn(const std::string& matrix, std::size_t rows, std::size_t columns, std::size_t width,
          std::size_t first, std::string& turned) {
  constexpr std::size_t side = 32;
  const std::size_t count = turned.size() / (rows * width);
  for (std::size_t row = 0; row < rows; row += side) {
    const std::size_t last_row = std::min(rows, row + side);
    for (std::size_t column = 0; column < count; ++column) {
      for (std::size_t at = row; at < last_row; ++at) {
        std::memcpy(turned.data() + (column * rows + at) * width,
                    matrix.data() + (at * columns + first + column) * width, width);
      }
    }
  }
}

Status append_turned(AtomicFile& file, const Form& form, const std::string& matrix) {
  const auto rows = static_cast<std::size_t>(form.source->dims[0]);
  const auto columns = static_cast<std::size_t>(form.source->dims[1]);
  const auto width = static_cast<std::size_t>(bytes_per_element(form.type));
  constexpr std::size_t columns_at_once = 64;
  std::string turned;
  for (std::size_t first = 0; first < columns; first += columns_at_once) {
    turned.resize(std::min(columns_at_once, columns - first) * rows * width);
    turn(matrix, rows, columns, width, first, turned);
    HONE_TRY_DO(file.append(std::string_view(turned)));
  }
  return done();
}

Result<std::string> bytes_of(const Form& form) {
  HONE_TRY(std::string bytes, read_cast(form));
  if (!form.is_turned) return bytes;
  std::string turned(bytes.size(), '\0');
  turn(bytes, static_cast<std::size_t>(form.source->dims[0]),
       static_cast<std::size_t>(form.source->dims[1]),
       static_cast<std::size_t>(bytes_per_element(form.type)), 0, turned);
  return turned;
}

class Rewriting {
 public:
  Rewriting(Model& model, const Path& file, const ByteProgress& progress)
      : graph_(*model.graph), path_(file), progress_(progress) {}

  Result<OwnWeights> run() {
    cast_tables();
    find_forms();
    HONE_TRY(AtomicFile file, AtomicFile::create(path_));
    std::uint64_t total = 0;
    for (const auto& [value, form] : needed_)
      total += form.source->element_count() * bytes_per_element(form.type);
    for (const auto& [value, form] : needed_) {
      HONE_TRY_DO(write(file, *value, form));
      if (progress_) progress_(file.size(), total);
    }
    made_.bytes = file.size();
    HONE_TRY_DO(file.commit());
    remove_dead_nodes(graph_);
    remove_unused_initializers(graph_);
    for (const auto& [value, name] : names_) graph_.rename(*value, name);
    return made_;
  }

 private:
  // Rows that are looked up and made smaller: the table is made smaller instead.
  void cast_tables() {
    for (Node* node : graph_.node_list()) {
      Value* rows = node->input(0);
      Node* lookup = node->is("Cast") && rows ? rows->producer() : nullptr;
      if (!lookup || !lookup->is("Gather") || rows->uses().size() != 1 || rows->is_graph_output())
        continue;
      Value* table = lookup->input(0);
      const TensorPtr held = table ? table->initializer() : nullptr;
      const auto type = static_cast<ElementType>(node->int_or("to", 0));
      if (!held || !held->external || !holds_numbers(type) || !holds_numbers(held->type) ||
          bytes_per_element(type) > bytes_per_element(held->type))
        continue;
      Value& smaller = graph_.add_value(table->name() + "_cast");
      Node& cast = graph_.insert_before(*lookup, "Cast", {table}, {&smaller});
      cast.name = lookup->name + "/Cast";
      cast.set_attribute(make_attribute("to", static_cast<std::int64_t>(type)));
      lookup->set_input(0, &smaller);
      rows->type = node->output(0)->type;
      graph_.replace_uses(*node->output(0), *rows);
      graph_.remove_node(*node);
    }
  }

  // Nodes stand in the order in which they run.
  void find_forms() {
    for (Value* value : graph_.initializers()) {
      const TensorPtr& tensor = value->initializer();
      if (tensor && tensor->external && !tensor->absent) forms_[value] = {tensor, tensor->type};
    }
    for (Node* node : graph_.node_list()) {
      const auto form = form_made_by(*node);
      if (form) forms_[node->output(0)] = *form;
    }
    for (Value* value : graph_.values()) {
      const auto form = forms_.find(value);
      if (form != forms_.end() && is_needed(*value)) needed_.emplace_back(value, form->second);
    }
  }

  std::optional<Form> form_made_by(const Node& node) const {
    const auto input = forms_.find(node.input(0));
    if (input == forms_.end() || node.output(0)->is_graph_output()) return std::nullopt;
    Form form = input->second;
    if (node.is("Cast")) {
      form.type = static_cast<ElementType>(node.int_or("to", 0));
      return holds_numbers(form.type) && holds_numbers(form.source->type) ? std::optional(form)
                                                                          : std::nullopt;
    }
    const Attribute* order = node.attribute("perm");
    if (!node.is("Transpose") || form.source->dims.size() != 2 || order == nullptr ||
        order->as_ints() == nullptr || *order->as_ints() != Attribute::Ints{1, 0})
      return std::nullopt;
    form.is_turned = !form.is_turned;
    return form;
  }

  bool is_needed(const Value& value) const {
    return value.is_graph_output() || std::ranges::any_of(value.uses(), [&](const Use& use) {
             return !forms_.contains(use.node->output(0));
           });
  }

  Status write(AtomicFile& file, Value& value, const Form& form) {
    const auto key = std::tuple(form.source.get(), form.type, form.is_turned);
    TensorPtr& tensor = written_[key];
    if (!tensor) HONE_TRY_DO(write_new(file, form, tensor));
    if (value.producer() == nullptr) {
      graph_.set_initializer(value, tensor);
      return done();
    }
    Value& constant = graph_.add_initializer(tensor);
    graph_.replace_uses(value, constant);
    names_.emplace_back(&constant, form.source->name);
    return done();
  }

  Status write_new(AtomicFile& file, const Form& form, TensorPtr& tensor) {
    const std::uint64_t length = form.source->element_count() * bytes_per_element(form.type);
    made_.turned += form.is_as_it_lies() ? 0 : 1;
    if (length < smallest_outside) {
      HONE_TRY(std::string bytes, bytes_of(form));
      tensor =
          make_tensor(form.source->name, form.type, dims_of(form), Blob::own(std::move(bytes)));
      return done();
    }
    // Big ones start on a page, so that a runtime can map them where they lie.
    const std::uint64_t alignment = length >= (1U << 20) ? 4096 : 64;
    const std::uint64_t offset = (file.size() + alignment - 1) / alignment * alignment;
    HONE_TRY_DO(file.pad_to(offset));
    if (form.is_as_it_lies()) {
      HONE_TRY_DO(file.append(form.source->dense));
    } else {
      HONE_TRY(const std::string bytes, read_cast(form));
      HONE_TRY_DO(form.is_turned ? append_turned(file, form, bytes)
                                 : file.append(std::string_view(bytes)));
    }
    auto placed = std::make_shared<Tensor>();
    placed->name = form.source->name;
    placed->type = form.type;
    placed->dims = dims_of(form);
    placed->external = ExternalData{path_.filename().string(), offset, length, {}};
    placed->absent = true;  // it is there once the file has its name
    tensor = std::move(placed);
    ++made_.tensors;
    return done();
  }

  Graph& graph_;
  const Path& path_;
  const ByteProgress& progress_;
  std::map<const Value*, Form> forms_;
  std::vector<std::pair<Value*, Form>> needed_;
  std::map<std::tuple<const Tensor*, ElementType, bool>, TensorPtr> written_;
  std::vector<std::pair<Value*, std::string>> names_;
  OwnWeights made_;
};

}  // namespace

Result<OwnWeights> give_own_weights(Model& model, const Path& file, const ByteProgress& progress) {
  return Rewriting(model, file, progress).run();
}

}  // namespace hone
