import sharp from 'sharp';
import { box, boxesIn } from '../../../../src/compression/formats/avif/boxes';
import type { ResultCodec } from '../../../../src/compression/application/codecs.port';
import type { Pixels } from '../../../../src/compression/domain/pixels';

/** A real file: the recipe writes its marker into the boxes. */
const DOT = sharp({ create: { width: 1, height: 1, channels: 3, background: '#000' } })
  .avif()
  .toBuffer();

/** The size of the images that it takes for whole ones; others are trials. Smaller photos are tried as a whole. */
export const [WIDTH, HEIGHT] = [960, 640];

export interface Behaviour {
  /** Bytes of a pixel at quality 68; each step changes them by 3%. */
  readonly bytesPerPixel: number;
  /** Bytes of a pixel of the whole image, if trials promise others. */
  readonly wholeBytesPerPixel?: number;
  /** Error of every channel, at quality 100 too. */
  readonly error?: number;
}

/** An encoder of AVIF. Its files hold the number of the pixels that it has encoded, and as many bytes as it is told. */
export class PretendedAvif implements ResultCodec {
  private readonly files: Pixels[] = [];
  /** Those of the whole image, in order. */
  readonly qualities: number[] = [];
  trialWidth = 0;
  encodes = 0;

  get wholes(): number {
    return this.qualities.length;
  }

  constructor(private readonly behaviour: Behaviour) {}

  async encode(pixels: Pixels, { quality }: { readonly quality: number }): Promise<Uint8Array> {
    const { bytesPerPixel, wholeBytesPerPixel = bytesPerPixel, error = 0 } = this.behaviour;
    const isWhole = pixels.width === WIDTH && pixels.height === HEIGHT;
    this.encodes++;
    if (isWhole) this.qualities.push(quality);
    else this.trialWidth = pixels.width;
    const amplitude = error + (100 - quality) / 8;
    const data = pixels.data.map((value, i) =>
      Math.max(0, Math.min(255, value + ((i * 7919) % 3 === 0 ? amplitude : 0))),
    );
    const usual = pixels.width * pixels.height * (isWhole ? wholeBytesPerPixel : bytesPerPixel);
    const padding = Buffer.alloc(Math.max(4, Math.round(usual * 1.03 ** (quality - 68))));
    padding.writeUInt32BE(this.files.push({ ...pixels, data }) - 1);
    return Buffer.concat([await DOT, box('free', [padding])]);
  }

  decode(avif: Uint8Array) {
    const padding = boxesIn(avif, 0).find(({ type }) => type === 'free');
    return Promise.resolve(this.files[padding?.content.readUInt32BE() ?? -1]);
  }
}
