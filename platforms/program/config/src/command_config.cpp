#include "horae/config/command_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::config {

const Schema<PublishedSizeSpec>& PublishedSizeSpec::schema() {
  static const Schema<PublishedSizeSpec> s =
      Schema<PublishedSizeSpec>("published", "A published figure of what a program costs.")
          .required("id", &PublishedSizeSpec::id, {.doc = "name of the figure"})
          .required("profile", &PublishedSizeSpec::profile, {.doc = "profile of the chip"})
          .required("quantity", &PublishedSizeSpec::quantity,
                    {.doc = "an account of the program, a resource, one with _percent, or stages"})
          .field("over_stages", &PublishedSizeSpec::over_stages,
                 {.doc = "stages of which the published figure is a percentage; 0: the stages used",
                  .max = 256})
          .required("value", &PublishedSizeSpec::value, {.doc = "value as it was published"})
          .field("unit", &PublishedSizeSpec::unit, {.doc = "unit of the published value"})
          .required("source", &PublishedSizeSpec::source, {.doc = "where it is published"})
          .field("note", &PublishedSizeSpec::note, {.doc = "what explains a difference"});
  return s;
}

const Schema<SizeConfig>& SizeConfig::schema() {
  static const Schema<SizeConfig> s =
      Schema<SizeConfig>("size", "What `horae size` compares with.")
          .tables("published", &SizeConfig::published, PublishedSizeSpec::schema(),
                  {.doc = "published figures to print beside ours"});
  return s;
}

const Schema<ExplainConfig>& ExplainConfig::schema() {
  static const Schema<ExplainConfig> s =
      Schema<ExplainConfig>("explain", "What `horae explain` reads, relative to this file.")
          .field("observations", &ExplainConfig::observations, {.doc = "file of published numbers"})
          .field("hypotheses", &ExplainConfig::hypotheses, {.doc = "file of mechanisms to test"});
  return s;
}

}  // namespace horae::config
