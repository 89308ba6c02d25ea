#include "inspect/parts/best_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace hone {
namespace {

using Places = std::vector<std::int64_t>;
using Row = std::vector<double>;
using Found = std::optional<OnRowsOfReference>;

// A TopK of [batch, places], and the outputs that are rows it has taken and nothing else.
struct Choice {
  Value* scores = nullptr;
  Value* taken = nullptr;
  std::vector<std::string> shown;
};

const Node* before_any(const Value* value, std::initializer_list<std::string_view> types) {
  const Node* node = value ? value->producer() : nullptr;
  while (node && std::ranges::any_of(types, [&](auto type) { return node->is(type); }))
    node = node->input(0) ? node->input(0)->producer() : nullptr;
  return node;
}

bool is_rows(const Value& output, const Node& top) {
  const Node* gather = before_any(&output, {"Sigmoid", "Cast", "Identity"});
  return gather && gather->is("GatherND") && gather->int_or("batch_dims", 0) == 1 &&
         before_any(gather->input(1), {"Unsqueeze", "Cast", "Identity"}) == &top;
}

std::optional<Choice> find_choice(Graph& graph, const NamedTensors& reference) {
  std::vector<Node*> tops;
  for (Node* node : graph.node_list())
    if (node->is("TopK")) tops.push_back(node);
  if (tops.size() != 1 || !tops.front()->input(0) || !tops.front()->output(1)) return std::nullopt;
  Choice choice{tops.front()->input(0), tops.front()->output(1), {}};
  for (const Value* output : graph.outputs())
    if (reference.contains(output->name()) && is_rows(*output, *tops.front()))
      choice.shown.push_back(output->name());
  return choice.shown.empty() ? std::nullopt : std::optional(std::move(choice));
}

// The graph with the rows handed in under the name that comes back, and the scores handed out.
std::string open_choice(Graph& graph, const Choice& choice) {
  Value& rows = graph.add_value("rows_of_reference", Type::tensor(ElementType::int64));
  graph.add_input(rows);
  graph.replace_uses(*choice.taken, rows);
  if (!choice.scores->is_graph_output()) graph.add_output(*choice.scores);
  return rows.name();
}

// Places of each sample, the best first.
std::vector<Places> in_order(const std::vector<double>& scores, std::size_t batch) {
  const std::size_t count = scores.size() / batch;
  std::vector<Places> orders(batch, Places(count));
  for (std::size_t sample = 0; sample < batch; ++sample) {
    const double* own = scores.data() + sample * count;
    std::iota(orders[sample].begin(), orders[sample].end(), 0);
    std::ranges::stable_sort(orders[sample], [&](auto a, auto b) { return own[a] > own[b]; });
  }
  return orders;
}

double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  return largest == 0 ? 1 : largest;
}

double distance(const Row& a, const Row& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

class RowsOfReference {
 public:
  RowsOfReference(const Session& session, std::string port, const Choice& choice,
                  const NamedTensors& inputs, const NamedTensors& reference)
      : session_(session),
        port_(std::move(port)),
        choice_(choice),
        inputs_(inputs),
        reference_(reference) {}

  Result<Found> run(double most_share) {
    if (!read_counts()) return Found();
    HONE_TRY_DO(score(most_share));
    if (orders_.empty()) return Found();
    HONE_TRY_DO(look_at_candidates());
    HONE_TRY(const std::vector<Row> theirs, rows_in(reference_));
    for (std::size_t sample = 0; sample < batch_; ++sample) match(sample, theirs);
    OnRowsOfReference made{.rows = said(), .outputs = {}};
    if (made.rows.elsewhere == 0 || made.rows.share > most_share) return Found();
    HONE_TRY(made.outputs, run_on(chosen_));
    return Found(std::move(made));
  }

 private:
  bool read_counts() {
    const std::vector<std::int64_t>& dims = reference_.at(choice_.shown.front())->dims;
    if (dims.size() < 2 || dims[0] < 1 || dims[1] < 1) return false;
    batch_ = static_cast<std::size_t>(dims[0]);
    rows_ = static_cast<std::size_t>(dims[1]);
    return true;
  }

  Result<NamedTensors> run_on(const std::vector<Places>& rows) const {
    Places all;
    for (const Places& of_sample : rows) all.insert(all.end(), of_sample.begin(), of_sample.end());
    std::string bytes(all.size() * sizeof(std::int64_t), '\0');
    std::memcpy(bytes.data(), all.data(), bytes.size());
    NamedTensors inputs = inputs_;
    inputs[port_] =
        make_tensor(port_, ElementType::int64,
                    {static_cast<std::int64_t>(batch_), static_cast<std::int64_t>(rows_)},
                    Blob::own(std::move(bytes)));
    return session_.run(inputs);
  }

  // Leaves orders_ empty where there are no scores of places to speak of.
  Status score(double most_share) {
    Places any(rows_);
    std::iota(any.begin(), any.end(), 0);
    HONE_TRY(const NamedTensors outputs, run_on(std::vector<Places>(batch_, any)));
    const Tensor& scores = *outputs.at(choice_.scores->name());
    HONE_TRY(scores_, to_doubles(scores));
    const bool has_places = scores.dims.size() == 2 && scores_.size() >= batch_ * rows_ &&
                            scores.dims[0] == static_cast<std::int64_t>(batch_);
    const auto is_number = [](double score) { return std::isfinite(score); };
    if (!has_places || !std::ranges::all_of(scores_, is_number)) return done();
    places_ = scores_.size() / batch_;
    largest_ = largest_of(scores_);
    orders_ = in_order(scores_, batch_);
    for (std::size_t sample = 0; sample < batch_; ++sample)
      candidates_ = std::max(candidates_, as_good_as_best(sample, most_share * largest_));
    return done();
  }

  double score_of(std::size_t sample, std::int64_t place) const {
    return scores_[sample * places_ + static_cast<std::size_t>(place)];
  }

  std::size_t as_good_as_best(std::size_t sample, double slack) const {
    const double least = score_of(sample, orders_[sample][rows_ - 1]) - slack;
    return static_cast<std::size_t>(std::ranges::count_if(
        orders_[sample], [&](std::int64_t place) { return score_of(sample, place) >= least; }));
  }

  // What the outputs show of each place that could have been taken.
  Status look_at_candidates() {
    looks_.assign(batch_, std::vector<Row>(places_));
    for (std::size_t first = 0; first < candidates_; first += rows_) {
      const auto begin = static_cast<std::ptrdiff_t>(std::min(first, places_ - rows_));
      std::vector<Places> some;
      for (const Places& order : orders_)
        some.emplace_back(order.begin() + begin,
                          order.begin() + begin + static_cast<std::ptrdiff_t>(rows_));
      HONE_TRY(const NamedTensors outputs, run_on(some));
      HONE_TRY(std::vector<Row> rows, rows_in(outputs));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto place = static_cast<std::size_t>(some[i / rows_][i % rows_]);
        looks_[i / rows_][place] = std::move(rows[i]);
      }
    }
    return done();
  }

  // All outputs that show rows, row by row, as shares of the reference's largest values.
  Result<std::vector<Row>> rows_in(const NamedTensors& outputs) const {
    std::vector<Row> rows(batch_ * rows_);
    for (const std::string& name : choice_.shown) {
      HONE_TRY(const std::vector<double> theirs, to_doubles(*reference_.at(name)));
      HONE_TRY(const std::vector<double> numbers, to_doubles(*outputs.at(name)));
      const double largest = largest_of(theirs);
      const std::size_t width = numbers.size() / rows.size();
      for (std::size_t i = 0; i < width * rows.size(); ++i)
        rows[i / width].push_back(numbers[i] / largest);
    }
    return rows;
  }

  // Of each of the reference's rows, the place that looks most like it. A wrong guess is no harm:
  // then outputs differ.
  void match(std::size_t sample, const std::vector<Row>& theirs) {
    Places& chosen = chosen_.emplace_back();
    for (std::size_t row = 0; row < rows_; ++row) {
      double nearest = std::numeric_limits<double>::infinity();
      std::int64_t best = 0;
      for (const std::int64_t place : orders_[sample]) {
        Row& look = looks_[sample][static_cast<std::size_t>(place)];
        if (look.empty()) continue;
        const double apart = distance(look, theirs[sample * rows_ + row]);
        if (apart < nearest) std::tie(nearest, best) = std::pair(apart, place);
      }
      chosen.push_back(best);
      looks_[sample][static_cast<std::size_t>(best)].clear();  // none is taken twice
    }
  }

  TakenRows said() const {
    TakenRows rows{.part = {},
                   .scores = choice_.scores->name(),
                   .taken = rows_,
                   .places = places_,
                   .elsewhere = 0,
                   .share = 0};
    for (std::size_t sample = 0; sample < batch_; ++sample) {
      for (std::size_t row = 0; row < rows_; ++row)
        rows.elsewhere += chosen_[sample][row] == orders_[sample][row] ? 0 : 1;
      rows.share = std::max(rows.share, shortfall(sample) / largest_);
    }
    return rows;
  }

  // By how much a row is better than one that stands before it, or one that was left better than
  // one that was taken.
  double shortfall(std::size_t sample) const {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    const auto look_at = [&](std::int64_t place) {
      const double score = score_of(sample, place);
      if (score > least) most = std::max(most, score - least);
      return score;
    };
    for (const std::int64_t place : chosen_[sample]) least = std::min(least, look_at(place));
    for (const std::int64_t place : orders_[sample])
      if (std::ranges::find(chosen_[sample], place) == chosen_[sample].end()) look_at(place);
    return most;
  }

  const Session& session_;
  std::string port_;
  const Choice& choice_;
  const NamedTensors& inputs_;
  const NamedTensors& reference_;
  std::size_t batch_ = 0, rows_ = 0, places_ = 0;
  std::vector<double> scores_;  // [batch, places]
  double largest_ = 1;
  std::vector<Places> orders_;
  std::size_t candidates_ = 0;  // places that could have been taken, of the sample with most
  std::vector<std::vector<Row>> looks_;  // by sample and place; empty where it could not be taken
  std::vector<Places> chosen_;
};

}  // namespace

Result<std::optional<OnRowsOfReference>> run_on_rows_of(const std::shared_ptr<Runtime>& runtime,
                                                        const Path& model,
                                                        const NamedTensors& inputs,
                                                        const NamedTensors& reference,
                                                        double most_share) {
  HONE_TRY(const Model opened, load_model(model));
  const std::optional<Choice> choice = find_choice(*opened.graph, reference);
  if (!choice) return Found();
  const std::string port = open_choice(*opened.graph, *choice);
  HONE_TRY(const Session session, Session::open_model(runtime, opened, {}));
  return RowsOfReference(session, port, *choice, inputs, reference).run(most_share);
}

}  // namespace hone
