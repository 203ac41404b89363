// Credential fields that several networks share.
import { z } from 'zod';

/** A token or an ID, pasted by a user. */
export const pasted = (pattern: RegExp, message: string) =>
  z.string().trim().regex(pattern, message);

/** The address of a user's server, with or without its protocol. */
export const ServerUrl = z
  .string()
  .trim()
  .max(300)
  .transform((given) => (/^https?:\/\//i.test(given) ? given : `https://${given}`))
  .refine((given) => URL.canParse(given), 'must be the address of a server')
  .transform(withoutRootDot);

/** `one.example.` is the same host as `one.example`, but would be another account. */
function withoutRootDot(given: string): string {
  const url = new URL(given);
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href;
}
