// What a URL given by a user must look like, before anybody asks which address it leads to.

const maxUrlLength = 2048;

const urlRefusalCodes = [
  'not_absolute',
  'not_https',
  'has_credentials',
  'too_long',
  'blocked_address',
] as const;
export type UrlRefusalCode = (typeof urlRefusalCodes)[number];

export interface UrlRefusal {
  ok: false;
  code: UrlRefusalCode;
  message: string;
}

export type UrlSyntaxVerdict = { ok: true; url: URL } | UrlRefusal;

// The URL parser would mend "https:host", "https:\\host" and a tab inside the host name. What was
// written must be what is meant, so these are refused instead.
const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#\s]/i;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unsafe = /[\u0000-\u0020\u007f\\]/;

/**
 * Judges the spelling alone. An `http:` URL passes here: whether it may is decided by the address
 * of its host, which only the guard knows.
 */
export function checkUrlSyntax(text: string): UrlSyntaxVerdict {
  if (text.length > maxUrlLength) {
    return refuseUrl('too_long', `A URL has at most ${maxUrlLength} characters.`);
  }
  const url = absolute.test(text) && !unsafe.test(text) ? URL.parse(text) : null;
  // No name has an empty label, and nothing can be reached at port 0.
  const isNowhere = !url || /^$|^\.|\.\./.test(url.hostname) || url.port === '0';
  if (isNowhere) {
    return refuseUrl('not_absolute', 'Give an absolute URL, such as https://example.com/hook.');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuseUrl('not_https', 'The URL must begin with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    return refuseUrl('has_credentials', 'A URL must not carry a user name or password.');
  }
  return { ok: true, url };
}

export function refuseUrl(code: UrlRefusalCode, message: string): UrlRefusal {
  return { ok: false, code, message };
}
