// The system's libcrypto, of which the HMAC of webhooks is used. On Apple's systems it is CryptoKit's.
#include <openssl/evp.h>
#include <openssl/hmac.h>
