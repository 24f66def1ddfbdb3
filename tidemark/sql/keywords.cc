// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/keywords.h"

#include <algorithm>
#include <array>

namespace tidemark::sql {
namespace {

// The keywords of Flink's grammar (Calcite's and its own) without those that the grammar lists as
// not reserved. Sorted.
constexpr auto kReserved = std::to_array<std::string_view>({
    "ABS", "ALL", "ALLOCATE", "ALLOW", "ALTER", "AND", "ANY", "ARE", "ARRAY",
    "ARRAY_MAX_CARDINALITY", "AS", "ASENSITIVE", "ASOF", "ASYMMETRIC", "AT", "ATOMIC",
    "AUTHORIZATION", "AVG", "BEGIN", "BEGIN_FRAME", "BEGIN_PARTITION", "BETWEEN", "BIGINT",
    "BINARY", "BIT", "BLOB", "BOOLEAN", "BOTH", "BUCKETS", "BY", "BYTES", "CALL", "CALLED",
    "CARDINALITY", "CASCADED", "CASE", "CAST", "CATALOGS", "CEIL", "CEILING", "CHAR",
    "CHARACTER", "CHARACTER_LENGTH", "CHAR_LENGTH", "CHECK", "CLASSIFIER", "CLOB", "CLOSE",
    "COALESCE", "COLLATE", "COLLECT", "COLUMN", "COMMENT", "COMMIT", "CONDITION", "CONNECT",
    "CONNECTIONS", "CONSTRAINT", "CONTAINS", "CONTINUOUS", "CONVERT", "CORR", "CORRESPONDING",
    "COUNT", "COVAR_POP", "COVAR_SAMP", "CREATE", "CROSS", "CUBE", "CUME_DIST", "CURRENT",
    "CURRENT_CATALOG", "CURRENT_DATE", "CURRENT_DEFAULT_TRANSFORM_GROUP", "CURRENT_PATH",
    "CURRENT_ROLE", "CURRENT_ROW", "CURRENT_SCHEMA", "CURRENT_TIME", "CURRENT_TIMESTAMP",
    "CURRENT_TRANSFORM_GROUP_FOR_TYPE", "CURRENT_USER", "CURSOR", "CYCLE", "DATABASES", "DATE",
    "DAY", "DEALLOCATE", "DEC", "DECIMAL", "DECLARE", "DEFAULT", "DEFINE", "DELETE",
    "DENSE_RANK", "DEREF", "DESCRIBE", "DETERMINISTIC", "DISALLOW", "DISCONNECT", "DISTINCT",
    "DISTRIBUTED", "DISTRIBUTION", "DOUBLE", "DROP", "DYNAMIC", "EACH", "ELEMENT", "ELSE",
    "EMPTY", "END", "END_FRAME", "END_PARTITION", "EQUALS", "ESCAPE", "EVERY", "EXCEPT", "EXEC",
    "EXECUTE", "EXISTS", "EXP", "EXPLAIN", "EXTEND", "EXTENDED", "EXTERNAL", "EXTRACT", "FALSE",
    "FETCH", "FILTER", "FIRST_VALUE", "FLOAT", "FLOOR", "FOR", "FOREIGN", "FRAME_ROW", "FREE",
    "FRESHNESS", "FROM", "FULL", "FUNCTION", "FUNCTIONS", "FUSION", "GET", "GLOBAL", "GRANT",
    "GROUP", "GROUPING", "GROUPS", "HASH", "HAVING", "HOLD", "HOUR", "IDENTITY", "IMPORT", "IN",
    "INDICATOR", "INITIAL", "INNER", "INOUT", "INSENSITIVE", "INSERT", "INT", "INTEGER",
    "INTERSECT", "INTERSECTION", "INTERVAL", "INTO", "IS", "JOIN", "JSON_ARRAY",
    "JSON_ARRAYAGG", "JSON_EXISTS", "JSON_OBJECT", "JSON_OBJECTAGG", "JSON_QUERY", "JSON_VALUE",
    "LAG", "LANGUAGE", "LARGE", "LAST_VALUE", "LATERAL", "LEAD", "LEADING", "LEFT", "LIKE",
    "LIKE_REGEX", "LIMIT", "LN", "LOCAL", "LOCALTIME", "LOCALTIMESTAMP", "LOWER", "MATCH",
    "MATCHES", "MATCH_NUMBER", "MATCH_RECOGNIZE", "MATERIALIZED", "MAX", "MEASURES", "MEMBER",
    "MERGE", "METHOD", "MIN", "MINUS", "MINUTE", "MOD", "MODELS", "MODIFIES", "MODIFY",
    "MODULE", "MODULES", "MONTH", "MULTISET", "NATIONAL", "NATURAL", "NCHAR", "NCLOB", "NEW",
    "NEXT", "NO", "NONE", "NORMALIZE", "NOT", "NTH_VALUE", "NTILE", "NULL", "NULLIF", "NUMERIC",
    "OCCURRENCES_REGEX", "OCTET_LENGTH", "OF", "OFFSET", "OLD", "OMIT", "ON", "ONE", "ONLY",
    "OPEN", "OR", "ORDER", "OUT", "OUTER", "OVER", "OVERLAPS", "OVERLAY", "PARAMETER",
    "PARTITION", "PATTERN", "PER", "PERCENT", "PERCENTILE_CONT", "PERCENTILE_DISC",
    "PERCENT_RANK", "PERIOD", "PERMUTE", "PORTION", "POSITION", "POSITION_REGEX", "POWER",
    "PRECEDES", "PRECISION", "PREPARE", "PREV", "PRIMARY", "PROCEDURE", "PROCEDURES", "QUALIFY",
    "RANGE", "RANK", "RAW", "READS", "REAL", "RECURSIVE", "REF", "REFERENCES", "REFERENCING",
    "REFRESH", "REFRESH_MODE", "REGR_AVGX", "REGR_AVGY", "REGR_COUNT", "REGR_INTERCEPT",
    "REGR_R2", "REGR_SLOPE", "REGR_SXX", "REGR_SXY", "REGR_SYY", "RELEASE", "RENAME", "RESET",
    "RESULT", "RESUME", "RETURN", "RETURNS", "REVOKE", "RIGHT", "ROLLBACK", "ROLLUP", "ROW",
    "ROWS", "ROW_NUMBER", "RUNNING", "SAVEPOINT", "SCALA", "SCOPE", "SCROLL", "SEARCH",
    "SECOND", "SEEK", "SELECT", "SENSITIVE", "SESSION_USER", "SET", "SHOW", "SIMILAR", "SKIP",
    "SMALLINT", "SOME", "SPECIFIC", "SPECIFICTYPE", "SQL", "SQLEXCEPTION", "SQLSTATE",
    "SQLWARNING", "SQRT", "START", "STATEMENT", "STATIC", "STDDEV_POP", "STDDEV_SAMP", "STREAM",
    "STRING", "STRUCTURED", "SUBMULTISET", "SUBSET", "SUBSTRING", "SUBSTRING_REGEX", "SUCCEEDS",
    "SUM", "SUSPEND", "SYMMETRIC", "SYSTEM", "SYSTEM_TIME", "SYSTEM_USER", "TABLE", "TABLES",
    "TABLESAMPLE", "THEN", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMEZONE_HOUR",
    "TIMEZONE_MINUTE", "TINYINT", "TO", "TRAILING", "TRANSLATE", "TRANSLATE_REGEX",
    "TRANSLATION", "TREAT", "TRIGGER", "TRIM", "TRIM_ARRAY", "TRUE", "TRUNCATE", "UESCAPE",
    "UNION", "UNIQUE", "UNKNOWN", "UNNEST", "UPDATE", "UPPER", "UPSERT", "USE", "USER", "USING",
    "VALUE", "VALUES", "VALUE_OF", "VARBINARY", "VARCHAR", "VARYING", "VAR_POP", "VAR_SAMP",
    "VERSIONING", "VIEWS", "WATERMARK", "WATERMARKS", "WHEN", "WHENEVER", "WHERE",
    "WIDTH_BUCKET", "WINDOW", "WITH", "WITHIN", "WITHOUT", "YEAR"});

constexpr auto kClauseKeywords = std::to_array<std::string_view>({
    "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "CREATE", "CROSS", "DISTINCT", "ELSE", "END",
    "ESCAPE", "EXCEPT", "FETCH", "FOR", "FROM", "FULL", "GROUP", "HAVING", "IN", "INNER",
    "INSERT", "INTERSECT", "INTO", "IS", "JOIN", "LATERAL", "LIKE", "LIMIT", "MINUS", "NATURAL",
    "NOT", "NULL", "ON", "OR", "ORDER", "OUTER", "OVER", "SELECT", "SET", "SIMILAR", "TABLE",
    "THEN", "UNION", "USING", "VALUES", "WHEN", "WHERE", "WINDOW", "WITH"});

static_assert(std::is_sorted(kReserved.begin(), kReserved.end()));
static_assert(std::is_sorted(kClauseKeywords.begin(), kClauseKeywords.end()));

}  // namespace

std::string to_upper(std::string_view text) {
  std::string upper(text);
  for (char& byte : upper)
    if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 'a' + 'A');
  return upper;
}

bool is_reserved(std::string_view upper) {
  return std::binary_search(kReserved.begin(), kReserved.end(), upper);
}

bool is_clause_keyword(std::string_view upper) {
  return std::binary_search(kClauseKeywords.begin(), kClauseKeywords.end(), upper);
}

}  // namespace tidemark::sql
