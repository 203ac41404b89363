// What the process for images is asked, and what it answers.
import type { MediaErrorCode } from '../../../schema/media.ts';

export interface Encoding {
  contentType: string;
  /** Of the encoder. */
  quality: number;
  /** Null: no limit. */
  maxWidth: number | null;
  maxHeight: number | null;
  maxPixels: number | null;
  /** Applied to the size that the limits allow. */
  factor: number;
}

/** Types whose encodings can have several frames. */
export const animatedTypes: ReadonlySet<string> = new Set(['image/gif', 'image/webp']);

/** `path`: of a file with the image. */
export type ImageJob =
  | { kind: 'read'; path: string; contentType: string; format: string }
  | { kind: 'frames'; path: string }
  | { kind: 'encode'; path: string; to: string; encoding: Encoding };

export interface ReadImage {
  /** In pixels, of one frame, after its orientation is applied. */
  width: number;
  height: number;
  /** The image has an orientation to apply, or something to remove: a location, or bytes behind the image. */
  needsCleaning: boolean;
}

export interface EncodedImage {
  width: number;
  height: number;
  bytes: number;
}

export type ImageAnswer =
  | { done: ReadImage | EncodedImage | number }
  | { refused: { code: MediaErrorCode; message: string } };

/** What the job has used so far. The process reports it all the time. */
export interface ImageUsage {
  /** Beyond what the process has without an image. */
  memoryBytes: number;
  cpuMs: number;
}

/** What a job results in. */
export type ImageResult<Job extends ImageJob> = Job extends { kind: 'read' }
  ? ReadImage
  : Job extends { kind: 'frames' }
    ? number
    : EncodedImage;

/** From the process. */
export type ImageMessage = { usage: ImageUsage } | ImageAnswer;
