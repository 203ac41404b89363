// The process for images: runs one job after another, and reports the usage of each job.
import { MediaError } from '../media-error.ts';
import { encodeImage } from './encode.ts';
import { readHeader } from './header.ts';
import type { ImageAnswer, ImageJob, ImageMessage } from './job.ts';
import { readImage } from './read-image.ts';

const reportEveryMs = 20;

const send = (message: ImageMessage) => process.send!(message);
const residentBytes = () => process.memoryUsage.rss();
const ownBytes = residentBytes();

async function run(job: ImageJob) {
  switch (job.kind) {
    case 'read':
      return readImage(job);
    case 'frames':
      return (await readHeader(job.path)).frames;
    case 'encode':
      return encodeImage(job);
  }
}

async function answer(job: ImageJob): Promise<ImageAnswer> {
  try {
    return { done: await run(job) };
  } catch (error) {
    // Any other error is a bug or a full disk, and ends the process.
    if (!(error instanceof MediaError)) throw error;
    return { refused: { code: error.code, message: error.message } };
  }
}

process.on('message', (job: ImageJob) => {
  const before = process.cpuUsage();
  const report = () => {
    const { user, system } = process.cpuUsage(before);
    const memoryBytes = residentBytes() - ownBytes;
    send({ usage: { memoryBytes, cpuMs: (user + system) / 1_000 } });
  };
  const reporting = setInterval(report, reportEveryMs);
  void answer(job).then((answered) => {
    clearInterval(reporting);
    report();
    send(answered);
  });
});

// The parent has ended, for whatever reason.
process.on('disconnect', () => process.exit());
// A terminal and systemd send these signals to child processes too, but the parent may still need the image.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
