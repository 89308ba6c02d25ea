// A session in the caller's process: tensors in, tensors out.

#include "api/arguments.h"
#include "api/border.h"
#include "api/handles.h"
#include "base/misuse.h"
#include "base/text.h"

namespace hone::api {
namespace {

Failure wrong_tensor(const hone_tensor& tensor, std::string cause) {
  return fail(Fault::bad_input, "the tensor '" + printable(tensor.name) + "' cannot be used",
              std::move(cause));
}

// A view of the caller's memory, which outlives the run.
Result<TensorPtr> view(const hone_tensor& tensor) {
  HONE_TRY_DO(check_size(tensor.size, sizeof(hone_tensor), "hone_tensor"));
  HONE_TRY_DO(check_given(tensor.name, "the name of a tensor"));
  if (tensor.rank > 0) HONE_TRY_DO(check_given(tensor.shape, "the shape of a tensor"));
  if (tensor.bytes > 0) HONE_TRY_DO(check_given(tensor.data, "the data of a tensor"));
  const auto type = static_cast<ElementType>(tensor.type);
  if (bits_of(type) == 0)
    return wrong_tensor(tensor, name_of(type) + " is no type of numbers that is known here");
  std::vector<std::int64_t> dims(tensor.shape, tensor.shape + tensor.rank);
  const auto elements = count_elements(dims);
  const auto bytes = elements ? bytes_of(type, *elements) : std::nullopt;
  if (!bytes) return wrong_tensor(tensor, "its shape is that of no tensor");
  if (*bytes != tensor.bytes)
    return wrong_tensor(tensor, "its type and shape take " + std::to_string(*bytes) +
                                    " bytes, and there are " + std::to_string(tensor.bytes));
  const std::string_view data(static_cast<const char*>(tensor.data), tensor.bytes);
  return make_tensor(tensor.name, type, std::move(dims), Blob::borrow(data));
}

Result<NamedTensors> read_inputs(const hone_tensor* inputs, std::size_t count) {
  if (count > 0) HONE_TRY_DO(check_given(inputs, "inputs"));
  NamedTensors read;
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(TensorPtr tensor, view(inputs[i]));
    const std::string name = tensor->name;
    if (!read.emplace(name, std::move(tensor)).second)
      return misuse("the input '" + printable(name) + "' is given twice", "give each once");
  }
  return read;
}

Result<std::unique_ptr<hone_outputs>> wrap(const NamedTensors& made, const SessionFacts& facts) {
  auto outputs = std::make_unique<hone_outputs>();
  for (const ValueFacts& declared : facts.outputs) {
    const auto found = made.find(declared.name);
    if (found == made.end()) continue;
    const TensorPtr& tensor = found->second;
    if (tensor->type == ElementType::string)
      return fail(Fault::unsupported, "the output '" + printable(tensor->name) + "' is text",
                  "a hone_tensor holds numbers", "`hone run` shows what it says");
    HONE_TRY(const std::string_view bytes, tensor->bytes());
    outputs->tensors.push_back(tensor);
    outputs->views.push_back({sizeof(hone_tensor), tensor->name.c_str(),
                              static_cast<std::int32_t>(tensor->type), tensor->dims.data(),
                              tensor->dims.size(), bytes.data(), bytes.size()});
  }
  return outputs;
}

}  // namespace
}  // namespace hone::api

using namespace hone;
using namespace hone::api;

hone_code hone_session_open(const hone_context* context, const char* model, const char* options,
                            const hone_monitor* monitors, size_t monitor_count,
                            hone_session** session, hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    HONE_TRY_DO(check_given(session, "session"));
    *session = nullptr;
    HONE_TRY_DO(check_given(context, "context"));
    HONE_TRY(const auto order,
             read_order<OpenSessionOrder>(context->host, options, {{"model", model}}));
    auto made = std::make_unique<hone_session>();
    HONE_TRY(made->monitors, Monitors::ask(monitors, monitor_count));
    HONE_TRY(made->session, OpenSession::open(order, made->monitors.watchers()));
    made->facts =
        std::make_unique<hone_result>(to_document(made->session->facts(), session_schema_version));
    *session = made.release();
    return Ending{};
  });
}

const hone_result* hone_session_facts(const hone_session* session) {
  return session != nullptr ? session->facts.get() : nullptr;
}

hone_code hone_session_run(hone_session* session, const hone_tensor* inputs, size_t count,
                           hone_outputs** outputs, hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    if (outputs != nullptr) *outputs = nullptr;
    HONE_TRY_DO(check_given(session, "session"));
    HONE_TRY(const NamedTensors read, read_inputs(inputs, count));
    HONE_TRY(const NamedTensors made, session->session->run(read));
    if (outputs == nullptr) return Ending{};
    HONE_TRY(std::unique_ptr<hone_outputs> wrapped, wrap(made, session->session->facts()));
    *outputs = wrapped.release();
    return Ending{};
  });
}

size_t hone_outputs_count(const hone_outputs* outputs) {
  return outputs != nullptr ? outputs->views.size() : 0;
}

const hone_tensor* hone_outputs_at(const hone_outputs* outputs, size_t index) {
  return index < hone_outputs_count(outputs) ? &outputs->views[index] : nullptr;
}

void hone_outputs_free(hone_outputs* outputs) { delete outputs; }

hone_code hone_session_close(hone_session* session, hone_result** result, hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    if (result != nullptr) *result = nullptr;
    if (session == nullptr) return Ending{};
    const std::unique_ptr<hone_session> ended(session);
    const SessionEnd end = ended->session->close();
    if (result != nullptr) *result = new hone_result(to_document(end, session_schema_version));
    return Ending{};
  });
}
