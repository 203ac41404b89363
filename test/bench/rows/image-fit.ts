// A photo is fitted to the limits of a network, beside the bare library.
import sharp from 'sharp';
import { fitBytes } from '../../support/media/images.ts';
import { createPhoto } from '../photo.ts';
import { median, type Row } from '../result.ts';

const rounds = 9;
const maxBytes = 1_000_000;

export const imageFit: Row = {
  id: 'image_fit',
  title: `Fits a photo of 12 megapixels to 2,000 pixels and 1 MB, ${rounds} times.`,
  async run(progress) {
    const photo = await createPhoto(4_000, 3_000);
    const plan = { contentType: 'image/jpeg', maxBytes, maxWidth: 2_000, maxHeight: 2_000 };
    const fit = () => fitBytes(photo, { ...plan, maxPixels: null });
    const [ours, bare]: [number[], number[]] = [[], []];
    const first = await fit();
    const { width, height } = first;
    if (first.bytes.length > maxBytes || width !== 2_000)
      throw new Error('The photo was not fitted');
    for (let round = 0; round < rounds; round++) {
      bare.push(
        await perSecond(() =>
          sharp(photo).resize({ width, height }).jpeg({ quality: 90 }).toBuffer(),
        ),
      );
      ours.push(await perSecond(fit));
      progress(`${ours.at(-1)!.toFixed(2)} images/s beside ${bare.at(-1)!.toFixed(2)}`);
    }
    const [value, baseline] = [median(ours), median(bare)];
    return {
      id: 'image_fit',
      value,
      unit: 'images/s',
      baseline,
      ratio: value / baseline,
      samples: ours,
      details: { photo_kb: photo.length / 1_000, fitted_kb: first.bytes.length / 1_000 },
    };
  },
};

async function perSecond(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return 1_000 / (performance.now() - started);
}
