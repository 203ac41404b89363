// One process that decodes and encodes images. A file that needs too much memory or time ends this process, and
// nothing else.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { MediaError } from '../media-error.ts';
import type { ImageAnswer, ImageJob, ImageMessage, ImageResult, ImageUsage } from './job.ts';

export interface ImageProcess {
  /** Runs one job at a time. Throws a `MediaError` if the image is refused. */
  run<Job extends ImageJob>(
    job: Job,
    maxCpuMs: number,
  ): Promise<{ done: ImageResult<Job>; cpuMs: number }>;
  close(): Promise<void>;
}

/** If a process has no job for this long, it ends. */
const idleMs = 10_000;
/** A process that holds more memory than this after a job is ended, because the next image needs the memory. */
const keptBytes = 64_000_000;
/** Long enough for the CPU time of any job, even on a very busy machine. */
const maxJobMs = 120_000;

/** `maxBytes`: how much memory an image may take. */
export function createImageProcess(maxBytes: number): ImageProcess {
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): ChildProcess {
    const started = fork(new URL('child.ts', import.meta.url), {
      // The child reads hostile files, so it gets no secrets.
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const forget = () => {
      if (child === started) child = undefined;
    };
    started.once('exit', forget);
    // No `exit` event follows if the process could not be started.
    started.on('error', () => {
      forget();
      started.kill('SIGKILL');
    });
    return started;
  }

  async function ask(asked: ChildProcess, job: ImageJob, maxCpuMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<{
      answer: ImageAnswer;
      usage: ImageUsage;
    }>();
    let usage: ImageUsage = { memoryBytes: 0, cpuMs: 0 };
    let cause: Error | undefined;
    // Ends the process together with the job, so that the next job gets a new process.
    const kill = (why: Error) => {
      cause ??= why;
      asked.kill('SIGKILL');
    };
    const take = (message: ImageMessage) => {
      if (cause) return;
      if (!('usage' in message)) return resolve({ answer: message, usage });
      ({ usage } = message);
      if (usage.cpuMs > maxCpuMs) kill(tooSlow());
      else if (usage.memoryBytes > maxBytes) kill(tooMuchMemory());
    };
    const die = (_code: number | null, endedBy: NodeJS.Signals | null) => {
      // Only this program or the kernel ends the process by a signal. The kernel ends it if the decoder
      // crashed or no memory was left.
      const isOfImage = endedBy !== null && !isClosed;
      reject(
        cause ?? (isOfImage ? tooMuchMemory() : new Error('The process for images has ended.')),
      );
    };
    const timer = setTimeout(
      () => kill(new Error('The process for images does not answer.')),
      maxJobMs,
    );
    asked.on('message', take).once('exit', die).once('error', reject);
    try {
      asked.send(job);
      return await promise;
    } finally {
      clearTimeout(timer);
      asked.off('message', take).off('exit', die).off('error', reject);
    }
  }

  return {
    async run<Job extends ImageJob>(job: Job, maxCpuMs: number) {
      if (isClosed) throw new Error('This program is stopping.');
      clearTimeout(idle);
      child ??= start();
      const asked = child;
      asked.ref();
      asked.channel?.ref();
      try {
        const { answer, usage } = await ask(asked, job, maxCpuMs);
        if (usage.memoryBytes > keptBytes) child = undefined;
        if ('refused' in answer) throw new MediaError(answer.refused.code, answer.refused.message);
        return { done: answer.done as ImageResult<Job>, cpuMs: usage.cpuMs };
      } finally {
        if (child !== asked) asked.kill('SIGKILL');
        // An idle process must not keep this program running.
        asked.unref();
        asked.channel?.unref();
        idle = setTimeout(() => {
          child?.kill('SIGKILL');
          child = undefined;
        }, idleMs).unref();
      }
    },

    async close() {
      isClosed = true;
      clearTimeout(idle);
      const last = child;
      child = undefined;
      if (!last || last.exitCode !== null || last.signalCode !== null) return;
      const exited = once(last, 'exit');
      // Keeps the program running. Otherwise, a program with nothing else to do would end before this promise
      // resolves.
      last.ref();
      last.kill('SIGKILL');
      await exited;
    },
  };
}

const tooMuchMemory = () =>
  new MediaError('media_too_large', 'Decoding the image takes too much memory.');

const tooSlow = () => new MediaError('media_too_large', 'Decoding the image takes too long.');
