#pragma once
// A feed of Azure Artifacts, through the `az` program: argument lists, and what it answers.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "catalog/az/classify.h"

namespace hone::az {

struct Feed {
  std::string program = "az";
  std::string organization;  // "contoso" of https://dev.azure.com/contoso
  std::string project;
  std::string feed;
  std::string package;
};

// "org/project/feed[/package]".
Result<Feed> parse_feed(std::string_view place, const std::string& program,
                        const std::string& default_package);

// Runs az. A program that is not there is an End, as one that fails is.
End run(const Feed& feed, std::vector<std::string> words, std::chrono::milliseconds timeout);

// az is there, with its extension, and somebody is logged in.
Status check_ready(const Feed& feed);

std::vector<std::string> publish_words(const Feed& feed, const std::string& version,
                                       const Path& folder, const std::string& description);
// `filter` is one path inside the package; empty: all of it.
std::vector<std::string> download_words(const Feed& feed, const std::string& version,
                                        const Path& folder, const std::string& filter);

// All versions of the package. A package that is not in the listing is an error: the listing may
// be short, and "nothing is there" would have everything built again.
Result<std::vector<std::string>> list_versions(const Feed& feed);

}  // namespace hone::az
