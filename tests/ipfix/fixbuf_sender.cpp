// Sends flow records with libfixbuf, as another exporter would: fixbuf_sender tcp|udp PORT RECORDS

#include <fixbuf/public.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Record {
  std::uint64_t start_ms, end_ms, packets, octets;
  std::uint32_t source, destination;
  fbVarfield_t interface;
};

char name_start[] = "flowStartMilliseconds", name_end[] = "flowEndMilliseconds",
     name_packets[] = "packetTotalCount", name_octets[] = "octetTotalCount",
     name_source[] = "sourceIPv4Address", name_destination[] = "destinationIPv4Address",
     name_interface[] = "interfaceName";
fbInfoElementSpec_t fields[] = {{name_start, 8, 0},
                                {name_end, 8, 0},
                                {name_packets, 8, 0},
                                {name_octets, 8, 0},
                                {name_source, 4, 0},
                                {name_destination, 4, 0},
                                {name_interface, FB_IE_VARLEN, 0},
                                {nullptr, 0, 0}};

void must(bool done, GError* error) {
  if (done) return;
  std::fprintf(stderr, "libfixbuf: %s\n", error ? error->message : "refused");
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  GError* error = nullptr;
  fbInfoModel_t* model = fbInfoModelAlloc();
  fbSession_t* session = fbSessionAlloc(model);
  fbSessionSetDomain(session, 9);
  for (const bool internal : {true, false}) {
    fbTemplate_t* made = fbTemplateAlloc(model);
    must(fbTemplateAppendSpecArray(made, fields, 0xffffffff, &error), error);
    must(fbSessionAddTemplate(session, internal, 300, made, &error) != 0, error);
  }
  char host[] = "127.0.0.1";
  fbConnSpec_t spec{};
  spec.transport = std::strcmp(argv[1], "udp") == 0 ? FB_UDP : FB_TCP;
  spec.host = host;
  spec.svc = argv[2];
  fBuf_t* buffer = fBufAllocForExport(session, fbExporterAllocNet(&spec));
  must(fbSessionExportTemplates(session, &error), error);
  must(fBufSetInternalTemplate(buffer, 300, &error), error);
  must(fBufSetExportTemplate(buffer, 300, &error), error);
  std::string name = "eth0";
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    Record record{};
    record.start_ms = record.end_ms = 1'700'000'000'000u;
    record.packets = 1;
    record.octets = 100;
    record.source = 0xc0000201;
    record.destination = 0xc0000202;
    record.interface.buf = reinterpret_cast<std::uint8_t*>(name.data());
    record.interface.len = name.size();
    must(fBufAppend(buffer, reinterpret_cast<std::uint8_t*>(&record), sizeof record, &error),
         error);
  }
  must(fBufEmit(buffer, &error), error);
  fBufFree(buffer);
  fbInfoModelFree(model);
  return 0;
}
