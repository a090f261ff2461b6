/**
 * The portable engine: WebAssembly and JavaScript only, for platforms without native codecs. Several times
 * slower, and PNGs are compressed without loss only. Other formats are loaded with the first image that needs
 * them.
 */
import type { CodecEngine } from '../../../application/codecs.port';
import { createSquooshResultCodecs } from './squoosh-result.codecs';
import { SquooshJpegCodec } from './squoosh-jpeg.codec';
import { loadSquooshModules } from './squoosh-modules';
import { SquooshPngCodec } from './squoosh-png.codec';

export async function createSquooshEngine(): Promise<CodecEngine> {
  const modules = await loadSquooshModules();
  return {
    jpeg: new SquooshJpegCodec(modules),
    png: new SquooshPngCodec(modules),
    ...createSquooshResultCodecs(),
  };
}
