// A small MP4 that takes long to read: each of its tracks names one chunk of millions of samples.

const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4);
  return bytes;
};

function box(name: string, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([u32(body.length + 8), Buffer.from(name, 'latin1'), body]);
}

/** A box with a version and flags. */
const fullBox = (name: string, ...contents: Buffer[]) => box(name, u32(0), ...contents);

const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
/** 640 by 360 pixels of H.264. */
const sampleEntry = box(
  'avc1',
  Buffer.from('0000000000000001', 'hex'),
  Buffer.alloc(16),
  Buffer.from('028001680048000000480000000000000001', 'hex'),
  Buffer.alloc(32),
  Buffer.from('0018ffff', 'hex'),
  box('avcC', Buffer.from('0142c01effe100046742c01e01000468ce3c80', 'hex')),
);

/** Bytes between two chunks, so that each chunk is read by itself. */
const gap = 50_000;

export function slowVideo(tracks: number, samplesPerChunk: number): Buffer {
  const type = box('ftyp', Buffer.from('isom'), u32(512), Buffer.from('isomavc1mp41'));
  const track = (chunkAt: number, id: number) =>
    box(
      'trak',
      box('tkhd', u32(7, 0, 0, id, 0, 2_000, 0, 0, 0, 0), matrix, u32(640 << 16, 360 << 16)),
      box(
        'mdia',
        fullBox('mdhd', u32(0, 0, 1_000, 2_000, 0x55c40000)),
        fullBox('hdlr', u32(0), Buffer.from('vide'), Buffer.alloc(13)),
        box(
          'minf',
          box(
            'stbl',
            fullBox('stsd', u32(1), sampleEntry),
            fullBox('stts', u32(1, 2, 1_000)),
            fullBox('stsc', u32(1, 1, samplesPerChunk, 1)),
            fullBox('stsz', u32(0, 2, 8, 8)),
            fullBox('stco', u32(1, chunkAt)),
          ),
        ),
      ),
    );
  const indexFrom = (start: number) =>
    box(
      'moov',
      fullBox(
        'mvhd',
        u32(0, 0, 1_000, 2_000, 0x10000),
        Buffer.alloc(12),
        matrix,
        Buffer.alloc(24),
        u32(tracks + 1),
      ),
      ...Array.from({ length: tracks }, (_, i) => track(start + i * gap, i + 1)),
    );
  const start = type.length + indexFrom(0).length + 8;
  return Buffer.concat([type, indexFrom(start), box('mdat', Buffer.alloc(tracks * gap + 64, 1))]);
}
