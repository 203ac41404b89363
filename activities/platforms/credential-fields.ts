// Credential fields that several networks share.
import { z } from 'zod';

/** A token or an ID, pasted by a user. */
export const pasted = (pattern: RegExp, message: string) =>
  z.string().trim().regex(pattern, message);

/** The part of `@ada@mastodon.example` before the server. */
const handleName = /^@?[\w.-]+@/;

/** The address of a user's server, with or without its protocol, or after a handle. */
export const ServerUrl = z
  .string()
  .trim()
  .max(300)
  .transform((given) =>
    /^https?:\/\//i.test(given) ? given : `https://${given.replace(handleName, '')}`,
  )
  .refine((given) => URL.canParse(given), 'must be the address of a server')
  // `https://mastodon.example@evil.example` is at evil.example.
  .refine((given) => {
    const url = URL.parse(given);
    return !url?.username && !url?.password;
  }, 'must be the address of a server, without a user name or password')
  .transform(withoutRootDot);

/** `one.example.` is the same host as `one.example`, but would be another account. */
function withoutRootDot(given: string): string {
  const url = new URL(given);
  url.hostname = url.hostname.replace(/\.+$/, '');
  return url.href;
}
