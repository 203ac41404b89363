// JSON bodies with files in base64: their bytes, and how much of the files they hold.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { jsonUpload } from '../../../activities/platforms/json-upload.ts';
import type { MediaSource } from '../../../activities/platforms/platform.ts';

/** A file that is read in chunks of this size. */
function fileOf(bytes: Buffer, chunkBytes: number): MediaSource & { openings: number } {
  const file = {
    bytes: bytes.length,
    openings: 0,
    open: () => {
      file.openings++;
      const chunks = [];
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        chunks.push(new Uint8Array(bytes.subarray(at, at + chunkBytes)));
      }
      return ReadableStream.from(chunks);
    },
  };
  return file;
}

const textOf = async ({ body }: ReturnType<typeof jsonUpload>) =>
  Buffer.from(await new Response(body).arrayBuffer());

describe('a JSON body', () => {
  test.each([0, 1, 2, 3, 4, 5, 299, 300, 301])(
    'has a file of %i bytes as JSON would have it, however it is read',
    async (length) => {
      const bytes = randomBytes(length);
      for (const chunkBytes of [1, 2, 3, 4, 7, 1_000]) {
        const upload = jsonUpload((embed) => ({
          text: 'ü "quoted" \n',
          data: embed(fileOf(bytes, chunkBytes)),
        }));
        const written = await textOf(upload);
        const expected = { text: 'ü "quoted" \n', data: bytes.toString('base64') };
        expect(written.toString()).toBe(JSON.stringify(expected));
        expect(upload.headers).toEqual({
          'content-type': 'application/json',
          'content-length': String(written.length),
        });
      }
    },
  );

  test('has several files in their places', async () => {
    const files = [randomBytes(10), randomBytes(20), randomBytes(30)];
    const upload = jsonUpload((embed) => ({
      items: files.map((file) => ({ data: embed(fileOf(file, 4)), left_out: undefined })),
    }));
    const items = files.map((file) => ({ data: file.toString('base64') }));
    expect(JSON.parse((await textOf(upload)).toString())).toEqual({ items });
  });

  test('needs no files', async () => {
    const upload = jsonUpload(() => ({ a: 1 }));
    expect((await textOf(upload)).toString()).toBe('{"a":1}');
  });

  test('opens a file only once it is sent', async () => {
    const file = fileOf(randomBytes(10), 5);
    const { body } = jsonUpload((embed) => ({ data: embed(file) }));
    const reader = body.getReader();
    await reader.read();
    expect(file.openings).toBe(0);
    await reader.read();
    expect(file.openings).toBe(1);
    await reader.cancel();
  });
});
