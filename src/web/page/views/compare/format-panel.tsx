import { RESULT_FORMATS, type BuiltInFormat } from '../../../../contract/formats';
import { bytesText } from '../../../../contract/units';
import { facts } from '../../api/facts';
import { queryOf } from '../../api/options';
import { makeOther } from '../../state/again';
import { trial } from '../../state/credentials';
import type { DoneJob, JobResult } from '../../state/jobs';
import { asked, OPTIONS } from '../../state/options';
import { costWords } from '../../words/list';
import { savingPercent } from '../../words/numbers';
import { SelectField } from '../parts/fields';

const FORMATS = Object.keys(RESULT_FORMATS) as BuiltInFormat[];

/** Format and quality of the open image, and its size in each format. A size that is not there yet is made by a click. */
export function FormatPanel({ job }: { readonly job: DoneJob }) {
  const { result, state } = job;
  const cost = costWords('Another size', 1, trial.value?.imagesLeft, facts.imagesPerMinute);
  return (
    <section class="format-panel" aria-label="Format and quality">
      <SelectField
        key={job.id}
        row={OPTIONS.quality}
        value={result.options.quality}
        onValue={(quality) => makeOther(job, { ...result.options, quality })}
      />
      <table>
        <thead>
          <tr>
            <th scope="col">Format</th>
            <th scope="col">Size</th>
            <th scope="col">Saving</th>
          </tr>
        </thead>
        <tbody>
          {FORMATS.map((format) => (
            <FormatRow key={format} job={job} format={format} />
          ))}
        </tbody>
      </table>
      {cost && <p class="hint">{cost}.</p>}
      <p class="trouble" role="alert" hidden={state.kind !== 'failed'}>
        {state.kind === 'failed' && `${state.trouble.title}. ${state.trouble.text}`}
      </p>
    </section>
  );
}

function FormatRow({ job, format }: { readonly job: DoneJob; readonly format: BuiltInFormat }) {
  const { label } = RESULT_FORMATS[format];
  const isOwn = job.format === RESULT_FORMATS[format];
  const made = resultAs(job, format);
  const choose = () =>
    makeOther(job, made?.options ?? { ...job.result.options, ...asked('format', isOwn ? 'same' : format) });
  return (
    <tr>
      <th scope="row">
        <button type="button" aria-pressed={made === job.result} onClick={choose}>
          {label}
          {isOwn && <span class="hint"> as uploaded</span>}
        </button>
      </th>
      <td>{made ? bytesText(made.report.compressedSize) : '–'}</td>
      <td>{made ? savingOf(made) : '–'}</td>
    </tr>
  );
}

/** A result in the format that was made with the other options of the one that is shown. */
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
