// The system's libcurl, which posts webhooks. Its options are set by functions with a variable number of arguments,
// which Swift cannot call, so this file has one function for each type of argument.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode ccurl_set_number(CURL *transfer, CURLoption option, long value) {
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *transfer, CURLoption option, const void *value) {
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode ccurl_set_writer(CURL *transfer, curl_write_callback writer, void *context) {
    CURLcode code = curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, writer);
    return code != CURLE_OK ? code : curl_easy_setopt(transfer, CURLOPT_WRITEDATA, context);
}

static inline CURLcode ccurl_set_header_reader(CURL *transfer, curl_write_callback reader, void *context) {
    CURLcode code = curl_easy_setopt(transfer, CURLOPT_HEADERFUNCTION, reader);
    return code != CURLE_OK ? code : curl_easy_setopt(transfer, CURLOPT_HEADERDATA, context);
}

// Ends a transfer without waiting for the resolution of its name, if libcurl supports that (since 7.87).
static inline CURLcode ccurl_set_quick_end(CURL *transfer) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(transfer, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)transfer;
    return CURLE_OK;
#endif
}

static inline CURLMcode ccurl_set_limit(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLcode ccurl_get_number(CURL *transfer, CURLINFO info, long *value) {
    return curl_easy_getinfo(transfer, info, value);
}
