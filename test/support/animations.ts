/** Writes animated PNGs as slow or careless encoders do, and reads them frame by frame with pngjs. */
import { PNG } from 'pngjs';
import { uint32s } from '../../src/compression/formats/bytes';
import { pngChunk, readChunks } from '../../src/compression/formats/png/png-chunks';
import { pngOfKind, type PngKind } from './png-types';

const SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

export interface DrawnFrame {
  readonly width: number;
  readonly height: number;
  readonly left?: number;
  readonly top?: number;
  /** 0 none, 1 background, 2 previous. */
  readonly disposal?: number;
  /** 0 source, 1 over. */
  readonly blending?: number;
  readonly milliseconds?: number;
}

export interface DrawnAnimation {
  readonly kind?: PngKind;
  /** The first one has the size of the canvas. */
  readonly frames: readonly DrawnFrame[];
  /** The first one is not part of the animation. */
  readonly hasStill?: boolean;
  /** Bytes of each chunk of data. */
  readonly chunkBytes?: number;
  /** Chunks for the place before the frames. */
  readonly extra?: readonly Buffer[];
}

const RGBA: PngKind = { colourType: 6, bitDepth: 8 };

export const chunkOf = (type: string, data: Uint8Array = new Uint8Array()): Buffer =>
  Buffer.from(pngChunk(type, data).raw);

function control(sequence: number, frame: DrawnFrame): Buffer {
  const { width, height, left = 0, top = 0, milliseconds = 40, disposal = 0, blending = 0 } = frame;
  const delay = Buffer.of(milliseconds >> 8, milliseconds & 0xff, 0x03, 0xe8, disposal, blending);
  return Buffer.concat([uint32s(sequence, width, height, left, top), delay]);
}

/** The chunks of an animation, so that a test may break one of them. */
export function animationChunks({
  kind = RGBA,
  frames,
  hasStill = false,
  chunkBytes = Infinity,
  extra = [],
}: DrawnAnimation) {
  let sequence = 0;
  const stills = frames.map((frame, i) =>
    readChunks(
      pngOfKind(kind, frame.width, frame.height, (x, y, c, bits) =>
        x < 6 && y < 6 ? 0 : (((x * 3 + i * 7 + (c + 1) * (y >> 2)) ** 2) >> 3) % 2 ** bits,
      ),
    ),
  );
  const dataOf = (i: number, type: string) =>
    Buffer.concat(stills[i].filter((chunk) => chunk.type === type).map(({ data }) => data));
  const pieces = (data: Buffer) =>
    Array.from({ length: Math.ceil(data.length / Math.min(chunkBytes, data.length)) }, (_, i) =>
      data.subarray(i * Math.min(chunkBytes, data.length), (i + 1) * Math.min(chunkBytes, data.length)),
    );
  const head = stills[0].filter(({ type }) => ['IHDR', 'PLTE', 'tRNS'].includes(type));
  const shown = frames.length - (hasStill ? 1 : 0);
  return [
    Buffer.from(head[0].raw),
    chunkOf('acTL', uint32s(shown, 0)),
    ...head.slice(1).map(({ raw }) => Buffer.from(raw)),
    ...extra,
    ...frames.flatMap((frame, i) => {
      const data = dataOf(i, 'IDAT');
      if (i === 0) {
        const idats = pieces(data).map((piece) => chunkOf('IDAT', piece));
        return hasStill ? idats : [chunkOf('fcTL', control(sequence++, frame)), ...idats];
      }
      return [
        chunkOf('fcTL', control(sequence++, frame)),
        ...pieces(data).map((piece) => chunkOf('fdAT', Buffer.concat([uint32s(sequence++), piece]))),
      ];
    }),
    chunkOf('IEND'),
  ];
}

export const fileOf = (chunks: readonly Buffer[]) => Buffer.concat([SIGNATURE, ...chunks]);

export const animationOf = (drawn: DrawnAnimation) => fileOf(animationChunks(drawn));

/** Four frames: the canvas, a region that is blended, a region that goes again, and a single pixel. */
export const FOUR_FRAMES: readonly DrawnFrame[] = [
  { width: 120, height: 90, milliseconds: 500 },
  { width: 60, height: 50, left: 20, top: 10, blending: 1 },
  { width: 70, height: 33, left: 50, top: 57, disposal: 1 },
  { width: 1, height: 1, left: 119, top: 89, disposal: 2, milliseconds: 65_535 },
];

export interface DecodedFrame {
  /** Region, time, disposal and blending, as stored; absent for the image of stills. */
  readonly control?: string;
  /** RGBA, 16 bits per sample where the file has 16. */
  readonly pixels: Buffer;
}

/** Reads the frames with pngjs, each as a still image. @throws Error when a sequence number is wrong */
export function decodedFrames(file: Uint8Array): DecodedFrame[] {
  const found: { size: Buffer; control?: string; data: Buffer[] }[] = [];
  let head: Buffer[] = [];
  let header: Buffer = Buffer.alloc(0);
  let expected = 0;
  for (let at = 8; at < file.length;) {
    const view = Buffer.from(file.buffer, file.byteOffset + at, file.length - at);
    const length = view.readUInt32BE();
    const type = view.toString('latin1', 4, 8);
    const data = view.subarray(8, 8 + length);
    if (type === 'fcTL' || type === 'fdAT') {
      if (data.readUInt32BE() !== expected++) throw new Error(`a wrong sequence number at ${at}`);
    }
    if (type === 'IHDR') header = data;
    if (type === 'PLTE' || type === 'tRNS') head = [...head, view.subarray(0, length + 12)];
    if (type === 'fcTL')
      found.push({ size: data.subarray(4, 12), control: data.toString('hex', 4), data: [] });
    if (type === 'IDAT' && found.length === 0) found.push({ size: header.subarray(0, 8), data: [] });
    if (type === 'IDAT') found[0].data.push(data);
    if (type === 'fdAT') found[found.length - 1].data.push(data.subarray(4));
    at += 12 + length;
  }
  return found.map(({ size, control: fields, data }) => {
    const own = Buffer.concat([size, header.subarray(8)]);
    const still = fileOf([
      chunkOf('IHDR', own),
      ...head,
      chunkOf('IDAT', Buffer.concat(data)),
      chunkOf('IEND'),
    ]);
    const { data: pixels } = PNG.sync.read(still, { skipRescale: header[8] === 16 });
    const bytes = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength);
    return fields === undefined ? { pixels: bytes } : { control: fields, pixels: bytes };
  });
}
