// Uploads of media as clients make them.
import { expect } from 'vitest';
import type { Api, ApiAnswer } from '../app/api.ts';
import { checkAnswer } from '../checks/answers.ts';
import { noise } from './samples.ts';

/** Media as REST shows them. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
export type ShownMedia = any;

export const partBytes = 262_144;

/** A PNG of noise, of about three bytes per pixel. */
export function pngOf(width: number, height: number): Promise<Buffer> {
  return noise(width, height).png({ compressionLevel: 0 }).toBuffer();
}

export async function createMedia(api: Api, change: object = {}): Promise<ShownMedia> {
  const body = { filename: 'picture.png', content_type: 'image/png', ...change };
  const answer = await api.post('/v1/media', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

export async function getMedia(api: Api, id: string): Promise<ShownMedia> {
  return (await api.get(`/v1/media/${id}`)).body.data;
}

/** Sends the request without an API key. */
export async function putBytes(
  url: string,
  bytes: Uint8Array | ReadableStream<Uint8Array> | undefined,
  headers: Record<string, string> = {},
): Promise<ApiAnswer<ShownMedia>> {
  const response = await fetch(url, {
    method: 'PUT',
    headers,
    ...(bytes ? { body: bytes as Uint8Array<ArrayBuffer>, duplex: 'half' } : {}),
  });
  const text = await response.text();
  const body = text === '' ? undefined : JSON.parse(text);
  const answer = { status: response.status, headers: response.headers, text, body };
  checkAnswer('PUT', url, answer);
  return answer;
}

export function putPart(
  url: string,
  file: Uint8Array,
  from: number,
  to: number,
): Promise<ApiAnswer<ShownMedia>> {
  const headers = { 'Content-Range': `bytes ${from}-${to - 1}/${file.byteLength}` };
  return putBytes(url, file.subarray(from, to), headers);
}

/** Asks how much has arrived, and so where to continue. */
export function askRange(url: string, total: number): Promise<ApiAnswer<ShownMedia>> {
  return putBytes(url, undefined, { 'Content-Range': `bytes */${total}` });
}

/** Uploads a small picture. Returns its ID. */
export async function uploadPicture(api: Api): Promise<string> {
  const { id, upload_url } = await createMedia(api);
  await putBytes(upload_url, await pngOf(16, 16));
  return id;
}
