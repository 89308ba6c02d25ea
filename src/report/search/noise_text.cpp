#include "report/search/noise_text.h"

#include "base/text.h"
#include "record/target_name.h"
#include "report/search/search_view.h"
#include "report/trace/text.h"

namespace hone {

std::string describe_certificate(const NoiseCertificate& certificate) {
  const std::string where = target_name({certificate.ep, certificate.device, {}});
  std::string text = "identical candidates on " + where + ": " +
                     format_count(certificate.false_keeps) + " kept of " +
                     format_count(certificate.trials) +
                     " searches; where nothing is faster, at most " +
                     text_form::share(certificate.false_keep_bound) +
                     " of searches keep something (95 % confidence)\n";
  text += "noise floor: " + text_form::share(certificate.noise_floor) + " in the median\n";
  for (const NoiseCertificate::Power& power : certificate.power) {
    text += text_form::share(power.effect) + " injected: found in " + format_count(power.found) +
            " of " + format_count(power.trials) + ", " + format_count(power.sign_errors) +
            " with the wrong sign\n";
  }
  return text;
}

}  // namespace hone
