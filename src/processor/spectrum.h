#pragma once
// How much of each frequency there is in a sound, moment by moment, on a scale of hearing.

#include <cstddef>
#include <span>
#include <vector>

namespace hone {

// The discrete Fourier transform of any length; quick where it is a product of small primes.
class Fourier {
 public:
  explicit Fourier(std::size_t length);
  // The power of each of the length / 2 + 1 frequencies, of components rounded to floats as NumPy's
  // complex64. REQUIRES: as many samples as the length says.
  void power(std::span<const double> samples, std::vector<double>& into);

 private:
  struct Complex {
    double re = 0;
    double im = 0;
  };
  void transform(const double* in, Complex* out, std::size_t count, std::size_t stride);

  std::size_t length_;
  std::vector<Complex> turns_;  // e^(-2 pi i k / length)
  std::vector<Complex> out_;
  std::vector<Complex> lane_;
};

// The largest prime factor: what a transform of that length costs for each sample, at most.
std::size_t largest_factor(std::size_t number);

// Triangles over the frequencies of a transform. Each is kept from its first weight that is not 0.
struct MelFilters {
  struct Filter {
    std::size_t first = 0;
    std::vector<double> weights;
  };
  std::vector<Filter> filters;
};

// Slaney's scale, each triangle of the same area; triangles over hertz.
MelFilters slaney_filters(std::size_t count, std::size_t frequencies, double rate, double highest);
// Kaldi's scale; triangles over that scale.
MelFilters kaldi_filters(std::size_t count, std::size_t frequencies, double rate, double lowest,
                         double highest);

// One sum per filter, nothing below `least`.
void apply(const MelFilters& filters, std::span<const double> power, double least, double* into);

// Hann's window; `is_periodic` leaves out its last value.
std::vector<double> hann_window(std::size_t length, bool is_periodic);

}  // namespace hone
