// Reads the facts of an image, and checks that all of it can be decoded.
import { readFile } from 'node:fs/promises';
import { free } from '../free.ts';
import { openImage, readHeader, unreadable } from './header.ts';
import type { JobOf, ReadImage } from './job.ts';
import { checkHeld, readLayout } from './layout.ts';
import { hasLocation } from './location.ts';

export async function readImage({ path, contentType, format }: JobOf<'read'>): Promise<ReadImage> {
  const bytes = await readFile(path);
  const layout = readLayout(bytes, contentType);
  const header = await readHeader(path);
  const { metadata, width, height, orientation } = header;
  if (layout.end === null || metadata.format !== format) throw unreadable(undefined);
  checkHeld(layout, header);
  const needsCleaning =
    orientation !== 1 || layout.end < bytes.length || hasLocation(bytes, contentType, metadata);
  // The decoder reads the file itself.
  free(bytes);
  await decode(path);
  return { width, height, needsCleaning };
}

/** Decodes every pixel, but keeps only one pixel. */
async function decode(path: string): Promise<void> {
  try {
    await openImage(path).resize({ width: 1, height: 1, fit: 'fill' }).raw().toBuffer();
  } catch (error) {
    throw unreadable(error);
  }
}
