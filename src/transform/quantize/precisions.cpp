#include "transform/quantize/precisions.h"

#include "transform/quantize/static.h"
#include "transform/quantize/weights.h"

namespace hone {
namespace {

ElementType type_named(std::string_view word) {
  return element_type_named(word).value_or(ElementType::undefined);
}

}  // namespace

Status apply_precision(Model& model, const Precision& precision, QuantizeJob& job) {
  switch (precision.making) {
    case Making::nothing:
      break;
    case Making::ranges:
      return apply_static(model, precision, job);
    case Making::while_running:
      return apply_dynamic(model, precision, job);
    case Making::blocks:
      return apply_int4(model, precision, job);
    case Making::half:
      return apply_fp16(model, precision, job);
  }
  HONE_CHECK(precision.making != Making::nothing);
  return done();
}

ElementType weight_type_of(const Precision& precision) { return type_named(precision.weight_type); }

ElementType activation_type_of(const Precision& precision) {
  return type_named(precision.activation_type);
}

}  // namespace hone
