// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/filesystem/filesystem.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "tidemark/connector/filesystem/file_reader.h"
#include "tidemark/connector/filesystem/file_writer.h"
#include "tidemark/connector/filesystem/path_pattern.h"

namespace tidemark {
namespace {

struct FilesystemOptions {
  std::string path;
  std::shared_ptr<const Format> format;
  std::shared_ptr<const RE2> path_regex;  // null: every file
  RollingPolicy rolling;
};

bool is_compressed(std::string_view path) {
  for (const std::string_view suffix : {".gz", ".gzip", ".bz2", ".xz", ".zst", ".lz4", ".deflate"})
    if (path.ends_with(suffix)) return true;
  return false;
}

std::string describe_compressed(const std::string& owner, const std::string& path) {
  return fmt::format(
      "{}: file '{}' is compressed, which this version does not read; decompress it "
      "first",
      owner, path);
}

// Options of Flink's that would change what is written or read: better refused than ignored.
Status refuse_unsupported(const OptionReader& options) {
  struct Refused {
    std::string_view name;
    std::string_view reason;
  };
  constexpr Refused kRefused[] = {
      {"source.monitor-interval",
       "watching a directory for new files is not supported: the files are listed once, when the "
       "job starts; remove it"},
      {"source.report-statistics", "statistics of files are not used; remove it"},
      {"auto-compaction", "part files are not compacted; remove it"},
      {"compaction.file-size", "part files are not compacted; remove it"},
  };
  for (const Refused& refused : kRefused)
    if (options.has(refused.name))
      return Error{ErrorCode::kUnsupported, fmt::format("{}: option '{}': {}", options.owner(),
                                                        refused.name, refused.reason)};
  return {};
}

Status read_rolling_policy(OptionReader& options, RollingPolicy& rolling) {
  TIDEMARK_ASSIGN_OR_RETURN(
      rolling.file_bytes, options.memory_size("sink.rolling-policy.file-size", rolling.file_bytes));
  TIDEMARK_ASSIGN_OR_RETURN(
      rolling.rollover_interval,
      options.duration("sink.rolling-policy.rollover-interval", rolling.rollover_interval));
  // Age is looked at with every batch, which is more often than any useful interval.
  TIDEMARK_ASSIGN_OR_RETURN([[maybe_unused]] const Millis check_interval,
                            options.duration("sink.rolling-policy.check-interval", 60'000));
  return {};
}

Result<FilesystemOptions> read_options(const TableOptions& table) {
  OptionReader options(fmt::format("table '{}'", table.table), table.options);
  options.allow("connector");
  options.allow("sink.parallelism");
  allow_engine_source_options(options);
  TIDEMARK_TRY(refuse_unsupported(options));
  FilesystemOptions result;
  TIDEMARK_ASSIGN_OR_RETURN(const std::string path, options.required("path"));
  TIDEMARK_ASSIGN_OR_RETURN(result.path, local_path(options, path));
  const std::string regex = options.optional("source.path.regex-pattern", "");
  if (!regex.empty()) {
    result.path_regex = std::make_shared<const RE2>(regex, RE2::Quiet);
    if (!result.path_regex->ok())
      return options.wrong("source.path.regex-pattern", "a regular expression",
                           fmt::format("{}' ({})", regex, result.path_regex->error()));
  }
  TIDEMARK_TRY(read_rolling_policy(options, result.rolling));
  TIDEMARK_ASSIGN_OR_RETURN(result.format, make_format(table.schema, options, table.time_zone));
  TIDEMARK_TRY(options.finish());
  return result;
}

class FilesystemSource final : public Source {
 public:
  FilesystemSource(SchemaPtr schema, FilesystemOptions options)
      : schema_(std::move(schema)), options_(std::move(options)) {}

  SchemaPtr schema() const override { return schema_; }
  bool bounded() const override { return true; }

  std::vector<Split> enumerate(SourceContext& context, std::uint32_t) const override {
    const std::string owner = fmt::format("table '{}'", context.table);
    std::vector<Split> splits;
    for (const FileInfo& file : find_files(*context.files, owner, options_.path)) {
      if (options_.path_regex && !RE2::FullMatch(file.path, *options_.path_regex)) continue;
      if (is_compressed(file.path))
        throw Failure(ErrorCode::kUnsupported, describe_compressed(owner, file.path),
                      /*retryable=*/false);
      splits.push_back({.id = file.path, .payload = ""});
    }
    return splits;
  }

  std::unique_ptr<SplitReader> open(SourceContext& context, const Split& split,
                                    const std::optional<std::string>& position) const override {
    return std::make_unique<FileReader>(context, schema_, *options_.format, split.id, position);
  }

 private:
  SchemaPtr schema_;
  FilesystemOptions options_;
};

class FilesystemSink final : public Sink {
 public:
  explicit FilesystemSink(FilesystemOptions options) : options_(std::move(options)) {}

  std::unique_ptr<SinkWriter> open_writer(SinkContext& context) const override {
    FileSystem& files = *context.files;
    if (files.exists(options_.path) && !files.info(options_.path).is_directory)
      throw Failure(ErrorCode::kInvalidOption,
                    fmt::format("table '{}': option 'path' takes the directory to write to, and "
                                "'{}' is a file",
                                context.table, options_.path),
                    /*retryable=*/false);
    create_directories_durably(files, options_.path);
    return std::make_unique<FileWriter>(context, options_.path, options_.rolling,
                                        options_.format->make_encoder());
  }
  std::unique_ptr<Committer> open_committer(SinkContext& context) const override {
    return std::make_unique<FileCommitter>(context, options_.path,
                                           options_.format->make_encoder()->extension());
  }

 private:
  FilesystemOptions options_;
};

Result<SourcePtr> make_source(const TableOptions& table) {
  TIDEMARK_ASSIGN_OR_RETURN(FilesystemOptions options, read_options(table));
  if (is_compressed(options.path))
    return Error{ErrorCode::kUnsupported,
                 describe_compressed(fmt::format("table '{}'", table.table), options.path)};
  SourcePtr source = std::make_shared<FilesystemSource>(table.schema, std::move(options));
  return source;
}

Result<SinkPtr> make_sink(const TableOptions& table) {
  TIDEMARK_ASSIGN_OR_RETURN(FilesystemOptions options, read_options(table));
  if (is_pattern(options.path))
    return Error{
        ErrorCode::kInvalidOption,
        fmt::format("table '{}': option 'path' of a sink takes a directory, got the pattern "
                    "'{}'",
                    table.table, options.path)};
  SinkPtr sink = std::make_shared<FilesystemSink>(std::move(options));
  return sink;
}

}  // namespace

Connector make_filesystem_connector() {
  return {.name = "filesystem", .make_source = &make_source, .make_sink = &make_sink};
}

}  // namespace tidemark
