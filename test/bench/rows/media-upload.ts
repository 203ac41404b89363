// The rate of an upload against a bare server that writes the same bytes to disk, side by side.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMedia } from '../../support/media/uploads.ts';
import { video } from '../../support/media/samples.ts';
import { cpuSeconds, peakMemory, residentMb } from '../footprint.ts';
import { createBenchDirectory, startInstallation } from '../installation.ts';
import { median, type Row } from '../result.ts';
import { startServerProcess } from '../server-process.ts';

const megabytes = 256;
const rounds = 5;
const chunk = randomBytes(1_048_576);

export const mediaUpload: Row = {
  id: 'media_upload',
  title: `${rounds} uploads of a video of ${megabytes} MB, each in one request`,
  async run(progress) {
    await using installation = await startInstallation();
    const { api, program } = installation;
    const directory = createBenchDirectory();
    using _directory = { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
    await using bare = await startServerProcess('bare-upload-process', directory);
    const head = await longVideo();
    const size = head.byteLength + megabytes * chunk.byteLength;

    async function toOurs(): Promise<number> {
      const input = { filename: 'a.mp4', content_type: 'video/mp4', size_bytes: size };
      const { id, upload_url } = await createMedia(api, input);
      const rate = await put(upload_url, head, size);
      const { body } = await api.get(`/v1/media/${id}`);
      if (body.data.status !== 'uploaded') throw new Error(JSON.stringify(body.data));
      await api.delete(`/v1/media/${id}`);
      return rate;
    }
    const idle = residentMb(program.pid);
    await toOurs();
    await put(bare.url, head, size);

    const rates: number[] = [];
    const baseline: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round++) {
      baseline.push(await put(bare.url, head, size));
      const before = cpuSeconds(program.pid);
      rates.push(await toOurs());
      cpu.push(cpuSeconds(program.pid) - before);
      progress(`${rates.at(-1)!.toFixed(0)} MB/s; bare server ${baseline.at(-1)!.toFixed(0)} MB/s`);
    }
    return {
      id: 'media_upload',
      value: median(rates),
      unit: 'MB/s',
      baseline: median(baseline),
      ratio: median(rates.map((rate, i) => rate / baseline[i]!)),
      samples: rates,
      details: { cpu_s: median(cpu), idle_mb: idle, ...peakMemory(program.pid) },
    };
  },
};

/** A small video, and the head of a box of that many bytes, which players skip. */
async function longVideo(): Promise<Buffer> {
  const box = Buffer.alloc(8);
  box.writeUInt32BE(8 + megabytes * chunk.byteLength);
  box.write('free', 4);
  return Buffer.concat([await video('mp4-fast-start'), box]);
}

/** Returns megabytes per second, until the answer. */
async function put(url: string, head: Buffer, size: number): Promise<number> {
  const startedAtMs = performance.now();
  const sending = request(url, { method: 'PUT', headers: { 'Content-Length': size } });
  const answered = once(sending, 'response');
  await pipeline(Readable.from(partsOf(head)), sending);
  const [response] = (await answered) as [Readable & { statusCode: number }];
  const text = Buffer.concat(await response.toArray()).toString();
  if (response.statusCode !== 200) throw new Error(text);
  return size / 1_048_576 / ((performance.now() - startedAtMs) / 1_000);
}

function* partsOf(head: Buffer): Generator<Buffer> {
  yield head;
  for (let i = 0; i < megabytes; i++) yield chunk;
}
