// `npm run bench -- [id …] [--check]`: measures, prints a table, writes `<data dir>/bench.json`. `--help` lists the rows.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { goals } from './goals.ts';
import type { Result, Row } from './result.ts';
import { burstMedia } from './rows/posts/burst-media.ts';
import { burst } from './rows/posts/burst.ts';
import { calendar } from './rows/posts/calendar.ts';
import { deadFifth } from './rows/dead-fifth.ts';
import { deliveriesMillion } from './rows/deliveries-million.ts';
import { deliveries } from './rows/deliveries.ts';
import { deliveryCpu } from './rows/delivery-cpu.ts';
import { deliveryLatency } from './rows/delivery-latency.ts';
import { fairness } from './rows/fairness.ts';
import { idleCpu } from './rows/idle-cpu.ts';
import { imageFit } from './rows/image-fit.ts';
import { liveFanout } from './rows/live-fanout.ts';
import { mediaUpload } from './rows/media-upload.ts';
import { memory } from './rows/memory.ts';
import { postCpu, waitingCost } from './rows/posts/post-cpu.ts';
import { polls } from './rows/posts/polls.ts';
import { postLatency } from './rows/posts/post-latency.ts';
import { postsAccepted } from './rows/posts/posts-accepted.ts';
import { postsConcluded } from './rows/posts/posts-concluded.ts';
import { recovery } from './rows/recovery.ts';
import { start } from './rows/start.ts';
import { temporalMemory } from './rows/temporal-memory.ts';

const rows: readonly Row[] = [
  start,
  deliveries,
  deliveriesMillion,
  deliveryLatency,
  deliveryCpu,
  deadFifth,
  postsAccepted,
  postsConcluded,
  calendar,
  postLatency,
  postCpu,
  waitingCost,
  burst,
  burstMedia,
  polls,
  fairness,
  recovery,
  liveFanout,
  imageFit,
  mediaUpload,
  idleCpu,
  memory,
  temporalMemory,
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log('npm run bench -- [id …] [--check]\n\n--check: fails if a goal is missed.\n');
  for (const { id, title } of rows) console.log(`${id}: ${title}`);
  process.exit(0);
}
const unknown = positionals.filter((id) => !rows.some((row) => row.id === id));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}: ${rows.map((row) => row.id).join(', ')}.`);
  process.exit(2);
}

const chosen = rows.filter((row) => positionals.length === 0 || positionals.includes(row.id));
const results: Result[] = [];
let isBroken = false;
for (const row of chosen) {
  console.log(`${row.id}: ${row.title}`);
  try {
    results.push(await row.run((line) => console.log(`  ${line}`)));
  } catch (error) {
    isBroken = true;
    console.error(`${row.id} could not be measured:`, error);
  }
}

const directory = process.env['FANFARE_DATA_DIR'] || '.data';
mkdirSync(directory, { recursive: true });
const path = join(directory, 'bench.json');
writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);

const missed = results.flatMap((result) =>
  (goals[result.id] ?? [])
    .filter((goal) => !goal.isReached(result))
    .map((goal) => `${result.id}: ${goal.text}`),
);
console.log(`\n${table(results)}\n`);
console.log(
  `${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}; written to ${path}`,
);
for (const line of missed) console.log(`Below the goal: ${line}`);
if (isBroken || (values.check && missed.length > 0)) process.exitCode = 1;

function table(all: readonly Result[]): string {
  const head = ['row', 'value', 'against', 'ratio', 'more', 'goal'];
  const lines = all.map((result) => [
    result.id,
    `${round(result.value)} ${result.unit}`,
    result.baseline === null ? '' : `${round(result.baseline)} ${result.unit}`,
    result.ratio === null ? '' : result.ratio.toFixed(3),
    Object.entries(result.details)
      .map(([name, figure]) => `${name} ${round(figure)}`)
      .join(', '),
    (goals[result.id] ?? [])
      .map((goal) => `${goal.text} ${goal.isReached(result) ? '✓' : '✗'}`)
      .join(', '),
  ]);
  const widths = head.map((_, i) => Math.max(...[head, ...lines].map((line) => line[i]!.length)));
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
