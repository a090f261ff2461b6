/** Compresses an upload to several results. Runs inside a worker. */
import { ImageRefused, type RefusalCode } from '../../../contract/image-problems';
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { CompressedImage } from '../../domain/compression-report';
import type { Source } from '../../formats/image-header';
import type { CodecEngine } from '../codecs.port';
import { compressWork } from '../compress-image';
import { Stopwatch } from '../stopwatch';

/** Refusals of one result; all others concern the upload. */
const OF_ONE: ReadonlySet<RefusalCode> = new Set(['cannot_convert', 'budget_unreachable']);

/**
 * Yields a result, or the refusal of one, for each policy and in their order. The bytes are the same as those of compressImage.
 * Neighbours that differ only in their formats share the decoded upload, and a PNG its own result.
 * @param clock measures the stages, in milliseconds
 * @throws ImageRefused when the upload cannot be accepted
 */
export async function* compressSet(
  source: Source,
  engine: CodecEngine,
  policies: readonly CompressionPolicy[],
  clock = () => performance.now(),
): AsyncGenerator<CompressedImage | ImageRefused> {
  let image = '';
  let stopwatch = new Stopwatch(clock);
  let shared = {};
  for (const policy of policies) {
    const ofImage = JSON.stringify({ ...policy, formats: undefined });
    if (image !== ofImage) {
      image = ofImage;
      stopwatch = new Stopwatch(clock);
      shared = {};
    }
    stopwatch.restart();
    // A byte limit decodes by itself, for several sizes.
    const sharing = policies.length > 1 && !policy.byteLimit ? { shared } : {};
    yield await compressWork({ source, engine, policy, stopwatch, ...sharing }).catch((error: unknown) => {
      if (error instanceof ImageRefused && OF_ONE.has(error.code)) return error;
      throw error;
    });
  }
}
