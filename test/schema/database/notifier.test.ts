// The notifier and its listeners: notifications wake, are grouped, and survive a lost connection.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createNotifier } from '../../../schema/database/notifier.ts';
import { createListener } from '../../../schema/database/live/listen.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { watchStatements } from '../../support/rows/statements.ts';

const database = useDatabase();

const countOf = async (name: string) => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name = ${name}`.execute(database.db);
  return rows[0]!.n;
};

describe('notifier', () => {
  test('wakes the listeners of a channel well before their next poll', async () => {
    const listener = createListener(database.url);
    const notifier = createNotifier(database.url);
    await expect.poll(() => countOf('fanfare listener')).toBe(1);
    const wakes: number[] = [];
    let [others, ends] = [0, 0];
    listener.on('fanfare_outbox', () => wakes.push(performance.now()));
    listener.on('fanfare_changes', () => others++);
    listener.on('fanfare_deliveries', () => ends++);
    notifier.notify('fanfare_outbox');
    await expect.poll(() => wakes.length, { interval: 5 }).toBeGreaterThan(0);

    // Between two polls, so that only the notification wakes it.
    wakes.length = 0;
    await expect.poll(() => wakes.length, { interval: 5 }).toBeGreaterThan(0);
    wakes.length = 0;
    [others, ends] = [0, 0];
    for (let i = 0; i < 1_000; i++) notifier.notify('fanfare_outbox');
    await expect.poll(() => wakes.length, { interval: 5 }).toBeGreaterThan(0);
    // Arrives after all of them. A poll would wake the other channel too.
    notifier.notify('fanfare_deliveries');
    await expect.poll(() => ends, { interval: 5 }).toBe(1);
    expect(wakes.length).toBeLessThan(5);
    expect(others).toBe(0);
    await listener.close();
    await notifier.close();
  });

  test('sends the notifications of one commit in one round trip', async () => {
    const notifier = createNotifier(database.url);
    using statements = watchStatements();
    notifier.notify('fanfare_changes');
    notifier.notify('fanfare_deliveries');
    await expect.poll(() => statements.sent.length).toBe(1);
    expect(statements.sent[0]!.values).toEqual([['fanfare_changes', 'fanfare_deliveries']]);
    await notifier.close();
  });

  test('sends at once on a channel while another one was just notified', async () => {
    const notifier = createNotifier(database.url);
    const listener = createListener(database.url);
    await expect.poll(() => countOf('fanfare listener')).toBe(1);
    const sent: string[] = [];
    listener.on('fanfare_changes', () => sent.push('changes'));
    listener.on('fanfare_deliveries', () => sent.push('deliveries'));
    // Just after a poll, so that only notifications wake them.
    await expect.poll(() => sent.length, { interval: 5 }).toBeGreaterThan(0);
    sent.length = 0;
    notifier.notify('fanfare_changes');
    // The first notification is under way after these turns of the queue.
    await Promise.resolve().then(() => undefined);
    notifier.notify('fanfare_changes');
    notifier.notify('fanfare_deliveries');
    await expect.poll(() => sent, { interval: 1 }).toEqual(['changes', 'deliveries', 'changes']);
    await notifier.close();
    await listener.close();
  });

  test('sends what waits before it closes', async () => {
    const notifier = createNotifier(database.url);
    const listener = createListener(database.url);
    await expect.poll(() => countOf('fanfare listener')).toBe(1);
    let wakes = 0;
    listener.on('fanfare_changes', () => wakes++);
    await expect.poll(() => wakes, { interval: 5 }).toBeGreaterThan(0);
    wakes = 0;
    notifier.notify('fanfare_changes');
    await Promise.resolve().then(() => undefined);
    notifier.notify('fanfare_changes');
    await notifier.close();
    await expect.poll(() => wakes, { interval: 1 }).toBe(2);
    await listener.close();
  });

  test('wakes the listeners again after Postgres has closed both connections', async () => {
    const listener = createListener(database.url);
    const notifier = createNotifier(database.url);
    let wakes = 0;
    listener.on('fanfare_changes', () => wakes++);
    notifier.notify('fanfare_changes');
    await expect.poll(() => countOf('fanfare listener')).toBe(1);
    await expect.poll(() => countOf('fanfare notifier')).toBe(1);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'fanfare %'`.execute(
      database.db,
    );
    const before = wakes;
    await expect.poll(() => wakes).toBeGreaterThan(before);
    await expect.poll(() => countOf('fanfare listener')).toBe(1);
    notifier.notify('fanfare_changes');
    await expect.poll(() => countOf('fanfare notifier')).toBe(1);
    await listener.close();
    await notifier.close();
    await expect.poll(() => countOf('fanfare listener')).toBe(0);
  });

  test('stops calling a listener that was removed', async () => {
    const listener = createListener(database.url);
    let [wakes, others] = [0, 0];
    const leave = listener.on('fanfare_outbox', () => wakes++);
    await expect.poll(() => wakes).toBeGreaterThan(0);
    leave();
    const before = wakes;
    listener.on('fanfare_outbox', () => others++);
    await expect.poll(() => others).toBeGreaterThan(0);
    expect(wakes).toBe(before);
    await listener.close();
  });
});
