#include "processor/sound.h"

namespace hone {

Status read_sound(Settings& settings, SoundPlan& plan) {
  HONE_TRY(plan.rate, settings.number("sampling_rate", 1, most_rate));
  const std::string* side = settings.at("padding_side").as_string();
  if (side == nullptr || *side != "right")
    return settings.refuse("padding_side", "sounds are filled up on the right");
  return done();
}

}  // namespace hone
