#include "ipfix/transport/tls.h"

#include "late/gnutls.h"

namespace sojourn::ipfix {

#ifdef SOJOURN_WITH_GNUTLS

struct TlsContext::State {
  gnutls_certificate_credentials_t credentials = nullptr;
  ~State() {
    if (credentials) gnutls_certificate_free_credentials(credentials);
  }
};

struct TlsStream::State {
  std::string host;  ///< GnuTLS keeps a pointer to it until the handshake is done
  gnutls_session_t session = nullptr;
  std::string reason;
  bool refused = false;
  bool ended_properly = false;

  ~State() {
    if (session) gnutls_deinit(session);
  }
  Progress judge(long result) {
    if (result >= 0) return Progress::done;
    const int code = static_cast<int>(result);
    if (code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED) return Progress::again;
    refused = code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR ||
              code == GNUTLS_E_NO_CERTIFICATE_FOUND || code == GNUTLS_E_CERTIFICATE_REQUIRED;
    reason = gnutls_strerror(code);
    if (code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
      gnutls_datum_t text{};
      const unsigned status = gnutls_session_get_verify_cert_status(session);
      if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) == 0) {
        reason.assign(reinterpret_cast<const char*>(text.data), text.size);
        while (!reason.empty() && reason.back() == ' ') reason.pop_back();
        free_of_gnutls(text.data);
      }
    } else if (code == GNUTLS_E_FATAL_ALERT_RECEIVED) {
      const char* alert = gnutls_alert_get_name(gnutls_alert_get(session));
      reason = std::string{"the other side refused: "} + (alert ? alert : "no reason given");
    }
    if (code == GNUTLS_E_PULL_ERROR || code == GNUTLS_E_PUSH_ERROR)
      reason = "the connection was cut; perhaps the other side refused our certificate";
    if (code == GNUTLS_E_PREMATURE_TERMINATION) return Progress::closed;
    return Progress::failed;
  }
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;
TlsStream::TlsStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsStream::~TlsStream() = default;

Result<std::unique_ptr<TlsContext>> TlsContext::open(const TlsFiles& files) {
  if (auto loaded = load_late(gnutls_library); !loaded) return std::unexpected(loaded.error());
  auto state = std::make_unique<State>();
  if (const int error = gnutls_certificate_allocate_credentials(&state->credentials); error < 0)
    return failure(std::string{"cannot use GnuTLS: "} + gnutls_strerror(error));
  const int signers = gnutls_certificate_set_x509_trust_file(
      state->credentials, files.authority.c_str(), GNUTLS_X509_FMT_PEM);
  if (signers < 0)
    return failure("cannot read the authority " + files.authority + ": " +
                   gnutls_strerror(signers));
  if (signers == 0) return failure("no certificate of an authority in " + files.authority);
  if (const int error = gnutls_certificate_set_x509_key_file(
          state->credentials, files.certificate.c_str(), files.key.c_str(), GNUTLS_X509_FMT_PEM);
      error < 0)
    return failure("cannot use the certificate " + files.certificate + " with the key " +
                   files.key + ": " + gnutls_strerror(error));
  return std::unique_ptr<TlsContext>{new TlsContext{std::move(state)}};
}

namespace {

gnutls_session_t session_over(int socket, unsigned role,
                              gnutls_certificate_credentials_t credentials) {
  gnutls_session_t session = nullptr;
  gnutls_init(&session, role | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
  gnutls_set_default_priority(session);
  gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
  gnutls_transport_set_int(session, socket);
  return session;
}

}  // namespace

std::unique_ptr<TlsStream> TlsContext::accept(int socket) const {
  auto state = std::make_unique<TlsStream::State>();
  state->session = session_over(socket, GNUTLS_SERVER, state_->credentials);
  gnutls_certificate_server_set_request(state->session, GNUTLS_CERT_REQUIRE);
  gnutls_session_set_verify_cert(state->session, nullptr, 0);
  return std::unique_ptr<TlsStream>{new TlsStream{std::move(state)}};
}

std::unique_ptr<TlsStream> TlsContext::connect(int socket, const std::string& host) const {
  auto state = std::make_unique<TlsStream::State>();
  state->session = session_over(socket, GNUTLS_CLIENT, state_->credentials);
  state->host = host;
  gnutls_server_name_set(state->session, GNUTLS_NAME_DNS, host.data(), host.size());
  gnutls_session_set_verify_cert(state->session, state->host.c_str(), 0);
  return std::unique_ptr<TlsStream>{new TlsStream{std::move(state)}};
}

Progress TlsStream::handshake() {
  while (true) {
    const int result = gnutls_handshake(state_->session);
    if (result < 0 && gnutls_error_is_fatal(result) == 0 && result != GNUTLS_E_AGAIN &&
        result != GNUTLS_E_INTERRUPTED)
      continue;  // a warning
    const Progress progress = state_->judge(result);
    if (progress == Progress::failed) gnutls_alert_send_appropriate(state_->session, result);
    return progress;
  }
}

bool TlsStream::wants_write() const { return gnutls_record_get_direction(state_->session) == 1; }
bool TlsStream::refused_certificate() const { return state_->refused; }
bool TlsStream::ended_properly() const { return state_->ended_properly; }
const std::string& TlsStream::reason() const { return state_->reason; }

TlsStream::Moved TlsStream::read(std::span<std::byte> bytes) {
  const ssize_t result = gnutls_record_recv(state_->session, bytes.data(), bytes.size());
  if (result == 0) {
    state_->ended_properly = true;
    return {Progress::closed, 0};
  }
  if (result == GNUTLS_E_REHANDSHAKE) return {Progress::again, 0};
  const Progress progress = state_->judge(result);
  return {progress, result > 0 ? static_cast<std::size_t>(result) : 0};
}

TlsStream::Moved TlsStream::write(std::span<const std::byte> bytes) {
  const ssize_t result = gnutls_record_send(state_->session, bytes.data(), bytes.size());
  const Progress progress = state_->judge(result);
  return {progress, result > 0 ? static_cast<std::size_t>(result) : 0};
}

void TlsStream::say_goodbye() { gnutls_bye(state_->session, GNUTLS_SHUT_WR); }

#else

struct TlsContext::State {};
struct TlsStream::State {
  std::string reason;
};
TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;
TlsStream::TlsStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsStream::~TlsStream() = default;

Result<std::unique_ptr<TlsContext>> TlsContext::open(const TlsFiles&) {
  return failure("this program was built without TLS: install libgnutls28-dev and build it again");
}
std::unique_ptr<TlsStream> TlsContext::accept(int) const { return nullptr; }
std::unique_ptr<TlsStream> TlsContext::connect(int, const std::string&) const { return nullptr; }
Progress TlsStream::handshake() { return Progress::failed; }
bool TlsStream::wants_write() const { return false; }
bool TlsStream::refused_certificate() const { return false; }
bool TlsStream::ended_properly() const { return false; }
const std::string& TlsStream::reason() const { return state_->reason; }
TlsStream::Moved TlsStream::read(std::span<std::byte>) { return {Progress::failed, 0}; }
TlsStream::Moved TlsStream::write(std::span<const std::byte>) { return {Progress::failed, 0}; }
void TlsStream::say_goodbye() {}

#endif

}  // namespace sojourn::ipfix
