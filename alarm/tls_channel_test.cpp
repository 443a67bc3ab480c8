#ifdef SOJOURN_WITH_GNUTLS
#include "alarm/tls_channel.h"

#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// A certificate for 127.0.0.1 that is its own authority, and the peer that shows it.
class TestPeer {
 public:
  TestPeer() {
    gnutls_x509_privkey_init(&key_);
    gnutls_x509_privkey_generate(key_, GNUTLS_PK_ECDSA,
                                 GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    gnutls_x509_crt_init(&certificate_);
    gnutls_x509_crt_set_version(certificate_, 3);
    gnutls_x509_crt_set_serial(certificate_, "\x01", 1);
    gnutls_x509_crt_set_activation_time(certificate_, std::time(nullptr) - 60);
    gnutls_x509_crt_set_expiration_time(certificate_, std::time(nullptr) + 3600);
    gnutls_x509_crt_set_key(certificate_, key_);
    gnutls_x509_crt_set_basic_constraints(certificate_, 1, -1);
    const std::array<unsigned char, 4> loopback = {127, 0, 0, 1};
    gnutls_x509_crt_set_subject_alt_name(certificate_, GNUTLS_SAN_IPADDRESS, loopback.data(),
                                         loopback.size(), GNUTLS_FSAN_SET);
    gnutls_x509_crt_sign2(certificate_, certificate_, key_, GNUTLS_DIG_SHA256, 0);
    gnutls_datum_t text{};
    gnutls_x509_crt_export2(certificate_, GNUTLS_X509_FMT_PEM, &text);
    authority = std::filesystem::temp_directory_path() /
                ("sojourn_tls_channel_" + std::to_string(getpid()) + ".pem");
    std::ofstream{authority}.write(reinterpret_cast<const char*>(text.data), text.size);
    gnutls_free(text.data);
    gnutls_certificate_allocate_credentials(&credentials_);
    gnutls_certificate_set_x509_key(credentials_, &certificate_, 1, key_);
  }
  TestPeer(const TestPeer&) = delete;
  ~TestPeer() {
    gnutls_certificate_free_credentials(credentials_);
    gnutls_x509_crt_deinit(certificate_);
    gnutls_x509_privkey_deinit(key_);
    std::filesystem::remove(authority);
  }

  /// Reads `size` bytes, though not at once, and answers; what it has read.
  std::string serve(int socket, std::size_t size, const std::string& answer) const {
    gnutls_session_t session = nullptr;
    gnutls_init(&session, GNUTLS_SERVER | GNUTLS_NO_SIGNAL);
    gnutls_set_default_priority(session);
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials_);
    gnutls_transport_set_int(session, socket);
    std::string bytes;
    if (gnutls_handshake(session) == 0) {
      std::this_thread::sleep_for(100ms);  // the buffers of the socket are full then
      std::array<char, 16'384> piece{};
      while (bytes.size() < size) {
        const ssize_t got = gnutls_record_recv(session, piece.data(), piece.size());
        if (got <= 0) break;
        bytes.append(piece.data(), static_cast<std::size_t>(got));
      }
      gnutls_record_send(session, answer.data(), answer.size());
      gnutls_bye(session, GNUTLS_SHUT_WR);
    }
    gnutls_deinit(session);
    close(socket);
    return bytes;
  }

  std::string authority;

 private:
  gnutls_x509_privkey_t key_ = nullptr;
  gnutls_x509_crt_t certificate_ = nullptr;
  gnutls_certificate_credentials_t credentials_ = nullptr;
};

// A record of TLS has at most 16384 bytes: the last one here has a single byte.  What does not fit
// into the socket is sent once the peer has read.
TEST(TlsChannel, SendsEverythingOnceToAPeerThatReadsLate) {
  std::string bytes(256 * 16'384 + 1, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 8);
  const TestPeer peer;
  const auto trust = TlsTrust::open(peer.authority);
  ASSERT_TRUE(trust) << trust.error().message;
  std::array<int, 2> sockets{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
  fcntl(sockets[0], F_SETFL, O_NONBLOCK);
  std::string received;
  std::thread server{[&] { received = peer.serve(sockets[1], bytes.size(), "thanks"); }};
  {
    auto channel = (*trust)->connect(sockets[0], "127.0.0.1", {30s, 30s});
    EXPECT_TRUE(channel) << channel.error().message;
    if (channel) {
      const auto sent = (*channel)->send_all(bytes, 30s);
      EXPECT_TRUE(sent) << sent.error().message;
      shutdown(sockets[0], SHUT_WR);
      EXPECT_EQ((*channel)->receive_all(30s).value_or("nothing"), "thanks");
    }
  }
  close(sockets[0]);
  server.join();
  EXPECT_EQ(received.size(), bytes.size());
  EXPECT_TRUE(received == bytes);
}

}  // namespace
}  // namespace sojourn
#endif
