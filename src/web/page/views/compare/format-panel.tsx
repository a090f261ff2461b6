import { useRef } from 'preact/hooks';
import { RESULT_FORMATS, type BuiltInFormat } from '../../../../contract/formats';
import { bytesText } from '../../../../contract/units';
import { facts } from '../../api/facts';
import { queryOf, type Options } from '../../api/options';
import { makeAgain } from '../../state/again';
import { isBeingMade, isRefused, makeAll } from '../../state/all-sizes';
import { trial } from '../../state/credentials';
import { hasEnded, type DoneJob, type JobResult } from '../../state/jobs';
import { asked, OPTIONS } from '../../state/options';
import { costWords } from '../../words/list';
import { countText, savingPercent } from '../../words/numbers';
import { SelectField } from '../parts/fields';

const FORMATS = Object.keys(RESULT_FORMATS) as BuiltInFormat[];

/** Format and quality of the open image, and its size in each format. A click makes a missing one. */
export function FormatPanel({ job }: { readonly job: DoneJob }) {
  const panel = useRef<HTMLElement>(null);
  const { result, state } = job;
  const rows = FORMATS.map((format) => rowOf(job, format));
  const sizes = rows.flatMap(({ made }) => (made ? [made.report.compressedSize] : []));
  const least = sizes.length > 1 ? Math.min(...sizes) : undefined;
  const cost = costWords('Each size', 1, trial.value?.imagesLeft, facts.imagesPerMinute);
  return (
    <section ref={panel} class="format-panel stack" aria-label="Format and quality">
      <SelectField
        key={job.id}
        row={OPTIONS.quality}
        value={result.options.quality}
        onValue={(quality) => makeAgain(job, { ...result.options, quality })}
      />
      <table class="less numbers">
        <thead>
          <tr>
            <th scope="col">Format</th>
            <th scope="col">Size</th>
            <th scope="col">Saving</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <FormatRow key={row.format} job={job} row={row} least={least} />
          ))}
        </tbody>
      </table>
      <MakeAll key={job.id} job={job} rows={rows} panel={panel} />
      {cost && <p class="hint">{cost}.</p>}
      <p class="trouble" role="alert" hidden={state.kind !== 'failed'}>
        {state.kind === 'failed' && `${state.trouble.title}. ${state.trouble.text}`}
      </p>
    </section>
  );
}

interface Row {
  readonly format: BuiltInFormat;
  readonly isOwn: boolean;
  readonly made: JobResult | undefined;
  /** Its options. */
  readonly wanted: Options;
}

function rowOf(job: DoneJob, format: BuiltInFormat): Row {
  const isOwn = job.format === RESULT_FORMATS[format];
  const made = resultAs(job, format);
  const wanted = made?.options ?? { ...job.result.options, ...asked('format', isOwn ? 'same' : format) };
  return { format, isOwn, made, wanted };
}

interface FormatRowProps {
  readonly job: DoneJob;
  readonly row: Row;
  /** Bytes of the smallest result, where there are several. */
  readonly least: number | undefined;
}

function FormatRow({ job, row: { format, isOwn, made, wanted }, least }: FormatRowProps) {
  const size = made?.report.compressedSize;
  const none = isRefused(job, wanted) ? 'not possible' : isBeingMade(job, wanted) ? '…' : '–';
  return (
    <tr class={size !== undefined && size === least ? 'least' : undefined}>
      <th scope="row">
        <button aria-pressed={made === job.result} onClick={() => makeAgain(job, wanted)}>
          {RESULT_FORMATS[format].label}
          {isOwn && <span class="hint"> as uploaded</span>}
        </button>
      </th>
      <td>{size === undefined ? none : bytesText(size)}</td>
      <td>{made ? savingOf(made) : '–'}</td>
    </tr>
  );
}

interface MakeAllProps {
  readonly job: DoneJob;
  readonly rows: readonly Row[];
  readonly panel: { readonly current: HTMLElement | null };
}

/** Makes the missing sizes. A single one takes a click on its row. */
function MakeAll({ job, rows, panel }: MakeAllProps) {
  const missing = rows.filter(({ made, wanted }) => !made && !isRefused(job, wanted));
  const isBusy = !hasEnded(job);
  if (missing.length < (isBusy ? 1 : 2)) return null;
  const make = async () => {
    if (isBusy) return;
    const wanted = missing.map((row) => row.wanted);
    await makeAll(job, wanted);
    // The button that had the focus is gone.
    if (document.activeElement?.closest('dialog *') === null)
      panel.current?.querySelector<HTMLElement>('[aria-pressed=true]')?.focus();
  };
  return (
    <button class="make-all" aria-disabled={isBusy} onClick={() => void make()}>
      {isBusy ? `Making ${countText(missing.length, 'size')} …` : `Make the other ${missing.length} sizes`}
    </button>
  );
}

/** Returns a result in the format whose other options equal those of the shown result. */
function resultAs({ made, result }: DoneJob, format: BuiltInFormat): JobResult | undefined {
  const isLike = ({ options, report }: JobResult) =>
    report.format === RESULT_FORMATS[format] && othersOf(options) === othersOf(result.options);
  return isLike(result) ? result : [...made.values()].find(isLike);
}

function othersOf(options: JobResult['options']): string {
  return queryOf({ ...options, format: undefined });
}

function savingOf({ report: { originalSize, bytesSaved } }: JobResult): string {
  return bytesSaved > 0 ? `${savingPercent(originalSize, bytesSaved)}%` : 'none';
}
