/** Makes the files of a set, and describes them. */
import { Problem } from '../../../contract/problem';
import { scoreText } from '../../../contract/report-words';
import type { CompressionReport } from '../../domain/compression-report';
import { comparedByWidth, markupOf, notesOn, type SetFile } from '../../domain/sets/markup';
import type { SetPlan, SetSize, Variant } from '../../domain/sets/set-plan';
import type { CompressionRunner, RunResult, RunSetOptions } from '../running/compression-runner.port';
import { backgroundOf, placeholderOf } from './placeholder';

/** A file of a set, or the Problem why there is none. */
export interface VariantOutcome {
  readonly variant: Variant;
  readonly result: RunResult | Problem;
}

/** Everything about a set except the bytes of its files: `set.json`. */
export interface SetDescription {
  readonly files: readonly SetFile[];
  /** Sizes that are wider than the upload, or than MAX_DIMENSION_PX allows; of an animation, all others than its own. */
  readonly leftOut: readonly SetSize[];
  readonly failed: readonly (Pick<Variant, 'name' | 'format' | 'width' | 'density'> & FailureWords)[];
  /** `#rrggbb`, or a data URI; null for a transparent image. */
  readonly placeholder?: string | null;
  readonly markup: string;
  /** Sentences about files that the markup leaves out. */
  readonly notes: readonly string[];
}

interface FailureWords {
  readonly code: string;
  readonly message: string;
}

type SetRun = Omit<RunSetOptions, 'policies' | 'onResult'>;

/** A set in progress. */
export class SetInProgress {
  private readonly reports = new Map<Variant, KnownReport>();
  private readonly problems = new Map<Variant, Problem>();
  private placeholder: string | null | undefined;

  constructor(private readonly plan: SetPlan) {}

  /** Adds a file, such as one of an earlier run. */
  add(variant: Variant, report: KnownReport): void {
    this.reports.set(variant, report);
  }

  /** Uses the placeholder of an earlier run if it is of the wanted kind, and of the same files. */
  keepPlaceholder(earlier: Partial<SetDescription> | null | undefined): void {
    const { placeholder: known, files } = earlier ?? {};
    const isColour = this.plan.options.placeholder === 'colour';
    const isWanted = known === null || (typeof known === 'string' && known.startsWith('#') === isColour);
    const isSame = files?.length && JSON.stringify(files) === JSON.stringify(this.describe().files);
    if (this.plan.placeholder && isWanted && isSame) this.placeholder = known;
  }

  /**
   * Makes the files that were not added yet. Resolves when the last one is finished or has failed.
   * @param onOutcome called once for each, as soon as it is known
   * @throws errors other than Problems, which are bugs
   */
  async run(
    runner: Pick<CompressionRunner, 'runSet'>,
    image: Uint8Array,
    run: SetRun,
    onOutcome: (outcome: VariantOutcome) => void,
  ): Promise<void> {
    const { variants } = this.plan;
    const placeholder = this.placeholder === undefined ? this.plan.placeholder : undefined;
    const missing = variants.filter((variant) => !this.reports.has(variant));
    const waiting = [...missing];
    const settle = (result: RunResult | Problem) => {
      const variant = waiting.shift();
      if (!variant) return this.takePlaceholder(result);
      if (result instanceof Problem) this.problems.set(variant, result);
      else this.add(variant, result.report);
      onOutcome({ variant, result });
    };
    const policies = [...missing.map(({ policy }) => policy), ...(placeholder ? [placeholder] : [])];
    if (policies.length === 0) return;
    try {
      await runner.runSet(image, { ...run, policies, onResult: settle });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      while (waiting.length > 0) settle(error);
    }
  }

  describe(): SetDescription {
    const { options, variants, leftOut, resultFormats } = this.plan;
    const made = variants.flatMap((variant) => {
      const report = this.reports.get(variant);
      return report ? [fileOf(variant, report)] : [];
    });
    const files = comparedByWidth(made);
    const { placeholder } = this;
    const background = placeholder ? backgroundOf(placeholder) : undefined;
    return {
      files,
      leftOut,
      failed: [...this.problems].map(([{ name, format, width, density }, { code, message }]) => ({
        name,
        format,
        width,
        density,
        code,
        message,
      })),
      ...(placeholder === undefined ? {} : { placeholder }),
      markup: markupOf(files, options, background, resultFormats),
      notes: notesOn(files),
    };
  }

  private takePlaceholder(result: RunResult | Problem): void {
    const { placeholder: kind } = this.plan.options;
    if (kind && !(result instanceof Problem)) this.placeholder = placeholderOf(result.bytes, kind);
  }
}

type KnownReport = Omit<CompressionReport, 'timings' | 'encodes'>;

function fileOf({ name, format, density }: Variant, report: KnownReport): SetFile {
  const { dimensions, compressedSize, score } = report;
  return { name, format, ...dimensions, density, bytes: compressedSize, ssim: Number(scoreText(score)) };
}
