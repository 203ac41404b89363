// Credential fields that several networks share, and how a field is marked as secret.
import { z } from 'zod';
import type { Platform } from './platform.ts';

const Marks = z.object({
  properties: z
    .record(z.string(), z.object({ 'x-secret': z.boolean().default(false) }))
    .default({}),
});

/** Names of the fields with `x-secret`: a form hides them, and an unexplained refusal blames them. */
export function secretFieldsOf(schema: z.ZodType): string[] {
  const { properties } = Marks.parse(
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  );
  return Object.keys(properties).filter((name) => properties[name]!['x-secret']);
}

/** What a consent stores, and each form that asks for a token. */
const oauthTokens = ['access_token', 'refresh_token'];

/** Names of stored credentials that nobody may see: two logins with the same one are the same login. */
export function sharedSecretsOf({ connect }: Platform): string[] {
  const typed = connect.flatMap((method) =>
    method.kind === 'form' ? secretFieldsOf(method.fields) : [],
  );
  return [...oauthTokens, ...typed];
}

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
