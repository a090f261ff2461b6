/** What a built site ships, what would be enough where its pages show it, and where a difference could be seen. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findShown, type Shown } from './shown-images';
import * as policies from '../../compression/domain/compression-policy';
import { sameSize, type Dimensions } from '../../compression/domain/dimensions';
import { readSource } from '../../compression/formats/image-header';
import { probe } from '../../sets/make-set';
import { userPath } from '../../environment/settings-slice';
import { failCommand } from '../images/file-faults';
import { listFiles, type Inputs } from '../images/inputs';
import { identify, readWhole, writeWhole, type Sources } from '../../files/whole-file';
import type { WorkerHandle } from '../images/workers';
import { asText } from '../report/entries';
import type { Entry } from '../report/output';
import type { Result } from '../report/reporter';
import { printable } from '../report/printable';
import { changeText } from '../../contract/units';
import { asSize } from '../report/totals';
import { comparisonPage, isComparisonPage } from './comparison-page';

type Policy = policies.CompressionPolicy;
type Place = Shown & { readonly policy?: Policy | undefined };

/** Pixels per CSS pixel. Few displays show more, and eyes do not. */
const ENOUGH = 3;
const MOST_COMPARED = 10;

export class SiteReport {
  readonly places = new Map<string, Place>();

  private constructor(
    private readonly policy: Policy,
    private readonly sources: Sources,
  ) {}

  static async open(
    folders: readonly string[],
    { images, sources }: Inputs,
    { policy, knownFormats, run }: WorkerHandle,
  ) {
    const files = await Promise.all(folders.map((folder) => readPages(userPath(folder))));
    const pages = await identify(files.flat().map(({ folder, name }) => join(folder, name)));
    const site = new SiteReport(policy, new Set([...sources, ...pages]));
    const paths = images.map(({ path }) => path);
    const locate = await findShown(files.flat(), paths);
    for (const path of paths) {
      // The check reports why one cannot be read.
      const source = await readWhole(path)
        .then(({ bytes }) =>
          knownFormats.decodedUpload(bytes)
            ? probe(policy, (one) => run({ kind: 'compress', image: bytes, policy: one }))
            : readSource(bytes, policy.maxPixels),
        )
        .catch(() => undefined);
      if (!source) continue;
      const { dimensions } = source;
      site.places.set(path, judgePlace(locate(path, dimensions), dimensions, policy));
    }
    return site;
  }

  describe(result: Result): Entry {
    const { words, json, ...entry } = result.entry;
    const { density: shownDensity, page } = this.findPlace(result);
    return { ...entry, words: words && this.words(result), json: { ...json, shownDensity, page } };
  }

  summary(results: readonly Result[]): string {
    const apart = results.filter((result) => this.findPlace(result).density === undefined);
    const visible = results.filter(({ report }) => report.score < policies.QUALITY_TARGETS.high);
    const names = visible.map(({ job }) => printable(job.input.shown)).join(', ');
    const total = `${amounts(results)}; ${names ? `it could be seen in ${names}` : 'the difference cannot be seen'}.\n`;
    if (apart.length === 0) return total;
    return `${total}Of unknown size, judged as they are: ${apart.length} (${amounts(apart)}).\n`;
  }

  /** Compresses the images again, because results are not kept. */
  async writePage(name: string, results: readonly Result[], { run }: WorkerHandle): Promise<void> {
    const largest = results.filter(({ report }) => report.bytesSaved > 0).slice(0, MOST_COMPARED);
    const compared = largest.map(async (result) => {
      const { policy = this.policy, input } = result.job;
      const { bytes: before } = await readWhole(input.path);
      const { bytes: after } = await run({ kind: 'compress', image: before, policy });
      const { density = 1 } = this.findPlace(result);
      const width = Math.round(result.report.originalDimensions.width / density);
      return { name: input.shown, words: this.words(result), width, before, after };
    });
    const page = Buffer.from(comparisonPage(this.summary(results), await Promise.all(compared)));
    const { sources } = this;
    await writeWhole(userPath(name), page, { sources }).catch(failCommand(name));
  }

  private findPlace({ job }: Result) {
    return this.places.get(job.input.path) ?? {};
  }

  private words(result: Result) {
    const { originalDimensions: original, dimensions } = result.report;
    const { density, page } = this.findPlace(result);
    const { originalSize: before, compressedSize: after } = result.report;
    const change = `${amounts([result])} (${changeText(before, after)}), ${asText(original)}`;
    if (density === undefined) return `${change}, no page tells its size`;
    const [width, height] = [original.width, original.height].map((side) => Math.round(side / density));
    const place = page === undefined ? 'by its name' : `in ${printable(page)}`;
    const enough = sameSize(dimensions, original) ? '' : `; ${asText(dimensions)} is enough`;
    return `${change} shown as ${asText({ width, height })} ${place}${enough}`;
  }
}

async function readPages(folder: string) {
  const names = await listFiles(folder, '**/*.{html,htm,css,js,mjs}');
  const files = names.map(async (name) => ({
    folder,
    name,
    text: await readFile(join(folder, name), 'utf8'),
  }));
  return (await Promise.all(files)).filter(({ text }) => !isComparisonPage(text));
}

/** Of an image that attributes alone size, enough pixels are kept; of others all. */
function judgePlace(shown: Shown, dimensions: Dimensions, policy: Policy): Place {
  const { density, isScalable } = shown;
  if (density === undefined || policies.isLossless(policy)) return shown;
  const longer = Math.max(dimensions.width, dimensions.height);
  const enough = Math.max(policies.LEAST_DIMENSION_PX, Math.ceil((longer * ENOUGH) / density));
  if (isScalable && enough < Math.min(longer, policy.maxDimensionPx)) {
    const defaultMaxDimensionPx = policies.MOST_DIMENSION_PX;
    return {
      ...shown,
      policy: { ...policy, density: ENOUGH, maxDimensionPx: enough, defaultMaxDimensionPx },
    };
  }
  const judged = Math.min(policies.MOST_DENSITY, Math.max(1, density));
  return { ...shown, policy: { ...policy, density: Math.floor(judged * 10) / 10 } };
}

function amounts(results: readonly Pick<Result, 'report'>[]) {
  const sum = (key: 'originalSize' | 'compressedSize') =>
    asSize(results.reduce((total, { report }) => total + report[key], 0));
  return `${sum('originalSize')} shipped, ${sum('compressedSize')} needed`;
}
