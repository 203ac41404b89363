// A webhook with past events. Each of them was delivered, failed or was skipped.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { recordEvent } from '../../../schema/database/events/record.ts';
import type { Delivery } from '../../../schema/deliveries.ts';
import type { EventType } from '../../../schema/event-types.ts';
import type { AcceptedReplay, Replay } from '../../../schema/replays.ts';
import type { ApiAnswer } from '../app/api.ts';
import type { TestApp } from '../app/app.ts';
import type { ReceivedRequest, Receiver, Reply } from './receiver.ts';
import type { Tenant } from '../app/seed.ts';
import { inQuietTransaction } from '../rows/quiet-transaction.ts';

export const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

/** For `vi.waitFor`, because concurrent tests can't use `expect.poll`. */
export const patience = { timeout: 20_000, interval: 50 };

/** The receiver's answer for each path. Default: 200. */
const replies = new Map<string, () => Reply>();

export function answerByPath(receiver: Receiver): void {
  receiver.respondWith((request) => replies.get(request.path)?.() ?? {});
}

/** The webhook is in its own project, so that tests may run side by side. */
export class Past {
  readonly app: TestApp;
  readonly receiver: Receiver;
  readonly tenant: Tenant;
  readonly path: string;
  webhookId = '';

  private constructor(app: TestApp, receiver: Receiver, tenant: Tenant) {
    this.app = app;
    this.receiver = receiver;
    this.tenant = tenant;
    this.path = `/${tenant.projectId}`;
  }

  /** Creates a project without the webhook, because events may come before it. */
  static async create(app: TestApp, receiver: Receiver): Promise<Past> {
    return new Past(app, receiver, await app.createTenant());
  }

  /** A webhook that was disabled while this many events came. */
  static async withSkipped(app: TestApp, receiver: Receiver, count: number): Promise<Past> {
    const past = await Past.create(app, receiver);
    await past.addWebhook();
    await past.setActive(false);
    for (let i = 0; i < count; i++) await past.record();
    await past.setActive(true);
    return past;
  }

  async addWebhook(events?: EventType[]): Promise<void> {
    const { id } = await this.tenant.createWebhook(`${this.receiver.url}${this.path}`, events);
    this.webhookId = id;
  }

  async setActive(active: boolean): Promise<void> {
    await this.tenant.api.patch(`/v1/webhooks/${this.webhookId}`, { active });
  }

  async record(type: EventType = 'post.published'): Promise<string> {
    const { db, config, notifier } = this.app.context;
    const { projectId } = this.tenant;
    const event = { projectId, environment: 'production', type, data: { id: 'post_1' } } as const;
    const { eventId } = await inQuietTransaction(db, (trx) => recordEvent(trx, event, config));
    notifier.notify('fanfare_deliveries');
    // Two past events never have the same millisecond, because a range may end between them.
    await sleep(2);
    return eventId!;
  }

  reply(answer: () => Reply): void {
    replies.set(this.path, answer);
  }

  requests(): ReceivedRequest[] {
    return this.receiver.requests.filter((request) => request.path === this.path);
  }

  /** The newest first. */
  async deliveries(): Promise<Delivery[]> {
    const path = `/v1/webhooks/${this.webhookId}/deliveries?limit=100`;
    return (await this.tenant.api.get(path)).body.data;
  }

  async waitForStatuses(...statuses: string[]): Promise<void> {
    await vi.waitFor(async () => {
      expect((await this.deliveries()).map((delivery) => delivery.status)).toEqual(statuses);
    }, patience);
  }

  ask(body: Record<string, unknown> = {}): Promise<ApiAnswer> {
    const isNamed = 'since' in body;
    const wanted = { ...(!isNamed && { from: hourAgo() }), ...body };
    return this.tenant.api.post(`/v1/webhooks/${this.webhookId}/replay`, wanted);
  }

  async replay(body: Record<string, unknown> = {}): Promise<AcceptedReplay> {
    const { status, body: answer, text } = await this.ask(body);
    expect(status, text).toBe(202);
    return (answer as { data: AcceptedReplay }).data;
  }

  async progress(id: string): Promise<Replay> {
    return (await this.tenant.api.get(`/v1/webhooks/${this.webhookId}/replays/${id}`)).body.data;
  }

  async waitForEnd(id: string): Promise<Replay> {
    return vi.waitFor(async () => {
      const replay = await this.progress(id);
      expect(replay.status).not.toBe('running');
      return replay;
    }, patience);
  }

  /** Starts a replay, and waits for its end. */
  async replayed(body: Record<string, unknown> = {}): Promise<Replay> {
    return this.waitForEnd((await this.replay(body)).replay_id);
  }
}
