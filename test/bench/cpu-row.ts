// A row that measures CPU time from commit to webhook in traffic of several kinds, beside the bare chain.
import { setTimeout as sleep } from 'node:timers/promises';
import { startBareChain, type BareChain } from './bare-chain.ts';
import {
  countedAfterMs,
  countsBetween,
  cpuMsOf,
  measureCpu,
  medianOf,
  netOf,
  openCounters,
  serverPids,
  vacuum,
  type Counters,
  type Counts,
  type Spent,
} from './costs.ts';
import { addWebhook } from './endpoints.ts';
import { startInstallation, whileStopped, type Installation } from './installation.ts';
import { startBenchReceiver, type BenchReceiver } from './receiver.ts';
import { median, percentile, type Row } from './result.ts';
import { sendTraffic, type Traffic } from './traffic.ts';

export interface CpuCase extends Traffic {
  /** The names of the case's figures begin with this ID. */
  id: string;
  /** Targets of each post. 0: events without a post. */
  targets: number;
}

export interface CpuRow {
  id: string;
  title: string;
  /** The case whose figures are the row's value and ratio. */
  main: string;
  /** After this time, no round begins. */
  limitMs: number;
  listCases(installation: Installation): Promise<CpuCase[]>;
}

/** Rounds of each case that is committed at once. The paced cases last long enough for one round. */
const rounds = 3;
const warmUp = 100;
/** The last answers are still being recorded when the receiver has all requests. */
const settleMs = 1_000;
const lateMs = 600;
const restParts = 2;

type Process = 'program' | 'postgres' | 'temporal' | 'bare';

/** CPU milliseconds for each post or delivery. */
interface Sample {
  gross: number;
  /** `gross`, less the CPU time of idle processes in the same time. */
  net: number;
  temporal: number;
  bare: number;
}

interface Measured {
  /** The time of Fanfare and of the bare chain in each round. */
  rounds: { ours: Spent<Process>; bare: Spent<Process> }[];
  /** Milliseconds from each commit to its request, in the first round. */
  latencies: number[];
  /** Counts of the first round, less those of idle processes in the same time. */
  counts: Counts;
  bareCounts: Counts;
}

/** The processes that the cases are measured on. */
interface Rig {
  installation: Installation;
  receiver: BenchReceiver;
  bare: BareChain;
  counters: Counters;
  pids: Record<Process, number>;
}

export function createCpuRow({ id, title, main, limitMs, listCases }: CpuRow): Row {
  return {
    id,
    title,
    async run(progress) {
      const untilMs = performance.now() + limitMs;
      await using receiver = await startBenchReceiver({ hasArrivals: true });
      await using installation = await startInstallation({}, { countsStatements: true });
      await using bare = await startBareChain(installation, receiver.urls[0]!);
      await using counters = await openCounters(installation);
      await addWebhook(installation, receiver.urls[0]!);
      const program = installation.program.pid;
      const pids = { program, ...serverPids(installation), bare: bare.pid };
      const rig = { installation, receiver, bare, counters, pids };
      const cases = await listCases(installation);
      const { measured, idle } = await measureCases(rig, cases, untilMs, progress);
      const samplesOf = (one: CpuCase) =>
        measured.get(one.id)!.rounds.map((round) => toSample(one, round, idle));
      const samples = samplesOf(cases.find((one) => one.id === main)!);
      return {
        id,
        value: median(samples.map(({ net }) => net)),
        unit: 'ms',
        baseline: median(samples.map(({ bare }) => bare)),
        ratio: median(samples.map(({ net, bare }) => net / bare)),
        samples: samples.map(({ net }) => net),
        details: Object.fromEntries(
          cases.flatMap((one) => detailsOf(one, samplesOf(one), measured.get(one.id)!)),
        ),
      };
    },
  };
}

async function measureCases(
  rig: Rig,
  cases: readonly CpuCase[],
  untilMs: number,
  progress: (line: string) => void,
): Promise<{ measured: Map<string, Measured>; idle: Spent<Process> }> {
  const { receiver, bare, counters } = rig;
  const [ourUrl, bareUrl] = [rig.installation.databaseUrl, bare.databaseUrl];
  const first = { ...cases[0]!, count: warmUp, perSecond: null };
  await sendTraffic(receiver, first);
  await bare.run(first);
  await tidy(rig);
  const rests = await rest(rig);
  const idleFrom = await counters.read(ourUrl);
  rests.push(...(await rest(rig)));
  const idleCounts = countsBetween(idleFrom, await counters.read(ourUrl));

  const measured = new Map<string, Measured>();
  for (const one of cases) {
    const from = await counters.read(ourUrl);
    const { spent: ours, latencies } = await measureOurs(rig, one);
    rests.push(...(await rest(rig)));
    const counts = withoutIdle(countsBetween(from, await counters.read(ourUrl)), idleCounts);
    const bareFrom = await counters.read(bareUrl);
    const round = { ours, bare: await measureBare(rig, one) };
    const bareCounts = countsBetween(bareFrom, await counters.read(bareUrl));
    measured.set(one.id, { rounds: [round], latencies, counts, bareCounts });
    const p50 = median(latencies);
    progress(
      `${one.id}: ${describe(toSample(one, round, medianOf(rests)))}; p50 ${p50.toFixed(1)} ms`,
    );
    await tidy(rig);
  }
  const idle = medianOf(rests);
  const atOnce = cases.filter(({ perSecond }) => perSecond === null);
  for (const one of Array.from({ length: rounds - 1 }, () => atOnce).flat()) {
    if (performance.now() > untilMs) break;
    const { spent: ours } = await measureOurs(rig, one);
    const round = { ours, bare: await measureBare(rig, one) };
    measured.get(one.id)!.rounds.push(round);
    progress(`${one.id}: ${describe(toSample(one, round, idle))}`);
  }
  return { measured, idle };
}

async function tidy({ installation, bare }: Rig): Promise<void> {
  for (const { databaseUrl } of [installation, bare]) await vacuum(databaseUrl);
}

/**
 * Measures idle processes, in several parts, because some parts have leftover work, such as garbage collection.
 * The counts are complete afterwards.
 */
async function rest({ pids }: Rig): Promise<Spent<Process>[]> {
  const parts: Spent<Process>[] = [];
  for (let i = 0; i < restParts; i++) {
    parts.push(await measureCpu(pids, () => sleep(countedAfterMs / restParts)));
  }
  return parts;
}

async function measureOurs(
  { pids, receiver }: Rig,
  one: CpuCase,
): Promise<{ spent: Spent<Process>; latencies: number[] }> {
  let latencies: number[] = [];
  const spent = await measureCpu(pids, async () => {
    latencies = await sendTraffic(receiver, one);
    await sleep(settleMs);
  });
  return { spent, latencies };
}

async function measureBare(
  { installation, pids, bare }: Rig,
  one: CpuCase,
): Promise<Spent<Process>> {
  const spent = await whileStopped(installation, () =>
    measureCpu(pids, async () => {
      await bare.run(one);
      await sleep(settleMs);
    }),
  );
  await sleep(settleMs);
  return spent;
}

function toSample(
  { count }: CpuCase,
  { ours, bare }: Measured['rounds'][number],
  idle: Spent<Process>,
): Sample {
  const net = netOf(ours, idle);
  return {
    gross: cpuMsOf(ours, 'program', 'postgres', 'temporal') / count,
    net: cpuMsOf(net, 'program', 'postgres', 'temporal') / count,
    temporal: cpuMsOf(net, 'temporal') / count,
    bare: cpuMsOf(bare, 'bare', 'postgres') / count,
  };
}

function describe({ gross, net, bare }: Sample): string {
  return (
    `${gross.toFixed(2)} ms of CPU each, ${net.toFixed(2)} ms net; ` +
    `bare chain ${bare.toFixed(2)} ms, ratio ${(net / bare).toFixed(1)}`
  );
}

function withoutIdle(counts: Counts, idle: Counts): Counts {
  const share = counts.atMs / idle.atMs;
  return {
    atMs: counts.atMs,
    commits: counts.commits - idle.commits * share,
    statements: counts.statements - idle.statements * share,
    fsyncs: counts.fsyncs - idle.fsyncs * share,
    workflows: counts.workflows - idle.workflows * share,
  };
}

function detailsOf(
  { id, count, perSecond }: CpuCase,
  samples: readonly Sample[],
  { latencies, counts, bareCounts }: Measured,
): [name: string, figure: number][] {
  const p99 = percentile(latencies, 99);
  const figures = {
    gross: median(samples.map((sample) => sample.gross)),
    net: median(samples.map((sample) => sample.net)),
    bare: median(samples.map((sample) => sample.bare)),
    ratio: median(samples.map((sample) => sample.net / sample.bare)),
    temporal: median(samples.map((sample) => sample.temporal)),
    commits: counts.commits / count,
    statements: counts.statements / count,
    fsyncs: counts.fsyncs / count,
    fsync_ratio: counts.fsyncs / bareCounts.fsyncs,
    workflows: counts.workflows / count,
    ...(perSecond !== null && { p50: percentile(latencies, 50), p99 }),
  };
  const isLate = perSecond !== null && p99 > lateMs;
  return [
    ...Object.entries(figures).map(([name, figure]): [string, number] => [`${id}_${name}`, figure]),
    ...(isLate ? [[`is_late_${id}`, 1] as [string, number]] : []),
  ];
}
