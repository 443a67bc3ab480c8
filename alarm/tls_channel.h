#pragma once
// The bytes of a webhook inside TLS (RFC 8446), using GnuTLS.

#include <memory>
#include <string>

#include "core/result.h"
#include "store/clickhouse/http_client.h"

namespace sojourn {

/// The certificate authorities that a webhook over TLS trusts.  Read once.
class TlsTrust {
 public:
  /// The authorities of a PEM file, or the system's if `authority` is empty.  An error in a program
  /// built without GnuTLS.
  static Result<std::shared_ptr<TlsTrust>> open(const std::string& authority);
  TlsTrust(const TlsTrust&) = delete;
  ~TlsTrust();

  /// The peer's certificate must be issued by one of them, be valid now, and be for `host`.
  Result<std::unique_ptr<clickhouse::HttpChannel>> connect(
      int socket, const std::string& host, const clickhouse::HttpPatience& patience) const;

 private:
  TlsTrust() = default;
  void* credentials_ = nullptr;  ///< gnutls_certificate_credentials_t
};

}  // namespace sojourn
