// A platform as its TOML file says it: checked against itself, not yet built.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "horae/core/roce.hpp"
#include "horae/fabric/output_queued_switch.hpp"
#include "horae/fabric/topology.hpp"
#include "horae/fabric/window_clock.hpp"
#include "horae/params/params.hpp"
#include "horae/programs/program.hpp"
#include "horae/rnic/rnic_config.hpp"
#include "horae/tofino/chip_config.hpp"
#include "horae/traffic/collective.hpp"
#include "horae/traffic/flow_list.hpp"

namespace horae::platforms {

/// When a run ends.
enum class StopRule {
  duration,  ///< after `duration`
  finished,  ///< when every message is completed and nothing is under way, at the latest after
             ///< `duration`
};

struct AboutConfig {
  std::string name;
  std::string description;
  std::vector<std::string> assumptions;  ///< printed under the result
  static const Schema<AboutConfig>& schema();
};

struct SimConfig {
  Picoseconds duration = 1_ms;
  Picoseconds warmup{};  ///< excluded from rates and shares
  StopRule stop = StopRule::duration;
  std::uint32_t seed = 1;
  fabric::scheduling scheduling = fabric::scheduling::windowed;
  Picoseconds window{};
  Picoseconds sample{};  ///< interval of series.csv; zero: none
  std::vector<Located<std::string>> sample_devices;
  Picoseconds stuck_after = 20_ms;
  Layer rate_layer = Layer::l1;
  bool nack_trace = false;
  std::vector<Bytes> size_bins = {Bytes(10'000), Bytes(1'000'000)};
  static const Schema<SimConfig>& schema();
};

struct OutageConfig {
  Picoseconds from{};
  Picoseconds to{};
  static const Schema<OutageConfig>& schema();
};

/// Values of a link; what is absent is taken from [link_default].
struct LinkSpec {
  std::vector<Located<std::string>> between;
  std::optional<BitRate> rate;
  std::optional<Picoseconds> delay;
  std::optional<double> loss;
  std::vector<OutageConfig> outages;
  static const Schema<LinkSpec>& schema();
};

/// What is different about a link of a generated network.
struct ImpairmentSpec {
  enum class Direction { both, forward };
  std::vector<Located<std::string>> between;
  Direction direction = Direction::both;
  std::optional<BitRate> rate;
  std::optional<double> loss;
  std::vector<OutageConfig> outages;
  std::optional<Picoseconds> converge;
  static const Schema<ImpairmentSpec>& schema();
};

struct LinkDefault {
  BitRate rate = 100_Gbps;
  Picoseconds delay = 500_ns;
  double loss = 0.0;
  static const Schema<LinkDefault>& schema();
};

struct DeviceSpec {
  std::vector<Located<std::string>> names;
  Located<std::string> profile;
  static const Schema<DeviceSpec>& schema();
};

/// A generated two-tier Clos: hosts h0.., leaves leaf0.., spines spine0.., every leaf to every
/// spine.
struct LeafSpineConfig {
  std::uint32_t leaves = 4;
  std::uint32_t spines = 4;
  std::uint32_t hosts_per_leaf = 4;
  Located<std::string> host;
  Located<std::string> leaf;
  Located<std::string> spine;
  static const Schema<LeafSpineConfig>& schema();
};

/// A generated three-tier fat-tree (Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center
/// Network Architecture", SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches, (k/2)^2
/// cores; hosts h0.., edge<pod>_<i>, agg<pod>_<i>, core<i>. Aggregation switch i of every pod has
/// the cores i*k/2 to i*k/2 + k/2 - 1. Ports of a switch: those down first.
struct FatTreeConfig {
  std::uint32_t k = 4;
  std::uint32_t hosts_per_edge = 0;  ///< 0: k/2
  Located<std::string> host;
  Located<std::string> edge;
  Located<std::string> aggregation;
  Located<std::string> core;
  static const Schema<FatTreeConfig>& schema();
};

/// A generated random graph of switches (Jellyfish: Singla et al., NSDI 2012): hosts h0.. in the
/// order of their switches s0.., spread as evenly as they go, and all other ports joined at random
/// (fabric::random_links). Ports of a switch: hosts first.
struct JellyfishConfig {
  std::uint32_t switches = 80;
  std::uint32_t ports = 8;
  std::uint32_t hosts = 128;
  std::uint32_t seed = 1;
  Located<std::string> host;
  Located<std::string> sw;
  static const Schema<JellyfishConfig>& schema();
};

/// Which paths plain switches use.
struct RoutingConfig {
  enum class Kind { shortest, ksp };
  Kind kind = Kind::shortest;
  std::uint32_t paths = 8;
  static const Schema<RoutingConfig>& schema();
};

/// Links between switches that fail again and again: in each interval another random set.
struct FailuresConfig {
  double share = 0.01;
  Picoseconds interval = 100_ms;
  Picoseconds start{};
  std::uint32_t seed = 1;
  static const Schema<FailuresConfig>& schema();
};

/// Messages between NICs: perftest's stream, or a finite number each.
struct MessagesConfig {
  enum class Pattern { pairs, permutation };
  Pattern pattern = Pattern::pairs;
  std::vector<Located<std::string>> from, to;
  Bytes message = 64_KiB;
  std::uint32_t depth = 128;
  std::uint32_t qps = 1;
  std::uint32_t count = 0;
  Picoseconds start{};
  std::uint32_t first_psn = 0;
  static const Schema<MessagesConfig>& schema();
};

/// Open-loop packets between hosts without a transport.
struct PacketsConfig {
  MessagesConfig::Pattern pattern = MessagesConfig::Pattern::permutation;
  std::vector<Located<std::string>> from, to;
  Bytes payload = 4_KiB;
  double load = 1.0;
  std::uint32_t count = 0;
  Picoseconds start{};
  static const Schema<PacketsConfig>& schema();
};

/// Collective operations of groups of NICs.
struct CollectiveTraffic {
  traffic::Operation operation = traffic::Operation::all_reduce;
  Bytes size = 1_MiB;
  std::uint32_t slices = 1;
  std::uint32_t groups = 1;
  std::vector<Located<std::string>> members;
  Picoseconds start{};
  Picoseconds stagger{};
  Picoseconds compute{};
  std::uint32_t depth = 128;
  std::uint32_t first_psn = 0;
  static const Schema<CollectiveTraffic>& schema();
};

/// When messages of open-loop traffic come, and between whom.
struct ArrivalConfig {
  double load = 0.5;
  double oversubscription = 1.0;
  Picoseconds start{};
  Picoseconds duration = 1_ms;
  std::vector<Located<std::string>> members;
  bool random_first_psn = false;
};

/// Messages of a workload, each a connection of its own, from every member to any other one.
struct FlowTraffic : ArrivalConfig {
  Located<std::string> workload{"alistorage2019", {}};
  /// Of a workload file of the user's own: what its bytes are (content_hash).
  std::optional<Located<std::string>> content;
  static const Schema<FlowTraffic>& schema();
};

/// Queries: many send to one at the same time, each on a connection of its own.
struct IncastTraffic : ArrivalConfig {
  std::uint32_t fan_in = 50;
  Bytes size{40'000};
  static const Schema<IncastTraffic>& schema();
};

struct PlacedList;

/// Messages of a flow list, each a connection of its own.
struct FlowListTraffic {
  enum class Nodes { refuse, modulo };
  enum class Priorities { refuse, ignore };
  enum class Triggers { local, on_receipt };
  Located<std::string> file;
  traffic::ListFormat format = traffic::ListFormat::automatic;
  std::optional<Located<std::string>> content;  ///< what its bytes are (content_hash)
  std::vector<Located<std::string>> members;
  Nodes nodes = Nodes::refuse;
  Picoseconds from{};
  std::optional<Picoseconds> to;
  double scale_time = 1.0;
  double scale_bytes = 1.0;
  Picoseconds start{};
  Priorities priorities = Priorities::refuse;
  Triggers send_done = Triggers::local;
  bool random_first_psn = false;
  /// Read with the platform.
  std::shared_ptr<const PlacedList> placed;
  static const Schema<FlowListTraffic>& schema();
};

/// One run of a sweep: overrides on top of the file's and the command line's.
struct SweepPoint {
  Located<std::string> label;
  std::vector<std::string> set;
  static const Schema<SweepPoint>& schema();
};

/// A column of the result table.
struct ColumnSpec {
  Located<std::string> title;
  Located<std::string> metric;
  std::uint32_t digits = 3;
  static const Schema<ColumnSpec>& schema();
};

/// A published number, and the result it is to be compared with.
struct PublishedSpec {
  Located<std::string> id;
  Located<std::string> point;  ///< label of the sweep point
  Located<std::string> metric;
  double value = 0;
  std::string unit;
  std::string source;
  static const Schema<PublishedSpec>& schema();
};

struct SweepConfig {
  std::string title;
  std::string label_title = "point";
  std::vector<SweepPoint> points;
  std::vector<ColumnSpec> columns;
  std::vector<PublishedSpec> published;
  static const Schema<SweepConfig>& schema();
};

/// A published figure of what a program costs, to be shown beside ours.
struct PublishedSizeSpec {
  Located<std::string> id;
  Located<std::string> profile;  ///< the chip's profile
  /// An account of the program; a resource's name; that and "_percent"; or "stages".
  Located<std::string> quantity;
  std::uint32_t over_stages = 0;  ///< for per cent: of so many stages; 0: of those we use
  double value = 0;
  std::string unit;
  std::string source;
  std::string note;  ///< what explains a difference
  static const Schema<PublishedSizeSpec>& schema();
};

struct SizeConfig {
  std::vector<PublishedSizeSpec> published;
  static const Schema<SizeConfig>& schema();
};

/// What `horae explain` reads, relative to the platform file.
struct ExplainConfig {
  std::optional<Located<std::string>> observations;
  std::optional<Located<std::string>> hypotheses;
  static const Schema<ExplainConfig>& schema();
};

/// A named kind of device.
struct TofinoProfile {
  tofino::ChipConfig chip;
  std::shared_ptr<const programs::ProgramFactory> program;
};
struct HostProfile {};
using Profile = std::variant<rnic::RnicConfig, TofinoProfile, fabric::SwitchConfig, HostProfile>;

/// The kinds of profile by name, in the order of Profile's alternatives.
const std::vector<std::string>& profile_kinds();

/// A device of the platform: its vertex of the topology and its profile.
struct DeviceInstance {
  std::string name;
  std::string profile;
  Location where;
};

struct LinkInstance {
  fabric::LinkConfig config;    ///< from the edge's first device to its second
  fabric::LinkConfig backward;  ///< the other direction
  Location where;
};

using TrafficConfig = std::variant<MessagesConfig, PacketsConfig, CollectiveTraffic, FlowTraffic,
                                   IncastTraffic, FlowListTraffic>;

/// Routing withdraws a link, or takes it back.
struct RouteChange {
  Picoseconds at{};
  std::size_t link = 0;
  bool withdrawn = false;
  bool drain = false;  ///< switches drop what is queued for the link
};

/// The whole platform. Vertices of `topology` are `devices` in the same order, edges are `links`.
struct PlatformConfig {
  AboutConfig about;
  SimConfig sim;
  std::map<std::string, Profile> profiles;
  fabric::Topology topology;
  std::vector<DeviceInstance> devices;
  std::vector<LinkInstance> links;
  RoutingConfig routing;
  std::vector<RouteChange> route_changes;  ///< in the order of time
  bool detours = false;  ///< changed routes may lead over ports that were on no shortest path
  std::vector<TrafficConfig> traffic;
  SweepConfig sweep;
  SizeConfig size;
  ExplainConfig explain;
  /// Every value in effect, including defaults.
  nlohmann::ordered_json effective;
};

/// What the control plane of the chip at `vertex` knows.
programs::Routes chip_routes(const PlatformConfig& platform, unsigned vertex,
                             const fabric::RouteTable& table);

/// The value in effect under a dotted key such as "traffic[0].qps", or null.
const nlohmann::ordered_json* find_value(const nlohmann::ordered_json& effective,
                                         std::string_view key);

/// The folder of a sweep point's results, below `points`.
std::string folder_name(const std::string& label);

/// Name-based UUID (RFC 4122) of a configuration.
std::string hash_of(const nlohmann::ordered_json& effective);

/// Reads and checks a platform. InputError on anything that cannot be built.
PlatformConfig read_platform(const Document& document);

}  // namespace horae::platforms
