#include "report/html/html.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Html, TextCannotBecomeCode) {
  EXPECT_EQ(element("p", "<b>&\"'").code(), "<p>&lt;b&gt;&amp;&quot;&#39;</p>");
  EXPECT_EQ(element("p", {{"title", "\"><script>"}}, Html()).code(),
            "<p title=\"&quot;&gt;&lt;script&gt;\"></p>");
}

TEST(Html, ControlCharactersAreMadeVisibleAndLinesStay) {
  EXPECT_EQ(Html("a\x1b[2J\nb\xff").code(), "a\\x1b[2J\nb\xef\xbf\xbd");
}

TEST(Html, AnAttributeWithoutAValueIsAFlag) {
  EXPECT_EQ(void_element("input", {{"type", "search"}, {"hidden", ""}}).code(),
            "<input type=\"search\" hidden>");
}

TEST(Html, DataCannotEndItsScriptElementAndParsesToTheSame) {
  const Json value = Json::object().set("name", "</script><!--<script>");
  const std::string code = json_data(value).code();
  EXPECT_EQ(code.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(code).value(), value);
}

}  // namespace
}  // namespace hone
