// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tidemark/expr/frame.h"
#include "tidemark/expr/function.h"

namespace tidemark {
namespace {

class ColumnNode final : public Node {
 public:
  explicit ColumnNode(std::size_t index) : index_(index) {}
  Vector evaluate(const Frame& frame, Run&) override { return {.column = frame.column(index_)}; }
  bool eager() const override { return true; }

 private:
  std::size_t index_;
};

class LiteralNode final : public Node {
 public:
  explicit LiteralNode(ColumnPtr value) : value_(std::move(value)) {}
  Vector evaluate(const Frame&, Run&) override { return {.column = value_, .constant = true}; }
  const ColumnPtr* literal() const override { return &value_; }
  bool eager() const override { return true; }

 private:
  ColumnPtr value_;
};

// A function or a cast over its arguments.
class CallNode final : public Node {
 public:
  CallNode(const Expression& expression, KernelPtr kernel, std::vector<NodePtr> arguments,
           bool by_row)
      : expression_(std::make_shared<const Expression>(expression)),
        kernel_(std::move(kernel)),
        arguments_(std::move(arguments)),
        by_row_(by_row) {
    eager_ =
        kernel_->eager() && std::all_of(arguments_.begin(), arguments_.end(),
                                        [](const NodePtr& argument) { return argument->eager(); });
  }

  Vector evaluate(const Frame& frame, Run& run) override {
    // Of the node, so that a batch allocates nothing; a node is never entered twice at a time.
    vectors_.clear();
    bool constant = !by_row_;
    for (const NodePtr& argument : arguments_) {
      vectors_.push_back(argument->evaluate(frame, run));
      constant = constant && vectors_.back().constant;
    }
    const bool strict = kernel_->strict();
    if (strict && any_constant_null())
      return {.column = all_null(expression_->type, 1), .constant = true};
    if (constant)
      for (Vector& vector : vectors_) vector.constant = false;
    Invocation call(vectors_, constant ? 1 : frame.size(), expression_->type, run.context);
    if (strict)
      for (const Vector& vector : vectors_)
        if (!vector.constant) call.validity.intersect(*vector.column);
    Vector result{.column = kernel_->run(call), .constant = constant};
    if (!call.failures.empty() && expression_->kind != Expression::Kind::kTryCast)
      report(call, frame, run, constant);
    vectors_.clear();
    return result;
  }

  bool eager() const override { return eager_; }

 private:
  bool any_constant_null() const {
    return std::any_of(vectors_.begin(), vectors_.end(),
                       [](const Vector& v) { return v.constant && v.column->is_null(0); });
  }

  // Of a function that the planner put there the user knows nothing (functions_planner.cc).
  bool names_its_place() const {
    return expression_->kind == Expression::Kind::kCall &&
           is_internal_function(expression_->function);
  }

  void report(const Invocation& call, const Frame& frame, Run& run, bool constant) const {
    const std::string place = to_string(*expression_, frame.batch().schema());
    for (const Invocation::Failed& failed : call.failures) {
      const std::string message =
          names_its_place() ? failed.reason : fmt::format("{} in {}", failed.reason, place);
      if (!constant) {
        run.errors.push_back({frame.row(failed.row), message});
        continue;
      }
      for (std::size_t i = 0; i < frame.size(); ++i) run.errors.push_back({frame.row(i), message});
    }
  }

  ExpressionPtr expression_;
  KernelPtr kernel_;
  std::vector<NodePtr> arguments_;
  std::vector<Vector> vectors_;
  bool by_row_;
  bool eager_;
};

class Compiler {
 public:
  // `taken`: whether the expression is evaluated for every row, so that an error in a constant part
  // is certain and refused at once.
  Result<NodePtr> compile(const Expression& expression, bool taken) {
    switch (expression.kind) {
      case Expression::Kind::kColumn:
        return NodePtr(std::make_unique<ColumnNode>(expression.column));
      case Expression::Kind::kLiteral: return literal(expression.literal);
      case Expression::Kind::kCall: return call(expression, taken);
      case Expression::Kind::kCast:
      case Expression::Kind::kTryCast: return cast(expression, taken);
      case Expression::Kind::kCase: return case_node(expression, taken);
      case Expression::Kind::kAnd:
      case Expression::Kind::kOr: return logic(expression, taken);
      case Expression::Kind::kCoalesce: return coalesce(expression, taken);
    }
    return Error{ErrorCode::kUnsupported, "an expression of an unknown kind"};
  }

 private:
  static NodePtr literal(const Value& value) {
    return std::make_unique<LiteralNode>(single_value(value));
  }

  Result<std::vector<NodePtr>> compile_all(const std::vector<ExpressionPtr>& expressions,
                                           bool taken) {
    std::vector<NodePtr> nodes;
    for (const ExpressionPtr& expression : expressions) {
      TIDEMARK_ASSIGN_OR_RETURN(NodePtr node, compile(*expression, taken));
      nodes.push_back(std::move(node));
    }
    return nodes;
  }

  Result<NodePtr> call(const Expression& expression, bool taken) {
    const Function* function = function_table().find(expression.function);
    if (function == nullptr || function->make == nullptr)
      return Error{ErrorCode::kNotFound,
                   fmt::format("there is no function '{}'", expression.function)};
    return with_kernel(expression, taken, function->purity,
                       [&](const CallSite& site) { return function->make(site); });
  }

  Result<NodePtr> cast(const Expression& expression, bool taken) {
    const TypeKind from = expression.arguments[0]->type.kind;
    const TypeKind to = expression.type.kind;
    const bool zone =
        from != to && (from == TypeKind::kTimestampLtz || to == TypeKind::kTimestampLtz);
    return with_kernel(
        expression, taken, zone ? Purity::kTimeZone : Purity::kPure,
        [&](const CallSite& site) { return make_cast_kernel(site.arguments[0], site.result); });
  }

  template <typename Make>
  Result<NodePtr> with_kernel(const Expression& expression, bool taken, Purity purity, Make make) {
    TIDEMARK_ASSIGN_OR_RETURN(auto nodes, compile_all(expression.arguments, taken));
    std::vector<DataType> types;
    std::vector<Value> values(nodes.size());
    std::vector<const Value*> constants;
    bool constant = true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      types.push_back(expression.arguments[i]->type);
      const ColumnPtr* value = nodes[i]->literal();
      constant = constant && value != nullptr;
      if (value != nullptr) values[i] = value_at(**value, 0);
      constants.push_back(value != nullptr ? &values[i] : nullptr);
    }
    const CallSite site{.arguments = types, .constants = constants, .result = expression.type};
    TIDEMARK_ASSIGN_OR_RETURN(KernelPtr kernel, make(site));
    NodePtr node = std::make_unique<CallNode>(expression, std::move(kernel), std::move(nodes),
                                              purity == Purity::kRow);
    if (!constant || purity != Purity::kPure) return node;
    return fold(std::move(node), taken);
  }

  // The value of a node over literals. In a branch that may not be taken an error waits for a row.
  static Result<NodePtr> fold(NodePtr node, bool taken) {
    static const Batch one_row(make_schema({}), 1, {});
    const EvaluationContext context;
    Run run{.context = context, .errors = {}};
    const Vector value = node->evaluate(Frame(one_row), run);
    if (run.errors.empty()) return NodePtr(std::make_unique<LiteralNode>(value.column));
    if (taken) return Error{ErrorCode::kEvaluation, run.errors.front().message};
    return node;
  }

  static std::optional<bool> truth_of(const Node& node) {
    const ColumnPtr* value = node.literal();
    if (value == nullptr) return std::nullopt;
    return !(*value)->is_null(0) && (*value)->value<std::uint8_t>(0) != 0;
  }

  Result<NodePtr> case_node(const Expression& expression, bool taken) {
    const auto& arguments = expression.arguments;
    std::vector<NodePtr> children;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
      TIDEMARK_ASSIGN_OR_RETURN(NodePtr condition,
                                compile(*arguments[i], taken && children.empty()));
      const std::optional<bool> truth = truth_of(*condition);
      if (truth == false) continue;  // this branch can never be taken
      const bool certain = truth == true && children.empty() && taken;
      TIDEMARK_ASSIGN_OR_RETURN(NodePtr result, compile(*arguments[i + 1], certain));
      if (truth == true) return ended(expression, std::move(children), std::move(result));
      children.push_back(std::move(condition));
      children.push_back(std::move(result));
    }
    TIDEMARK_ASSIGN_OR_RETURN(NodePtr otherwise,
                              compile(*arguments.back(), taken && children.empty()));
    return ended(expression, std::move(children), std::move(otherwise));
  }

  static NodePtr ended(const Expression& expression, std::vector<NodePtr> children, NodePtr last) {
    if (children.empty()) return last;
    children.push_back(std::move(last));
    return make_case_node(expression.type, std::move(children));
  }

  Result<NodePtr> coalesce(const Expression& expression, bool taken) {
    std::vector<NodePtr> children;
    for (const ExpressionPtr& argument : expression.arguments) {
      TIDEMARK_ASSIGN_OR_RETURN(NodePtr child, compile(*argument, taken && children.empty()));
      const ColumnPtr* value = child->literal();
      const bool null = value != nullptr && (*value)->is_null(0);
      if (null && &argument != &expression.arguments.back()) continue;
      children.push_back(std::move(child));
      if (value != nullptr && !null) break;
    }
    if (children.size() == 1) return std::move(children.front());
    return make_coalesce_node(expression.type, std::move(children));
  }

  Result<NodePtr> logic(const Expression& expression, bool taken) {
    const bool is_and = expression.kind == Expression::Kind::kAnd;
    std::vector<NodePtr> children;
    for (const ExpressionPtr& argument : expression.arguments) {
      TIDEMARK_ASSIGN_OR_RETURN(NodePtr child, compile(*argument, taken && children.empty()));
      const ColumnPtr* value = child->literal();
      const bool known = value != nullptr && !(*value)->is_null(0);
      const bool neutral = known && truth_of(*child) == is_and;
      if (neutral) continue;
      children.push_back(std::move(child));
      if (known) break;  // decided: what stands to the right is never evaluated
    }
    if (children.empty()) {
      Value value = Value::of_integer(DataType::boolean(), is_and ? 1 : 0);
      return literal(value);
    }
    if (children.size() == 1) return std::move(children.front());
    return make_logic_node(expression.type, is_and, std::move(children));
  }
};

}  // namespace

Result<NodePtr> compile(const Expression& expression) {
  return Compiler().compile(expression, true);
}

}  // namespace tidemark
