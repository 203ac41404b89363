// How long the tasks of a page's main thread take: in time of the processor, since other programs share the machine.
import type { Page } from 'playwright-core';

interface TraceEvent {
  ph: string;
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor. */
  tdur?: number;
  args?: { name?: string };
}

/** The longest task while `work` runs, in milliseconds. */
export async function longestTaskMs(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  const ended = new Promise<void>((resolve) => {
    session.once('Tracing.tracingComplete', () => resolve());
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline'] },
  });
  await work();
  await session.send('Tracing.end');
  await ended;
  await session.detach();
  const isMain = ({ ph, name, args }: TraceEvent) =>
    ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain';
  const threads = new Set(events.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = events.filter(
    ({ name, pid, tid, tdur }) =>
      name.endsWith('RunTask') && tdur !== undefined && threads.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error('The trace has no task of a main thread.');
  return Math.max(...tasks.map(({ tdur }) => tdur!)) / 1_000;
}
