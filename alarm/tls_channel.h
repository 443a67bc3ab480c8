#pragma once
// The bytes of a webhook within TLS (RFC 8446), by GnuTLS.

#include <memory>
#include <string>

#include "core/result.h"
#include "store/clickhouse/http_client.h"

namespace sojourn {

/// Whom a webhook over TLS trusts.  Read once.
class TlsTrust {
 public:
  /// The authorities of a PEM file; of this system if `authority` is empty.  An error in a program
  /// that was built without GnuTLS.
  static Result<std::shared_ptr<TlsTrust>> open(const std::string& authority);
  TlsTrust(const TlsTrust&) = delete;
  ~TlsTrust();

  /// The other side's certificate must be of one of them, be valid now, and be for `host`.
  Result<std::unique_ptr<clickhouse::HttpChannel>> connect(
      int socket, const std::string& host, const clickhouse::HttpPatience& patience) const;

 private:
  TlsTrust() = default;
  void* credentials_ = nullptr;  ///< gnutls_certificate_credentials_t
};

}  // namespace sojourn
