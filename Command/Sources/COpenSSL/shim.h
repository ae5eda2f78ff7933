// The system's libcrypto, for the HMAC of webhooks; Apple's systems use CryptoKit.
#include <openssl/evp.h>
#include <openssl/hmac.h>
