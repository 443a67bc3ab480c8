#include "bench/ipfix_fixbuf.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef SOJOURN_WITH_FIXBUF
#include <fixbuf/public.h>

#include "ipfix/ntp_time.h"
#endif

namespace sojourn {

#ifdef SOJOURN_WITH_FIXBUF

namespace {

/// As libfixbuf wants a record in memory.  The order of our template.
struct Record {
  std::uint32_t source, destination;
  std::uint16_t source_port, destination_port;
  std::uint8_t protocol, end_reason;
  std::uint16_t tcp_flags;
  std::uint64_t packets, bytes, first_ntp, last_ntp, first_ms, last_ms;
  std::uint32_t first_label, last_label;
  std::uint64_t squares;
};
static_assert(sizeof(Record) == 80);

char name_source[] = "sourceIPv4Address", name_destination[] = "destinationIPv4Address",
     name_source_port[] = "sourceTransportPort",
     name_destination_port[] = "destinationTransportPort", name_protocol[] = "protocolIdentifier",
     name_reason[] = "flowEndReason", name_flags[] = "tcpControlBits",
     name_packets[] = "packetDeltaCount", name_bytes[] = "octetDeltaCount",
     name_first_ns[] = "flowStartNanoseconds", name_last_ns[] = "flowEndNanoseconds",
     name_first_ms[] = "flowStartMilliseconds", name_last_ms[] = "flowEndMilliseconds",
     name_label[] = "digestHashValue",
     name_squares[] = "packetTotalCount";  // stands for an element of our own

fbInfoElementSpec_t fields[] = {{name_source, 4, 0},      {name_destination, 4, 0},
                                {name_source_port, 2, 0}, {name_destination_port, 2, 0},
                                {name_protocol, 1, 0},    {name_reason, 1, 0},
                                {name_flags, 2, 0},       {name_packets, 8, 0},
                                {name_bytes, 8, 0},       {name_first_ns, 8, 0},
                                {name_last_ns, 8, 0},     {name_first_ms, 8, 0},
                                {name_last_ms, 8, 0},     {name_label, 4, 0},
                                {name_label, 4, 0},       {name_squares, 8, 0},
                                {nullptr, 0, 0}};

constexpr std::uint16_t template_id = 256;

void must(bool done, GError* error) {
  if (done) return;
  std::fprintf(stderr, "libfixbuf: %s\n", error ? error->message : "refused");
  std::exit(1);
}

fbSession_t* session_with_template(fbInfoModel_t* model, bool external) {
  GError* error = nullptr;
  fbSession_t* session = fbSessionAlloc(model);
  for (const bool internal : {true, false}) {
    if (!internal && !external) continue;
    fbTemplate_t* made = fbTemplateAlloc(model);
    must(fbTemplateAppendSpecArray(made, fields, 0xffffffff, &error), error);
    must(fbSessionAddTemplate(session, internal, template_id, made, &error) != 0, error);
  }
  return session;
}

std::uint32_t address_of(const IpAddress& address) {
  std::uint32_t value = 0;
  for (const std::uint8_t byte : address.bytes()) value = value << 8 | byte;
  return value;
}

}  // namespace

struct FixbufBench::State {
  fbInfoModel_t* model = fbInfoModelAlloc();
  std::vector<Record> records;
  std::FILE* file = std::tmpfile();
};

FixbufBench::FixbufBench(std::span<const FlowRecord> records) : state_(new State) {
  // Conversion to NTP's format is the caller's work with libfixbuf, and is not timed.
  for (const FlowRecord& record : records)
    state_->records.push_back(
        {address_of(record.key.source), address_of(record.key.destination), record.key.source_port,
         record.key.destination_port, record.key.protocol, 4, record.tcp_flags, record.packets,
         record.bytes, ipfix::to_ntp(record.first), ipfix::to_ntp(record.last),
         static_cast<std::uint64_t>(ipfix::to_milliseconds(record.first)),
         static_cast<std::uint64_t>(ipfix::to_milliseconds(record.last)), record.first_label,
         record.last_label, record.moment_squares});
}

FixbufBench::~FixbufBench() {
  std::fclose(state_->file);
  fbInfoModelFree(state_->model);
}

bool FixbufBench::available() const { return true; }

std::uint64_t FixbufBench::encode() {
  GError* error = nullptr;
  std::rewind(state_->file);
  fBuf_t* buffer = fBufAllocForExport(session_with_template(state_->model, true),
                                      fbExporterAllocFP(state_->file));
  must(fbSessionExportTemplates(fBufGetSession(buffer), &error), error);
  must(fBufSetInternalTemplate(buffer, template_id, &error), error);
  must(fBufSetExportTemplate(buffer, template_id, &error), error);
  for (Record& record : state_->records)
    must(fBufAppend(buffer, reinterpret_cast<std::uint8_t*>(&record), sizeof record, &error),
         error);
  must(fBufEmit(buffer, &error), error);
  fBufFree(buffer);
  std::fflush(state_->file);
  return state_->records.size();
}

std::uint64_t FixbufBench::decode() {
  GError* error = nullptr;
  std::rewind(state_->file);
  fBuf_t* buffer = fBufAllocForCollection(session_with_template(state_->model, false),
                                          fbCollectorAllocFP(nullptr, state_->file));
  must(fBufSetInternalTemplate(buffer, template_id, &error), error);
  std::uint64_t count = 0;
  Record record;
  std::size_t length = sizeof record;
  while (fBufNext(buffer, reinterpret_cast<std::uint8_t*>(&record), &length, &error)) ++count;
  g_clear_error(&error);  // the end of the file
  fBufFree(buffer);
  return count;
}

#else

struct FixbufBench::State {};
FixbufBench::FixbufBench(std::span<const FlowRecord>) {}
FixbufBench::~FixbufBench() = default;
bool FixbufBench::available() const { return false; }
std::uint64_t FixbufBench::encode() { return 0; }
std::uint64_t FixbufBench::decode() { return 0; }

#endif

}  // namespace sojourn
