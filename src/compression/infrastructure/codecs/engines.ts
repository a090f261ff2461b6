/** The codec engines by name. To add one, see docs/adding-a-codec.md. */
import type { CodecEngine, EngineName } from '../../application/codecs.port';

/** Imports are dynamic, so that the portable engine runs where native code cannot be loaded. */
const LOAD: Readonly<Record<EngineName, () => Promise<CodecEngine>>> = {
  native: async () => (await import('./native/native-engine.js')).createNativeEngine(),
  squoosh: async () => (await import('./squoosh/squoosh-engine.js')).createSquooshEngine(),
};

/** Rejects when the codecs of the engine cannot be loaded. */
export function loadEngine(name: EngineName): Promise<CodecEngine> {
  return LOAD[name]();
}
