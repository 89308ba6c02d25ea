#pragma once
// ONNX Runtime's CPU EP has few float16 kernels: at every level it casts the inputs of a node
// without one to float32 and its outputs back, and the model it saves has these casts in it. They
// belong to this machine and not to the model, so they are taken out again.
//
// What ONNX Runtime inserts is known by its name. But it also merges its casts with those of the
// model beside them, and then a float32 value no longer tells whether the model wanted it so. Hence
// two steps: Identities keep the model's casts apart from those to come, and what was inserted is
// removed afterwards, together with the Identities.

#include "model/model.h"

namespace hone {

// Whether some value or tensor of the model is float16.
bool uses_half(const Model& model);

// ONNX Runtime's optimizer that must be off between the two.
inline constexpr auto identity_eliminator = "EliminateIdentity";

void keep_casts_apart(Model& model);
void remove_inserted_casts(Model& model);

}  // namespace hone
