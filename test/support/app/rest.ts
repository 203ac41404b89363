// The REST API on its own database, called without a port; and projects with keys to call it with.
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createPendingRefreshes } from '../../../activities/logins/pending-refreshes.ts';
import { openFileStore } from '../../../activities/media/store/file.ts';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import { createKey, type NewKey } from '../../../api/api-keys/key.ts';
import type { Context } from '../../../api/http/context.ts';
import { createKeyedLimit } from '../../../activities/keyed-limits.ts';
import { createSharedCalls } from '../../../api/http/shared-calls.ts';
import type { ProcessContext } from '../../../api/server/health.ts';
import { createRest } from '../../../api/server/rest.ts';
import { readConfig } from '../../../schema/config/config.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import { createNotifier } from '../../../schema/database/notifier.ts';
import { insertProject } from '../../../schema/database/projects.ts';
import { createVault } from '../../../schema/database/vault.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { checkAnswer } from '../checks/answers.ts';
import { readers } from '../media/images.ts';
import { forFile } from '../fixtures.ts';
import { createTestDatabase } from '../rows/database.ts';
import { txtOf } from '../servers/bluesky-identity.ts';

export interface TestAnswer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
  body: any;
}

export interface CallOptions {
  key?: string;
  body?: unknown;
  /** Sent unchanged instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  headers?: Record<string, string>;
}

export interface TestKey {
  projectId: string;
  key: string;
  keyId: string;
}

export interface TestRest extends AsyncDisposable {
  readonly context: Context;
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>;
  createTenant(key?: Partial<NewKey>): Promise<TestKey>;
  /** Adds a connected account without asking its network. Default: an account of Bluesky. */
  insertAccount(projectId: string, columns?: Partial<SocialAccountRow>): Promise<string>;
}

/** The requests of these tests end before they need a network or a store, so neither can be reached. */
const nowhere = 'https://network.invalid';
const media = {
  store: openFileStore('/nowhere'),
  ...readers,
  maxBytes: 1e9,
  projectMaxBytes: 1e10,
};

export async function createTestRest(
  env: Record<string, string> = {},
  overrides: Partial<Context> = {},
): Promise<TestRest> {
  const database = await createTestDatabase();
  const config = readConfig(env);
  const notifier = createNotifier(database.url);
  const context = {
    config,
    publicUrl: 'http://fanfare.test',
    db: database.db,
    notifier,
    vault: createVault(new Map([['test', randomBytes(32)]]), 'test'),
    guard: createUrlGuard({ allowPrivateCidrs: config.allowPrivateCidrs }),
    platforms: createPlatforms([
      createBluesky({ fetch, apiUrl: nowhere, plcUrl: nowhere, lookUpTxt: txtOf({}) }),
      createSandboxPlatform({ fetch, apiUrl: nowhere, publicUrl: nowhere }),
    ]),
    refreshes: createPendingRefreshes(pino({ level: 'silent' })),
    shareCall: createSharedCalls(),
    scanInTurn: createKeyedLimit(2),
    media,
    health: { role: 'api' },
    pool: () => ({ total: 0, idle: 0, waiting: 0 }),
    log: pino({ level: 'silent' }),
    ...overrides,
  } as ProcessContext;
  const app = createRest(context);

  async function call(method: string, path: string, options: CallOptions = {}) {
    const body = options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body));
    const response = await app.request(path, {
      method,
      body,
      duplex: 'half',
      headers: {
        ...(options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` }),
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
    });
    const { status, headers } = response;
    const text = await response.text();
    const isJson = headers.get('Content-Type')?.includes('json');
    const answer = { status, headers, body: isJson && text !== '' ? JSON.parse(text) : text };
    checkAnswer(method, path, { ...answer, body: text === '' ? undefined : answer.body });
    return answer;
  }

  async function createTenant(wanted: Partial<NewKey> = {}) {
    const projectId = wanted.projectId ?? newId('project');
    if (!wanted.projectId) await insertProject(database.db, { id: projectId, name: 'Test' });
    const { row, key } = await createKey(database.db, { name: 'test', ...wanted, projectId });
    return { projectId, key, keyId: row.id };
  }

  async function insertAccount(
    projectId: string,
    { traits = {}, default_options = {}, ...columns }: Partial<SocialAccountRow> = {},
  ) {
    const id = newId('account');
    await database.db
      .insertInto('social_accounts')
      .values({
        id,
        project_id: projectId,
        platform: 'bluesky',
        account_name: id,
        external_account_id: id,
        connection_type: 'byo',
        status: 'active',
        traits: JSON.stringify(traits),
        default_options: JSON.stringify(default_options),
        ...columns,
      })
      .execute();
    return id;
  }

  async function close(): Promise<void> {
    await notifier.close();
    await database.drop();
  }
  return { context, call, createTenant, insertAccount, [Symbol.asyncDispose]: close };
}

/** A REST API for one test file. */
export const useRest = (...options: Parameters<typeof createTestRest>) =>
  forFile(() => createTestRest(...options));
