/**
 * The portable engine: WebAssembly and JavaScript only, for platforms without native codecs. Several times
 * slower, and PNGs are compressed without loss only. AVIF and WebP are loaded with the first image that needs
 * them.
 */
import type { CodecEngine } from '../../../application/codecs.port';
import { once } from '../../../domain/once';
import { loadSquooshResultModules, squooshAvif, squooshWebp } from './squoosh-result.codecs';
import { SquooshJpegCodec } from './squoosh-jpeg.codec';
import { loadSquooshModules } from './squoosh-modules';
import { SquooshPngCodec } from './squoosh-png.codec';

export async function createSquooshEngine(): Promise<CodecEngine> {
  const modules = await loadSquooshModules();
  const targets = once(loadSquooshResultModules);
  return {
    jpeg: new SquooshJpegCodec(modules),
    png: new SquooshPngCodec(modules),
    avif: squooshAvif(targets),
    webp: squooshWebp(targets),
  };
}
