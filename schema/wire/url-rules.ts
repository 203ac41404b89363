// The form of a URL that a client gives. The URL guard checks its address later.

const maxUrlLength = 2048;

type UrlRefusalCode =
  'not_absolute' | 'not_https' | 'has_credentials' | 'too_long' | 'blocked_address';

export interface UrlRefusal {
  ok: false;
  code: UrlRefusalCode;
  message: string;
}

export type UrlSyntaxCheck = { ok: true; url: URL } | UrlRefusal;

// The URL parser would repair "https:host", "https:\\host" and a tab inside the host name. These are
// refused instead, because a repair is a guess.
const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#\s]/i;
// oxlint-disable-next-line no-control-regex -- it looks for control characters
const unsafe = /[\u0000-\u0020\u007f\\]/;

/** `http:` passes here, because only the guard knows whether the address allows it. */
export function checkUrlSyntax(text: string): UrlSyntaxCheck {
  if (text.length > maxUrlLength) {
    return refuseUrl('too_long', `A URL must have at most ${maxUrlLength} characters.`);
  }
  const url = absolute.test(text) && !unsafe.test(text) ? URL.parse(text) : null;
  // A name has no empty label, and nothing listens at port 0.
  const isUnreachable = !url || /^$|^\.|\.\./.test(url.hostname) || url.port === '0';
  if (isUnreachable) {
    return refuseUrl('not_absolute', 'Give an absolute URL, such as https://example.com/hook.');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuseUrl('not_https', 'The URL must begin with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    return refuseUrl('has_credentials', 'A URL must not contain a user name or password.');
  }
  return { ok: true, url };
}

export function refuseUrl(code: UrlRefusalCode, message: string): UrlRefusal {
  return { ok: false, code, message };
}
