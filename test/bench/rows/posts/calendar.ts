// A month of a calendar, read in pages beside many other posts, against the same statement written by hand.
import { sql } from 'kysely';
import type { BareCalendarOptions } from '../../processes/bare-calendar-process.ts';
import { startApi } from '../../processes/api-program.ts';
import { addAccounts } from '../../endpoints.ts';
import { startInstallation, type Installation } from '../../installation.ts';
import { median, type Row } from '../../result.ts';
import { startServerProcess } from '../../server-process.ts';

const inMonth = 5_000;
const others = 200_000;
const rounds = 5;
const limit = 100;
const from = '2030-01-01T00:00:00.000Z';
const to = '2030-02-01T00:00:00.000Z';

interface Listed {
  id: string;
  scheduled_at: string;
}

export const calendar: Row = {
  id: 'calendar',
  title:
    `${rounds} rounds of a month of ${inMonth} posts beside ${others} others, read by GET /v1/posts in ` +
    `pages of ${limit}, in milliseconds; against a bare server with the same statement written by hand`,
  async run(progress) {
    await using installation = await startInstallation();
    const accountIds = await addAccounts(installation, 1);
    // Nothing else uses the CPU while either server is measured.
    await installation.program.stop();
    await plant(installation, accountIds[0]!);
    await using ours = await startApi(installation);
    const { databaseUrl, projectId } = installation;
    const options: BareCalendarOptions = { databaseUrl, projectId, from, to, limit };
    await using bare = await startServerProcess('bare-calendar-process', JSON.stringify(options));
    const filters = `scheduled_from=${from}&scheduled_to=${to}&order=scheduled_at&limit=${limit}`;
    const readOurs = () =>
      readPages(async (cursor: string | null) => {
        const after = cursor === null ? '' : `&cursor=${cursor}`;
        const url = `${ours.api.url}/v1/posts?${filters}${after}`;
        const { data, meta } = await getJson(url, { authorization: `Bearer ${ours.api.key}` });
        return { data, next: meta!.next_cursor };
      });
    const readBare = () =>
      readPages(async (last: Listed | null) => {
        const after = last === null ? '' : `?time=${last.scheduled_at}&id=${last.id}`;
        const { data } = await getJson(`${bare.url}/${after}`, {});
        return { data, next: data.length === limit ? data.at(-1)! : null };
      });
    await readOurs();
    await readBare();
    const [took, bareTook]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      bareTook.push(await readBare());
      took.push(await readOurs());
      progress(`${took[round]!.toFixed(0)} ms; bare server ${bareTook[round]!.toFixed(0)} ms`);
    }
    return {
      id: 'calendar',
      value: median(took),
      unit: 'ms',
      baseline: median(bareTook),
      ratio: median(took.map((ms, i) => ms / bareTook[i]!)),
      samples: took,
      details: {},
    };
  },
};

/** Milliseconds for all pages. Throws unless they have the posts of the month. */
async function readPages<Next>(
  read: (after: Next | null) => Promise<{ data: Listed[]; next: Next | null }>,
): Promise<number> {
  const startedAt = performance.now();
  const ids = new Set<string>();
  let after: Next | null = null;
  do {
    const { data, next }: { data: Listed[]; next: Next | null } = await read(after);
    for (const { id } of data) ids.add(id);
    after = next;
  } while (after !== null);
  const ms = performance.now() - startedAt;
  if (ids.size !== inMonth) throw new Error(`${ids.size} posts were read instead of ${inMonth}.`);
  return ms;
}

interface Answer {
  data: Listed[];
  meta?: { next_cursor: string | null };
}

async function getJson(url: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}.`);
  return (await response.json()) as Answer;
}

/** The others are in the 40 months around this month. */
async function plant({ db, projectId }: Installation, accountId: string): Promise<void> {
  const count = inMonth + others;
  const month = sql`${from}::timestamptz`;
  await sql`
    insert into posts (id, project_id, environment, caption, status, scheduled_at, labels)
    select 'post_' || lpad(i::text, 9, '0'), ${projectId}, 'test', 'Out now, number ' || i,
      case when i % 3 = 0 then 'draft' else 'published' end,
      ${month} + case
        when i < ${inMonth} then i * interval '8 minutes'
        when i % 2 = 0 then interval '31 days' + (i % 100000) * interval '9 minutes'
        else - interval '9 minutes' * (1 + i % 100000) end,
      case when i % 10 = 0 then array['spring'] else '{}' end
    from generate_series(0, ${count - 1}::int) as i`.execute(db);
  await sql`
    insert into post_results (id, post_id, project_id, position, social_account_id, platform,
      account_name, status, phase, phase_state)
    select 'res_' || lpad(i::text, 9, '0'), 'post_' || lpad(i::text, 9, '0'), ${projectId}, 0,
      ${accountId}, 'sandbox', 'bench', 'pending', 'prepare', 'ready'
    from generate_series(0, ${count - 1}::int) as i`.execute(db);
  await sql`vacuum analyze posts, post_results`.execute(db);
}
