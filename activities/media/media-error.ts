// Why a file can't be used. Trying again wouldn't help.
import { mediaErrors, type MediaErrorCode } from '../../schema/media.ts';

export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly code: MediaErrorCode;

  constructor(code: MediaErrorCode, message: string = mediaErrors[code], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
