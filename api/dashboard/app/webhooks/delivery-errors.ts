// What the error codes of deliveries mean, in the words of docs/errors.md.

export const deliveryErrors: Partial<Record<string, string>> = {
  http_4xx: 'The receiver answered 4xx.',
  http_5xx: 'The receiver answered 5xx.',
  redirect: 'The receiver answered 3xx. Fanfare follows no redirect.',
  response_timeout: 'The request was sent, and the head of the answer did not arrive in time.',
  response_too_large:
    'The head of the answer had more than 16 KiB, or 64 KiB arrived before it ended.',
  connection_refused: 'No connection could be made to the address.',
  connect_timeout: 'The connection was not established in time.',
  connection_reset: 'The connection broke before the whole head of an answer arrived.',
  tls_failed: 'The certificate or the TLS handshake was not accepted.',
  dns_failed: "The host's name could not be resolved to an allowed address.",
  blocked_address: 'The URL holds an address that is not allowed. Nothing was sent.',
};

/** A code that is newer than this page is shown as it is. */
export const deliveryError = (code: string): string => deliveryErrors[code] ?? code;
