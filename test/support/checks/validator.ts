// A client that validates posts, at a network that takes replies and whose logins only the user can renew.
import { sql } from 'kysely';
import { expect } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import type { Traits } from '../../../schema/platforms/definition.ts';
import type { PostValidation } from '../../../schema/posts/posts.ts';
import { createTestRest, type TestRest } from '../app/rest.ts';
import { createScriptedNetwork } from '../scripted-network.ts';

export interface Validator extends AsyncDisposable {
  readonly rest: TestRest;
  readonly projectId: string;
  readonly key: string;
  insertAccount(projectId: string, columns?: Partial<SocialAccountRow>): Promise<string>;
  validate(body: object): Promise<PostValidation>;
  expectNothingWritten(): Promise<void>;
}

export async function createValidator(): Promise<Validator> {
  const { refresh: _, ...unrenewable } = createScriptedNetwork().platform;
  const replies = { id: /^\d+$/, example: '42' };
  const rules = { ...unrenewable.definition.rules, isTextRequired: true, replies };
  const rulesFor = ({ textMax = 5_000 }: Traits) => ({
    ...rules,
    text: { ...rules.text, max: Number(textMax) },
  });
  const definition = { ...unrenewable.definition, rules, rulesFor };
  const rest = await createTestRest(
    {},
    { platforms: createPlatforms([{ ...unrenewable, definition }]) },
  );
  const { key, projectId } = await rest.createTenant();
  return {
    rest,
    projectId,
    key,
    insertAccount: (owner, columns) =>
      rest.insertAccount(owner, { platform: 'sandbox', ...columns }),
    async validate(body) {
      const answer = await rest.call('POST', '/v1/posts/validate', { key, body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body.data;
    },
    async expectNothingWritten() {
      for (const table of ['posts', 'outbox', 'changes', 'idempotency_keys', 'account_usage']) {
        const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(rest.context.db);
        expect([table, rows.length]).toEqual([table, 0]);
      }
    },
    [Symbol.asyncDispose]: () => rest[Symbol.asyncDispose](),
  };
}
