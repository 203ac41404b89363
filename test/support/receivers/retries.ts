// One delivery in its own project, which a test sends again by hand, and the receiver's answers.
import { expect, vi } from 'vitest';
import type { DeliveryRow } from '../../../schema/database/tables.ts';
import type { TestApp } from '../app/app.ts';
import { startReceiver, type Receiver, type Reply } from './receiver.ts';
import type { Tenant } from '../app/seed.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
type Json = any;

export const unavailable: Reply = { status: 503 };
export const ok: Reply = { status: 200 };

/** A receiver that gives these answers, and then repeats the last one. */
export function startScripted(...replies: Reply[]): Promise<Receiver> {
  return startReceiver({ respond: (_, n) => replies[Math.min(n, replies.length) - 1]! });
}

export interface Sent {
  tenant: Tenant;
  webhookId: string;
  id: string;
  read(): Promise<Json>;
  readRow(): Promise<DeliveryRow>;
  retry(
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Json }>;
  getWebhook(): Promise<Json>;
  /** Resolves once the delivery's log has this many attempts. */
  waitForAttempts(count: number): Promise<Json>;
}

/** A project of its own with one event for one webhook. */
export async function send(
  app: TestApp,
  { url }: { url: string },
  { isActive = true } = {},
): Promise<Sent> {
  const tenant = await app.createTenant();
  const { api } = tenant;
  const webhook = await tenant.createWebhook(url, ['account.connected']);
  if (!isActive) await api.patch(`/v1/webhooks/${webhook.id}`, { active: false });
  await tenant.connectSandbox('ada');
  const list = await api.get(`/v1/webhooks/${webhook.id}/deliveries`);
  const { id } = list.body.data[0];
  const read = async () => (await api.get(`/v1/deliveries/${id}`)).body.data;
  return {
    tenant,
    webhookId: webhook.id,
    id,
    read,
    readRow: () =>
      app.context.db
        .selectFrom('deliveries')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    retry: (headers = {}) => api.post(`/v1/deliveries/${id}/retry`, undefined, { headers }),
    getWebhook: async () => (await api.get(`/v1/webhooks/${webhook.id}`)).body.data,
    async waitForAttempts(count) {
      const isThere = async () => {
        const delivery = await read();
        expect(delivery.attempts.length).toBeGreaterThanOrEqual(count);
        return delivery;
      };
      return vi.waitFor(isThere, { timeout: 20_000 });
    },
  };
}

export const triggersOf = ({ attempts }: Json) => attempts.map((attempt: Json) => attempt.trigger);
