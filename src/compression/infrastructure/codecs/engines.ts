/** The codec engines by name. A new one is a folder beside these, a line here, and the conformance suite. */
import type { CodecEngine, EngineName } from '../../application/codecs.port';

/** Loads the one that is asked for, and no other: the portable engine has to run where native code cannot. */
const LOAD: Readonly<Record<EngineName, () => Promise<CodecEngine>>> = {
  native: async () => (await import('./native/native-engine.js')).createNativeEngine(),
  squoosh: async () => (await import('./squoosh/squoosh-engine.js')).createSquooshEngine(),
};

export function loadEngine(name: EngineName): Promise<CodecEngine> {
  return LOAD[name]();
}
