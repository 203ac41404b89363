// Checks of the configuration that involve several variables or the role of the process.
import type { z } from 'zod';
import { parseCidrs } from './cidrs.ts';
import type { Environment } from './environment.ts';
import { platformDefinitions } from '../platforms/index.ts';
import { parseMediaUrl } from './media-url.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** `operator`: a single command that uses only the database, and opens no secrets. */
export type Role = 'start' | 'api' | 'worker' | 'operator';

/** `values` is undefined if a variable is malformed. */
export function findCrossIssues(
  env: Variables,
  values: z.output<typeof Environment> | undefined,
  role: Role,
): string[] {
  const issues: string[] = [];
  const add = (variable: string, issue: string) => issues.push(`${variable}: ${issue}`);
  const isOn = (variable: string) => env[variable] === 'true';

  const keys = env['FANFARE_VAULT_KEYS'];
  // Processes that share a database need the same keys.
  if (keys === undefined && env['DATABASE_URL'] !== undefined && role !== 'operator') {
    add('FANFARE_VAULT_KEYS', 'is required with DATABASE_URL, as <id>:<base64 of 32 bytes>');
  }
  for (const [i, entry] of (keys?.split(',') ?? []).entries()) {
    if (/^[\w-]+:[A-Za-z0-9+/]{43}=$/.test(entry.trim())) continue;
    add('FANFARE_VAULT_KEYS', `entry ${i + 1} must be <id>:<base64 of 32 bytes>`);
  }
  // A worker serves no sandbox, so it needs the address of an `api` that does.
  if (role === 'worker' && isOn('FANFARE_SANDBOX') && !env['FANFARE_SANDBOX_API_URL']) {
    const issue =
      'is required by `worker` if FANFARE_SANDBOX=true. Set it to <URL of `api`>/sandbox';
    add('FANFARE_SANDBOX_API_URL', issue);
  }
  for (const issue of parseCidrs(env['FANFARE_ALLOW_PRIVATE_CIDRS'] ?? '').issues) {
    add('FANFARE_ALLOW_PRIVATE_CIDRS', issue);
  }
  if (isOn('FANFARE_PERSISTED_ONLY') && !env['FANFARE_PERSISTED_DOCUMENTS']) {
    add('FANFARE_PERSISTED_DOCUMENTS', 'is required with FANFARE_PERSISTED_ONLY=true');
  }
  const mediaUrl = env['FANFARE_MEDIA_URL'];
  const location = mediaUrl === undefined ? undefined : parseMediaUrl(mediaUrl);
  if (typeof location === 'string') add('FANFARE_MEDIA_URL', location);
  for (const name of Object.keys(env)) {
    const [, network] = /^FANFARE_(.+)_CLIENT_SECRET$/.exec(name) ?? [];
    const id = `FANFARE_${network}_CLIENT_ID`;
    if (network !== undefined && !env[id]) add(id, `is required with ${name}`);
  }
  for (const { name, needsAppSecret } of platformDefinitions) {
    const client = `FANFARE_${name.toUpperCase()}_CLIENT`;
    if (!needsAppSecret || !env[`${client}_ID`] || env[`${client}_SECRET`]) continue;
    add(`${client}_SECRET`, `is required with ${client}_ID`);
  }
  if (!values) return issues;
  if (values.FANFARE_FEED_RETENTION_HOURS > values.FANFARE_RETENTION_DAYS * 24) {
    add('FANFARE_FEED_RETENTION_HOURS', 'must be at most FANFARE_RETENTION_DAYS');
  }
  if (values.FANFARE_BOOKMARK_MS * 2 > values.FANFARE_FEED_RETENTION_HOURS * 3_600_000) {
    add('FANFARE_BOOKMARK_MS', 'must be at most half of FANFARE_FEED_RETENTION_HOURS');
  }
  // Links, callbacks and cookies are made for the public URL.
  const isReachable = role !== 'operator' && !isLoopback(values.FANFARE_HOST);
  if (isReachable && values.FANFARE_PUBLIC_URL === undefined) {
    const issue =
      'is required where FANFARE_HOST is not a loopback address, as the URL that clients use';
    add('FANFARE_PUBLIC_URL', issue);
  }
  return issues;
}

/** Whether only processes of this machine reach the host. */
export const isLoopback = (host: string) => ['127.0.0.1', '::1', 'localhost'].includes(host);
