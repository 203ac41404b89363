// Gives a target's media a public URL, so that networks can fetch them. One server in the process serves all
// such media.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TargetMedia } from '../../../activities/platforms/platform.ts';
import { createVideo } from './target-media.ts';

const files = new Map<string, { type: string; bytes: Buffer }>();
let started: Promise<string> | undefined;

/** Returns the same file, with a URL that works for as long as the process lives. */
export async function hostMedia(media: TargetMedia): Promise<TargetMedia> {
  started ??= start();
  const path = `/media/${crypto.randomUUID()}/${media.filename}`;
  files.set(path, { type: media.contentType, bytes: await buffer(media.open()) });
  const url = `${await started}${path}`;
  return { ...media, publicUrl: () => url };
}

/** After this, the URL answers 404. */
export const removeHosted = (url: string) => files.delete(new URL(url).pathname);

async function start(): Promise<string> {
  const server: Server = createServer((request, response) => {
    const file = files.get(request.url!);
    if (!file) return void response.writeHead(404).end();
    const headers = { 'content-type': file.type, 'content-length': file.bytes.length };
    response.writeHead(200, headers).end(file.bytes);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // The process may end without closing the server.
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const hostVideo = (change?: Partial<TargetMedia>) => hostMedia(createVideo(change));
