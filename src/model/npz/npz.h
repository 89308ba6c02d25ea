#pragma once
// NumPy's .npz: a zip archive of named arrays. The form in which input data is given and taken.

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/tensor.h"

namespace hone {

// Arrays in the order of the archive; the tensor's name is the array's. Stored arrays are views
// into the file.
Result<std::vector<TensorPtr>> read_npz(const Path& path);

// One array, as np.save writes it; its tensor has no name.
Result<TensorPtr> read_npy(const Path& path);

// Writes what np.load reads. Types NumPy has not are refused.
Status write_npz(const Path& path, const std::vector<TensorPtr>& arrays);

}  // namespace hone
