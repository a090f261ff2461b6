import type { CodecEngine } from '../../../application/codecs.port';
import { SquooshJpegCodec } from './squoosh-jpeg.codec';
import { loadSquooshModules } from './squoosh-modules';
import { SquooshPngCodec } from './squoosh-png.codec';

/** The portable engine: only WebAssembly and JavaScript. */
export async function createSquooshEngine(): Promise<CodecEngine> {
  const modules = await loadSquooshModules();
  return { jpeg: new SquooshJpegCodec(modules), png: new SquooshPngCodec(modules) };
}
