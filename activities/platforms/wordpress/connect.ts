// Connects a user of a WordPress site: finds its REST API, and checks that the user may publish.
import { z } from 'zod';
import { ServerUrl } from '../credential-fields.ts';
import type { Ask, OpenApi } from '../network-api.ts';
import type { Credentials, Grant, Inspection } from '../platform.ts';
import { permanent } from '../results.ts';
import { asFieldError, asServerError, wrongCredential } from '../wrong-credential.ts';

const text = z.string().trim().min(1).max(256);

export const ConnectInput: z.ZodType<Credentials> = z
  .strictObject({
    site: ServerUrl.meta({ title: 'Site', description: 'Address, such as `https://example.com`.' }),
    username: text
      .regex(/^[^:]*$/, 'must not contain a colon')
      .meta({ title: 'Username', description: 'The name or email address that you log in with.' }),
    application_password: text.meta({
      title: 'Application password',
      'x-secret': true,
      description: 'Not the password that you log in with.',
    }),
  })
  .meta({
    description:
      'In WordPress, open Users → Profile and add an application password. You need the role Author, Editor or Administrator.',
  });

const Index = z.object({ home: z.url() });
const User = z.object({
  id: z.int().positive(),
  username: z.string().min(1),
  // PHP writes an empty set of capabilities as a list.
  capabilities: z.looseObject({ publish_posts: z.boolean().optional() }).catch({}),
});

/** Doesn't use a `Link` header, which also names the API but could send the password to another host. */
export async function connectUser(
  open: OpenApi,
  { site = '', ...login }: Credentials,
  signal: AbortSignal,
): Promise<Grant> {
  const { host, origin, pathname } = new URL(site);
  // People also paste the address of the dashboard or of the API.
  const folder = pathname.replace(/\/(?:wp-(?:admin|json|login\.php).*)?$/, '');
  const credentials = { ...login, api: `${origin}${folder}/?rest_route=/` };
  const ask = open(credentials, signal);
  const message = `${host} does not answer as a WordPress site. If it redirects, give that address.`;
  const asked = ask('', Index, { query: { _fields: 'home' } });
  const index = await asked.catch(asServerError('site', message, 'not_wordpress'));
  // WordPress responds at any path of the site.
  const place = host + placeOf(index.body.home, folder);
  const user = await askForUser(ask).catch(asFieldError('site', 'rejected'));
  const { id, username: name } = user;
  const problem = problemOf(user, place);
  if (problem !== null) throw wrongCredential('username', problem, 'rest_cannot_publish');
  const names = { externalAccountId: `${id}@${place}`, accountName: `${name}@${place}` };
  return { credentials, ...permanent, accounts: [{ ...names, problem: null }] };
}

/** `externalAccountId`: contains the place of the site, which doesn't change. */
export async function inspectUser(ask: Ask, externalAccountId: string): Promise<Inspection> {
  const place = externalAccountId.slice(externalAccountId.indexOf('@') + 1);
  const user = await askForUser(ask);
  const account = {
    externalAccountId: `${user.id}@${place}`,
    problem: problemOf(user, place),
  };
  return { scope: [], accounts: [account] };
}

async function askForUser(ask: Ask): Promise<z.infer<typeof User>> {
  const query = { context: 'edit', _fields: 'id,username,capabilities' };
  return (await ask('wp/v2/users/me', User, { query })).body;
}

function problemOf({ username, capabilities }: z.infer<typeof User>, place: string): string | null {
  if (capabilities.publish_posts === true) return null;
  return `${username} may not publish at ${place}: the role must be Author or higher.`;
}

/** The site reports which part of the address it uses, but only on the same host. */
function placeOf(home: string, folder: string): string {
  const place = new URL(home).pathname.replace(/\/$/, '');
  return `${folder}/`.startsWith(`${place}/`) ? place : folder;
}
