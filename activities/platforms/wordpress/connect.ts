// Connects a user of a WordPress site: finds its REST API, and checks that the user may publish.
import { z } from 'zod';
import { PlatformError } from '../platform-error.ts';
import type { Connection, Credentials } from '../platform.ts';
import { redact } from '../refusal.ts';
import { secretsOf, toError, WpError, type Call, type Client } from './client.ts';

const text = z.string().trim().min(1).max(256);
const toUrl = (site: string) => URL.parse(/^https?:\/\//i.test(site) ? site : `https://${site}`);
const site = text.refine((given) => toUrl(given) !== null, 'must be the address of a site');
const username = text.regex(/^[^:]*$/, 'must not contain a colon');

export const ConnectInput: z.ZodType<Credentials> = z
  .strictObject({
    site: site.meta({ title: 'Site', description: 'Address, such as `https://example.com`.' }),
    username: username.meta({
      title: 'Username',
      description: 'The name or email address that you log in with.',
    }),
    application_password: text.meta({
      title: 'Application password',
      description: 'Not the password that you log in with.',
    }),
  })
  .meta({
    description:
      'In WordPress, open Users → Profile and add an application password for Fanfare. You need the role Author, Editor or Administrator.',
  });

const Index = z.object({ home: z.url() });
const User = z.object({
  id: z.int().positive(),
  username: z.string().min(1),
  // A user without any has an empty list, as PHP writes it.
  capabilities: z.looseObject({ publish_posts: z.boolean().optional() }).catch({}),
});

export async function connectUser(client: Client, given: Credentials, signal: AbortSignal) {
  try {
    const { credentials, place } = await findApi(client, given, signal);
    const query = { context: 'edit', _fields: 'id,username,capabilities' };
    const call = { credentials, path: 'wp/v2/users/me', query, signal };
    const { id, username: name, capabilities } = await client.ask(call, User);
    if (capabilities.publish_posts !== true) {
      const message = `${name} may not publish at ${place}: the role must be Author or higher.`;
      throw refuse('username', message, 'rest_cannot_publish');
    }
    const names = { externalAccountId: `${id}@${place}`, accountName: `${name}@${place}` };
    return { ...names, credentials, scope: [], tokenExpiresAt: null } satisfies Connection;
  } catch (error) {
    throw toInputError(error as PlatformError);
  }
}

/** A `Link` header also names the API, but could lead the password to another host. */
async function findApi(
  client: Client,
  { site: given = '', ...login }: Credentials,
  signal: AbortSignal,
) {
  const { host, origin, pathname } = toUrl(given)!;
  // People copy the address of the dashboard or of the API, too.
  const path = pathname.replace(/\/(?:wp-(?:admin|json|login\.php).*)?$/, '');
  const credentials = { ...login, api: `${origin}${path}/?rest_route=/` };
  const call: Call = { credentials, path: '', query: { _fields: 'home' }, signal };
  const answer = await client.send(call);
  const { status, headers, body } = answer;
  // WordPress answers at any path of the site.
  const home = Index.safeParse(body).data?.home;
  if (home) return { credentials, place: host + placeOf(home, path) };
  const isRefusal = status === 429 || status >= 500 || WpError.safeParse(body).success;
  if (isRefusal) throw toError(call, answer);
  const location = redact(headers.get('location') ?? '', secretsOf(login));
  const seen = location ? `it redirects to ${location}` : `HTTP ${status}`;
  const message = `${host} is not a WordPress site with a REST API: ${seen}.`;
  throw refuse('site', message, 'not_wordpress');
}

/** A site says which part of the address it is at, but it can't be at another part of its host. */
function placeOf(home: string, path: string): string {
  const place = new URL(home).pathname.replace(/\/$/, '');
  return `${path}/`.startsWith(`${place}/`) ? place : path;
}

const refuse = (field: string, message: string, platformCode: string) =>
  new PlatformError('rejected', message, { field, platformCode });

/** A host that doesn't exist or may not be reached is wrong input, too: the user named it. */
function toInputError(error: PlatformError): PlatformError {
  const { platformCode = '', field } = error.options;
  if (error.kind === 'reauthorize') {
    const isName = /^invalid_(username|email)$/.test(platformCode);
    const message = `WordPress refused the username or the application password: ${platformCode}.`;
    return refuse(isName ? 'username' : 'application_password', message, platformCode);
  }
  const isInput = error.kind === 'rejected' || platformCode === 'ENOTFOUND';
  return isInput && !field ? refuse('site', error.message, platformCode) : error;
}
