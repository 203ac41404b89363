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
  return [
    ...findVaultKeyIssues(env, role),
    ...findSandboxIssues(env, role),
    ...findCidrIssues(env['FANFARE_ALLOW_PRIVATE_CIDRS']),
    ...findStoredDocumentIssues(env),
    ...findMediaUrlIssues(env['FANFARE_MEDIA_URL']),
    ...findAppIssues(env),
    ...findAppSecretIssues(env),
    ...(values ? findRetentionIssues(values) : []),
    ...(values ? findPublicUrlIssues(values, role) : []),
  ];
}

function findVaultKeyIssues(env: Variables, role: Role): string[] {
  const keys = env['FANFARE_VAULT_KEYS'];
  if (keys === undefined) {
    // Processes that share a database need the same keys.
    return env['DATABASE_URL'] === undefined || role === 'operator'
      ? []
      : ['FANFARE_VAULT_KEYS: is required with DATABASE_URL, as <id>:<base64 of 32 bytes>'];
  }
  return keys
    .split(',')
    .flatMap((entry, i) =>
      /^[\w-]+:[A-Za-z0-9+/]{43}=$/.test(entry.trim())
        ? []
        : [`FANFARE_VAULT_KEYS: entry ${i + 1} must be <id>:<base64 of 32 bytes>`],
    );
}

/** A worker serves no sandbox, so it needs the address of an `api` that does. */
function findSandboxIssues(env: Variables, role: Role): string[] {
  const isOn = env['FANFARE_SANDBOX'] === 'true';
  if (role !== 'worker' || !isOn || env['FANFARE_SANDBOX_API_URL']) return [];
  return [
    'FANFARE_SANDBOX_API_URL: is required by `worker` with FANFARE_SANDBOX=true, as <URL of `api`>/sandbox',
  ];
}

/** Only processes of this machine reach it. */
export const isLoopback = (host: string) => ['127.0.0.1', '::1', 'localhost'].includes(host);

/** Links, callbacks and cookies are made for the public URL. */
function findPublicUrlIssues(
  { FANFARE_HOST: host, FANFARE_PUBLIC_URL: publicUrl }: z.output<typeof Environment>,
  role: Role,
): string[] {
  if (isLoopback(host) || publicUrl !== undefined || role === 'operator') return [];
  return [
    'FANFARE_PUBLIC_URL: is required where FANFARE_HOST is not a loopback address, as the URL that clients use',
  ];
}

function findCidrIssues(cidrs: string | undefined): string[] {
  return parseCidrs(cidrs ?? '').issues.map((issue) => `FANFARE_ALLOW_PRIVATE_CIDRS: ${issue}`);
}

function findStoredDocumentIssues(env: Variables): string[] {
  if (env['FANFARE_PERSISTED_ONLY'] !== 'true' || env['FANFARE_PERSISTED_DOCUMENTS']) return [];
  return ['FANFARE_PERSISTED_DOCUMENTS: is required with FANFARE_PERSISTED_ONLY=true'];
}

function findMediaUrlIssues(url: string | undefined): string[] {
  const location = url === undefined ? undefined : parseMediaUrl(url);
  return typeof location === 'string' ? [`FANFARE_MEDIA_URL: ${location}`] : [];
}

function findAppIssues(env: Variables): string[] {
  return Object.keys(env).flatMap((name) => {
    const [, network] = /^FANFARE_(.+)_CLIENT_SECRET$/.exec(name) ?? [];
    const id = `FANFARE_${network}_CLIENT_ID`;
    return network === undefined || env[id] ? [] : [`${id}: is required with ${name}`];
  });
}

function findAppSecretIssues(env: Variables): string[] {
  return platformDefinitions.flatMap(({ name, needsAppSecret }) => {
    if (!needsAppSecret) return [];
    const variable = `FANFARE_${name.toUpperCase()}_CLIENT`;
    if (!env[`${variable}_ID`] || env[`${variable}_SECRET`]) return [];
    return [`${variable}_SECRET: is required with ${variable}_ID`];
  });
}

function findRetentionIssues({
  FANFARE_RETENTION_DAYS: days,
  FANFARE_FEED_RETENTION_HOURS: hours,
  FANFARE_BOOKMARK_MS: bookmarkMs,
}: z.output<typeof Environment>): string[] {
  const issues: string[] = [];
  if (hours > days * 24) {
    issues.push('FANFARE_FEED_RETENTION_HOURS: must be at most FANFARE_RETENTION_DAYS');
  }
  if (bookmarkMs * 2 > hours * 3_600_000) {
    issues.push('FANFARE_BOOKMARK_MS: must be at most half of FANFARE_FEED_RETENTION_HOURS');
  }
  return issues;
}
