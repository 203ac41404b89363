// Finds locations in the metadata of an image.
import type { Metadata } from 'sharp';

/** In doubt, there is one. */
export function hasLocation({ exif, xmp, iptc, xmpAsString }: Metadata): boolean {
  return (
    (exif !== undefined && hasGps(exif)) ||
    (xmp !== undefined && locationInXmp.test(xmpAsString ?? xmp.toString())) ||
    (iptc !== undefined && hasPlace(iptc))
  );
}

/** Extended XMP is stored apart, so it is not looked into. */
const locationInXmp = /gps|location|latitude|longitude|city|country|HasExtendedXMP/i;

const gpsTag = 0x8825;

/** The first directory of EXIF points to that of the GPS. */
function hasGps(exif: Buffer): boolean {
  const start = exif.toString('latin1', 0, 4) === 'Exif' ? 6 : 0;
  const isLittle = exif.toString('latin1', start, start + 2) === 'II';
  const short = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const long = (at: number) => (isLittle ? exif.readUInt32LE(at) : exif.readUInt32BE(at));
  try {
    const directory = start + long(start + 4);
    const tags = Array.from({ length: short(directory) }, (_, i) => short(directory + 2 + i * 12));
    return tags.includes(gpsTag);
  } catch {
    return true;
  }
}

/** Records of IPTC that name a place: content location, city, sublocation, state, country. */
const places: ReadonlySet<number> = new Set([26, 27, 90, 92, 95, 100, 101]);

function hasPlace(iptc: Buffer): boolean {
  for (let at = iptc.indexOf('\x1c\x02', 0, 'latin1'); at !== -1;) {
    if (places.has(iptc[at + 2] ?? 0)) return true;
    at = iptc.indexOf('\x1c\x02', at + 2, 'latin1');
  }
  return false;
}
