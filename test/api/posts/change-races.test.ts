// Simultaneous changes of one draft by many clients are all applied, one after the other.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';

let accounts: Account[];

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  accounts = await Promise.all(['ada', 'bob'].map((handle) => app.tenant.connectSandbox(handle)));
});

const clients = 6;
const times = 8;

describe('PATCH /v1/posts/:id', () => {
  test.each([['draft'], ['scheduled']])(
    'applies all simultaneous changes of the targets of a %s post',
    async (status) => {
      const account_ids = accounts.map(({ id }) => id);
      const { id } = await app.tenant.createPost({
        caption: 'hello',
        account_ids,
        ...(status === 'draft'
          ? { status }
          : { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }),
      });
      const statuses = await Promise.all(
        Array.from({ length: clients }, async () => {
          const answered: number[] = [];
          for (let i = 0; i < times; i++) {
            const answer = await app.api.patch(`/v1/posts/${id}`, { account_ids });
            answered.push(answer.status);
          }
          return answered;
        }),
      );
      expect(statuses.flat()).toEqual(Array.from({ length: clients * times }, () => 200));
      const { results } = (await app.api.get(`/v1/posts/${id}`)).body.data;
      expect(results).toMatchObject(
        account_ids.map((social_account_id) => ({ social_account_id })),
      );
    },
  );
});
