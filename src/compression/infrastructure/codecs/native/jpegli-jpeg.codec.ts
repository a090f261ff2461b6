/** The JPEG codec of the native engine: jpegli encodes; libvips decodes; MozJPEG recodes losslessly. */
import type { FormerCoding, JpegEncodeOptions } from '../../../application/codecs.port';
import type { ChromaSubsampling, Pixels } from '../../../domain/pixels';
import { readLumaSteps } from '../../../formats/jpeg/jpeg-structure';
import { JpegliEncoder } from './jpegli-encoder';
import { SharpJpegCodec } from './sharp-jpeg.codec';

const TINY: Pixels = { width: 8, height: 8, channels: 4, data: new Uint8Array(8 * 8 * 4) };

export class JpegliJpegCodec extends SharpJpegCodec {
  private readonly knownSteps = new Map<string, readonly number[]>();

  constructor(private readonly jpegli: JpegliEncoder) {
    super();
  }

  override async encode(pixels: Pixels, options: JpegEncodeOptions): Promise<Uint8Array> {
    const { quality, chroma, purpose, effort } = options;
    const jpeg = this.jpegli.encode(pixels, { quality, chroma, isProgressive: purpose === 'delivery' });
    // Optimizing the scan order saves another 1% but takes longer than the encode.
    if (purpose === 'trial' || effort !== 'max') return jpeg;
    const recoded = await this.recodeLosslessly(jpeg);
    return recoded && recoded.length < jpeg.length ? recoded : jpeg;
  }

  override lumaSteps(quality: number, chroma: ChromaSubsampling = '4:2:0'): readonly number[] {
    const key = `${chroma} ${quality}`;
    const known = this.knownSteps.get(key);
    if (known) return known;
    const steps = readLumaSteps(this.jpegli.encode(TINY, { quality, chroma, isProgressive: false }));
    if (!steps) throw new Error('jpegli wrote no quantization table.');
    this.knownSteps.set(key, steps);
    return steps;
  }

  override async encodeWithFormerTables(pixels: Pixels, former: FormerCoding): Promise<Uint8Array> {
    if (former.family !== 'engine') return super.encodeWithFormerTables(pixels, former);
    const { quality, chroma } = former;
    return this.jpegli.encode(pixels, { quality, chroma, isProgressive: true, isAdaptive: false });
  }
}
