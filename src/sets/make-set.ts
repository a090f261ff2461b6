/** Makes the files of a set from one upload, with their description and markup: `set.json`. Runs in the process of the command or program. */
import { Problem } from '../contract/problem';
import { scoreText } from '../contract/report-words';
import type { CompressionPolicy } from '../compression/domain/compression-policy';
import type { Report } from '../contract/report';
import { comparedByWidth, writeMarkup, notesOn, type SetFile } from './markup';
import {
  planSet,
  type SetOptions,
  type SetPlan,
  type SetSize,
  type SetUpload,
  type Variant,
} from './set-plan';
import { losesByConversion, readSource } from '../compression/formats/image-header';
import { staysNinePatch } from '../compression/formats/png/png-marks';
import type { Formats } from '../contract/formats';
import { cssBackground, makePlaceholder } from './placeholder';

/** Everything about a set except the bytes of its files: `set.json`. */
export interface SetDescription {
  readonly files: readonly SetFile[];
  /** Wider than the upload or MAX_DIMENSION_PX; of an animation, all but its own. */
  readonly leftOut: readonly SetSize[];
  readonly failed: readonly (Pick<Variant, 'name' | 'format' | 'width' | 'density'> & {
    readonly code: string;
    readonly message: string;
  })[];
  /** `#rrggbb`, or a data URI; null for a transparent image. */
  readonly placeholder?: string | null;
  readonly markup: string;
  readonly notes: readonly string[];
}

type KnownReport = Omit<Report, 'timings' | 'encodes'>;

type Compress = (
  policy: CompressionPolicy,
) => Promise<{ readonly bytes: Uint8Array; readonly report: KnownReport }>;

export interface SetMaker {
  readonly options: SetOptions;
  readonly policy: CompressionPolicy;
  readonly knownFormats: Formats;
  /** Compresses and delivers a file. @throws Problem if there is none */
  readonly make: (variant: Variant) => Promise<KnownReport>;
  readonly compress: Compress;
  readonly failed: (variant: Variant, problem: Problem) => void;
}

async function planFor(bytes: Uint8Array, { options, policy, knownFormats, compress }: SetMaker) {
  if (knownFormats.decodedUpload(bytes)) {
    const upload = await probe(policy, compress);
    return planSet({ ...upload, isAdded: true }, options, policy, knownFormats);
  }
  const source = readSource(bytes, policy.maxPixels);
  const upload = {
    ...source,
    isNinePatch: source.format === 'png' && (await staysNinePatch(source, policy)),
    losesByConversion: losesByConversion(source),
  };
  return planSet(upload, options, policy, knownFormats);
}

/** Only a worker reads the upload of a package: its dimensions, and which format `same` means, are known from its smallest result. */
export async function probe(policy: CompressionPolicy, compress: Compress): Promise<SetUpload> {
  const { report } = await compress({ ...policy, formats: ['same'], effort: 'fast', maxDimensionPx: 1 });
  return { format: report.format, dimensions: report.originalDimensions };
}

/** @param earlier its placeholder is kept if it has the same files. @throws Problem at once if the upload cannot be read, and the first error of a file that is no Problem at the end */
export async function makeSet(
  bytes: Uint8Array,
  maker: SetMaker,
  earlier?: Partial<SetDescription> | null,
): Promise<SetDescription> {
  const plan = await planFor(bytes, maker);
  const isOptional = plan.variants.some(({ policy }) => policy.formats?.[0] === 'same');
  const made: SetFile[] = [];
  const failed: { variant: Variant; problem: Problem }[] = [];
  const notMade: string[] = [];
  const outcomes = await Promise.allSettled(plan.variants.map((variant) => maker.make(variant)));
  for (const [i, outcome] of outcomes.entries()) {
    const variant = plan.variants[i];
    if (outcome.status === 'fulfilled') made.push(describeFile(variant, outcome.value));
    else {
      const problem: unknown = outcome.reason;
      if (!(problem instanceof Problem)) throw problem;
      if (isOptional && problem.code === 'cannot_convert')
        notMade.push(`${variant.name} was not made. ${problem.message}`);
      else failed.push({ variant, problem });
    }
  }
  for (const { variant, problem } of failed) maker.failed(variant, problem);
  const { options, knownFormats } = maker;
  const files = comparedByWidth(made);
  const placeholder = await placeholderFor(plan, files, maker, earlier);
  const background = placeholder ? cssBackground(placeholder) : undefined;
  return {
    files,
    leftOut: plan.leftOut,
    failed: failed.map(({ variant: { name, format, width, density }, problem: { code, message } }) => ({
      name,
      format,
      width,
      density,
      code,
      message,
    })),
    ...(placeholder !== undefined && { placeholder }),
    markup: writeMarkup(files, options, background, knownFormats),
    notes: [...plan.notes, ...notMade, ...notesOn(files)],
  };
}

function describeFile({ name, format, density }: Variant, report: KnownReport): SetFile {
  const { dimensions, compressedSize, score } = report;
  return { name, format, ...dimensions, density, bytes: compressedSize, ssim: Number(scoreText(score)) };
}

async function placeholderFor(
  { placeholder: policy }: SetPlan,
  files: readonly SetFile[],
  { compress, options: { placeholder: kind } }: SetMaker,
  earlier: Partial<SetDescription> | null = {},
) {
  if (!policy || !kind || files.length === 0) return undefined;
  const { placeholder: known } = earlier ?? {};
  const isWanted = known === null || known?.startsWith('#') === (kind === 'colour');
  if (isWanted && JSON.stringify(earlier?.files) === JSON.stringify(files)) return known;
  try {
    return makePlaceholder((await compress(policy)).bytes, kind);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
