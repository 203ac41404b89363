// The jobs of the process for images, and its answers.
import type { MediaErrorCode } from '../../../schema/media.ts';
import type { FitPlan } from '../../platforms/media-rules.ts';
import type { ImageSize } from './header.ts';

export interface Encoding extends Omit<FitPlan, 'maxBytes'> {
  /** Quality of the encoder. */
  quality: number;
  /** The size that the limits allow is multiplied by this factor. */
  factor: number;
}

/** Types whose encodings can have several frames. */
export const animatedTypes: ReadonlySet<string> = new Set(['image/gif', 'image/webp']);

/** `path`: the file with the image. */
export type ImageJob =
  | { kind: 'read'; path: string; contentType: string; format: string }
  | { kind: 'frames'; path: string }
  | { kind: 'encode'; path: string; to: string; encoding: Encoding };

/** The size is that of one frame, after its orientation is applied. */
export interface ReadImage extends ImageSize {
  /** The image has an orientation to apply, or something to remove: a location, or bytes after the image. */
  needsCleaning: boolean;
}

export interface EncodedImage extends ImageSize {
  bytes: number;
}

export type ImageAnswer =
  | { done: ReadImage | EncodedImage | number }
  | { refused: { code: MediaErrorCode; message: string } };

/** What the job has used so far. The process reports this usage all the time. */
export interface ImageUsage {
  /** Memory in addition to what the process uses without an image. */
  memoryBytes: number;
  cpuMs: number;
}

export type JobOf<Kind extends ImageJob['kind']> = Extract<ImageJob, { kind: Kind }>;

/** What a job results in. */
export type ImageResult<Job extends ImageJob> =
  Job extends JobOf<'read'> ? ReadImage : Job extends JobOf<'frames'> ? number : EncodedImage;

/** A message from the process. */
export type ImageMessage = { usage: ImageUsage } | ImageAnswer;
