// The program killed during an upload, and started again: the upload continues where it stopped.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findFreePorts } from '../../../api/server/ports.ts';
import { createProgramDirectory } from '../../support/checks/readme.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';
import { removeDataDirectory, startProgram } from '../../support/app/program.ts';
import { createMedia, getMedia } from '../../support/media/uploads.ts';
import { sendHead } from '../../support/media/upload-server.ts';
import { video } from '../../support/media/samples.ts';

const megabytes = 30;

/** A video with a box that players skip. */
async function longVideo(): Promise<Buffer> {
  const box = Buffer.alloc(megabytes * 1_048_576, 7);
  box.writeUInt32BE(box.byteLength);
  box.write('free', 4);
  return Buffer.concat([await video('mp4-fast-start'), box]);
}

test('kill -9 during an upload: the program of the docs sends only the rest', async () => {
  const dataDirectory = createBundledDirectory();
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-upload-'));
  const programs = createProgramDirectory();
  const [port] = await findFreePorts([0]);
  const env = { FANFARE_PORT: String(port), FANFARE_LOG_LEVEL: 'error' };
  const file = await longVideo();
  const path = join(folder, 'video.mp4');
  await writeFile(path, file);
  try {
    await using first = startProgram({ dataDirectory, env });
    const before = await first.waitForReady();
    const { id, upload_url } = await createMedia(before, {
      filename: 'video.mp4',
      content_type: 'video/mp4',
      content_hash: createHash('sha256').update(file).digest('hex'),
    });
    using upload = sendHead(upload_url, [`Content-Length: ${file.byteLength}`]);
    upload.socket.write(file.subarray(0, 13 * 1_048_576));
    let received = 0;
    while (received < 8 * 1_048_576) received = (await getMedia(before, id)).received_bytes;
    await first.kill9();
    await upload.ended;

    const continuing = promisify(execFile)(process.execPath, [
      programs.extract('docs/media.md', 'upload.mjs'),
      path,
      upload_url,
    ]);
    await using second = startProgram({ dataDirectory, env });
    const after = await second.waitForReady();
    const kept = (await getMedia(after, id)).received_bytes;
    expect(kept).toBeGreaterThanOrEqual(received);
    const { data } = JSON.parse((await continuing).stdout);
    expect(data).toMatchObject({ id, status: 'uploaded', kind: 'video', width: 640 });
    expect(data.size_bytes).toBe(file.byteLength);
    expect(await getMedia(after, id)).toEqual(data);
  } finally {
    programs.remove();
    await rm(folder, { recursive: true });
    await removeDataDirectory(dataDirectory);
  }
}, 120_000);
