// The arguments of `npm run chaos`.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { faults, type Fault } from './faults.ts';
import { createRandom } from './random.ts';

export interface Options {
  /** Kills the workers of an upload, instead of a load under faults. */
  isUpload: boolean;
  seed: number;
  isShort: boolean;
  /** In the order in which they are run. */
  faults: Fault[];
  /** Where the output of every process is kept. */
  logs: string | undefined;
}

const usage = `Usage: npm run chaos -- [upload] [options]

  upload          kill the workers of a large upload, instead of a load under faults
  --short         a minute, with a few of the faults, or with an upload of a few chunks
  --seed N        repeat the posts and the faults of another run
  --only A,B      only these faults, in this order
  --logs DIR      keep the output of every process there

Faults: ${faults.map(({ name }) => name).join(', ')}`;

/** Undefined: it has printed what was asked for, or what is wrong. */
export function readOptions(args: string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        short: { type: 'boolean', default: false },
        seed: { type: 'string' },
        only: { type: 'string' },
        logs: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      return undefined;
    }
    const isUpload = positionals[0] === 'upload';
    const unknown = positionals[isUpload ? 1 : 0];
    if (unknown !== undefined) throw new Error(`There is no run ${unknown}.`);
    const seed = values.seed === undefined ? randomInt(1, 1_000_000) : Number(values.seed);
    if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
    const isShort = values.short;
    const { logs, only } = values;
    return { isUpload, seed, isShort, logs, faults: planFaults(seed, isShort, only) };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}

/** Each fault twice, or those of a short run once, in an order of the seed's. */
function planFaults(seed: number, isShort: boolean, only: string | undefined): Fault[] {
  if (only !== undefined) {
    return only.split(',').map((name) => {
      const fault = faults.find((one) => one.name === name);
      if (!fault) throw new Error(`There is no fault ${name}.`);
      return fault;
    });
  }
  const random = createRandom(seed, 'faults');
  if (isShort) return random.shuffle(faults.filter((fault) => fault.isShort));
  return [...random.shuffle(faults), ...random.shuffle(faults)];
}
