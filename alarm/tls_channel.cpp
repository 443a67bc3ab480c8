#include "alarm/tls_channel.h"

#ifdef SOJOURN_WITH_GNUTLS

#include <poll.h>

#include <array>

#include "core/address.h"
#include "late/gnutls.h"

namespace sojourn {
namespace {

using clickhouse::HttpChannel;
using clickhouse::HttpPatience;

gnutls_certificate_credentials_t credentials_of(void* place) {
  return static_cast<gnutls_certificate_credentials_t>(place);
}

class TlsChannel final : public HttpChannel {
 public:
  TlsChannel(int socket, const std::string& host, gnutls_certificate_credentials_t credentials)
      : socket_(socket), host_(host) {
    gnutls_init(&session_, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
    gnutls_set_default_priority(session_);
    gnutls_credentials_set(session_, GNUTLS_CRD_CERTIFICATE, credentials);
    // RFC 6066 section 3: names only, no addresses.
    if (!IpAddress::parse(host))
      gnutls_server_name_set(session_, GNUTLS_NAME_DNS, host.data(), host.size());
    gnutls_session_set_verify_cert(session_, host_.c_str(), 0);
    gnutls_transport_set_int(session_, socket);
  }
  TlsChannel(const TlsChannel&) = delete;
  ~TlsChannel() override { gnutls_deinit(session_); }

  Result<void> shake_hands(Duration patience) {
    while (true) {
      const int result = gnutls_handshake(session_);
      if (result == 0) return {};
      if (auto again = go_on(result, patience); !again) return again;
    }
  }

  Result<void> send_all(std::string_view bytes, Duration patience) override {
    while (!bytes.empty()) {
      const ssize_t sent = gnutls_record_send(session_, bytes.data(), bytes.size());
      if (sent > 0)
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      else if (auto again = go_on(static_cast<int>(sent), patience); !again)
        return again;
    }
    return {};
  }

  Result<std::string> receive_all(Duration patience) override {
    std::string bytes;
    std::array<char, 16'384> piece{};
    while (bytes.size() < most_answered) {
      const ssize_t got = gnutls_record_recv(session_, piece.data(), piece.size());
      // Many servers close without a close_notify; the response states its own length.
      if (got == 0 || got == GNUTLS_E_PREMATURE_TERMINATION) return bytes;
      if (got > 0)
        bytes.append(piece.data(), static_cast<std::size_t>(got));
      else if (auto again = go_on(static_cast<int>(got), patience); !again)
        return std::unexpected(again.error());
    }
    return failure("the answer is longer than 1 MiB");
  }

 private:
  static constexpr std::size_t most_answered = std::size_t{1} << 20;

  /// After an incomplete call: wait and call again, or why it failed.
  Result<void> go_on(int result, Duration patience) const {
    if (result == GNUTLS_E_AGAIN)
      return clickhouse::wait_for(
          socket_, gnutls_record_get_direction(session_) == 1 ? POLLOUT : POLLIN, patience);
    if (gnutls_error_is_fatal(result) == 0) return {};  // a warning, or interrupted
    if (result == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) return failure(certificate_fault());
    return failure(std::string{"TLS: "} + gnutls_strerror(result));
  }

  std::string certificate_fault() const {
    gnutls_datum_t text{};
    const unsigned status = gnutls_session_get_verify_cert_status(session_);
    if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) != 0)
      return "the certificate is not trusted";
    std::string words{reinterpret_cast<const char*>(text.data), text.size};
    free_of_gnutls(text.data);
    while (!words.empty() && (words.back() == ' ' || words.back() == '\n' || words.back() == '.'))
      words.pop_back();
    return words;
  }

  int socket_;
  std::string host_;  ///< GnuTLS keeps a pointer to it until the handshake is done
  gnutls_session_t session_ = nullptr;
};

}  // namespace

Result<std::shared_ptr<TlsTrust>> TlsTrust::open(const std::string& authority) {
  if (auto loaded = load_late(gnutls_library); !loaded) return std::unexpected(loaded.error());
  std::shared_ptr<TlsTrust> trust{new TlsTrust};
  gnutls_certificate_credentials_t credentials = nullptr;
  if (const int error = gnutls_certificate_allocate_credentials(&credentials); error < 0)
    return failure(std::string{"cannot use GnuTLS: "} + gnutls_strerror(error));
  trust->credentials_ = credentials;
  const int found = authority.empty() ? gnutls_certificate_set_x509_system_trust(credentials)
                                      : gnutls_certificate_set_x509_trust_file(
                                            credentials, authority.c_str(), GNUTLS_X509_FMT_PEM);
  const std::string where = authority.empty() ? "this system's list" : authority;
  if (found < 0)
    return failure("cannot read authorities from " + where + ": " + gnutls_strerror(found));
  if (found == 0) return failure("no certificate of an authority in " + where);
  return trust;
}

TlsTrust::~TlsTrust() {
  if (credentials_ != nullptr) gnutls_certificate_free_credentials(credentials_of(credentials_));
}

Result<std::unique_ptr<HttpChannel>> TlsTrust::connect(int socket, const std::string& host,
                                                       const HttpPatience& patience) const {
  auto channel = std::make_unique<TlsChannel>(socket, host, credentials_of(credentials_));
  if (auto shaken = channel->shake_hands(patience.answering); !shaken)
    return std::unexpected(shaken.error());
  return channel;
}

}  // namespace sojourn

#else

namespace sojourn {

Result<std::shared_ptr<TlsTrust>> TlsTrust::open(const std::string&) {
  return failure("this program was built without TLS: install libgnutls28-dev and build it anew");
}
TlsTrust::~TlsTrust() = default;
Result<std::unique_ptr<clickhouse::HttpChannel>> TlsTrust::connect(
    int, const std::string&, const clickhouse::HttpPatience&) const {
  return failure("this program was built without TLS");
}

}  // namespace sojourn

#endif
