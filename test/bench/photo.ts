// A picture with soft shapes and a little grain, which compresses like a photo.
import sharp from 'sharp';

export async function createPhoto(width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const create = { width: 400, height: 300, channels: 3, background: '#fff', noise } as const;
  const shapes = await sharp({ create }).png().toBuffer();
  return sharp(shapes).resize({ width, height }).jpeg({ quality: 92 }).toBuffer();
}
