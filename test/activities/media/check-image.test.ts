// The image of a check is one that decoders read and networks take.
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { checkImage } from '../../../activities/media/check-image.ts';

test('the image of a check is a gray JPEG of the declared size', async () => {
  const { data, info } = await sharp(checkImage.bytes).raw().toBuffer({ resolveWithObject: true });
  const { format } = await sharp(checkImage.bytes).metadata();
  const { width, height } = checkImage;
  expect({ ...info, format }).toMatchObject({ format: 'jpeg', width, height });
  expect(new Set(data)).toEqual(new Set([128]));
});
