#include "inspect/run/assign_inputs.h"

#include "base/text.h"
#include "inspect/eval/image_file.h"
#include "inspect/run/fit_array.h"
#include "inspect/run/literal.h"
#include "inspect/run/sound_input.h"
#include "model/npz/npz.h"

namespace hone {
namespace {

using Kind = GivenInput::Kind;
using Assigned = std::map<std::string, std::vector<GivenInput>>;

Result<bool> fits(const GivenInput& given, const Port& port, const Processor* of_sounds) {
  switch (given.kind) {
    case Kind::picture:
      return takes_picture(port.type);
    case Kind::sound:
      return of_sounds != nullptr ? takes_processed_sound(port.type, *of_sounds)
                                  : takes_sound(port.type);
    case Kind::text:
      return port.type.is_tensor() && port.type.element == ElementType::string;
    case Kind::numbers:
      return parse_numbers(given.words, port).has_value();
    case Kind::array: {
      HONE_TRY(const TensorPtr array, read_npy(given.words));
      return may_fit(*array, port.type);
    }
    case Kind::archive:
    case Kind::value:
      break;
  }
  return false;
}

Failure not_one(const GivenInput& given, const std::vector<const Port*>& fitting,
                const std::vector<Port>& ports) {
  const std::string shown = printable(given.describe());
  if (fitting.empty()) {
    return fail(Fault::bad_input, "no input of the model takes '" + shown + "'", list_ports(ports),
                "--input NAME=" + shown + " says which is meant, and then why not");
  }
  std::vector<std::string> names;
  for (const Port* port : fitting) names.push_back("'" + printable(port->name) + "'");
  return fail(Fault::bad_input, "'" + shown + "' fits more than one input: " + join(names, ", "),
              {}, "say which is meant: --input " + printable(fitting.front()->name) + "=" + shown);
}

Result<std::string> find_input(const GivenInput& given, const std::vector<Port>& ports,
                               const Assigned& named, const Processor* of_sounds) {
  std::vector<const Port*> free;
  std::vector<const Port*> fitting;
  for (const Port& port : ports) {
    if (named.contains(port.name)) continue;
    free.push_back(&port);
    HONE_TRY(const bool is_fitting, fits(given, port, of_sounds));
    if (is_fitting) fitting.push_back(&port);
  }
  // With nothing to choose from, what is wrong with it is told when it is read.
  if (free.size() == 1) return free.front()->name;
  if (fitting.size() == 1) return fitting.front()->name;
  return not_one(given, fitting, ports);
}

}  // namespace

Result<Assigned> assign_inputs(const std::vector<GivenInput>& given, const std::vector<Port>& ports,
                               const Processor* of_sounds) {
  Assigned named;
  for (const GivenInput& input : given) {
    if (input.input.empty()) continue;
    std::vector<GivenInput>& all = named[input.input];
    const bool is_value = input.kind == Kind::value || (!all.empty() && all[0].kind == Kind::value);
    if (is_value && !all.empty()) {
      return fail(Fault::bad_input, "the input '" + printable(input.input) + "' is given twice", {},
                  "leave one of them out");
    }
    all.push_back(input);
  }
  Assigned assigned = named;
  for (const GivenInput& input : given) {
    if (!input.input.empty()) continue;
    HONE_TRY(const std::string name, find_input(input, ports, named, of_sounds));
    assigned[name].push_back(input);
  }
  return assigned;
}

}  // namespace hone
