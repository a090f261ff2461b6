import type { DoneJob } from '../state/jobs';
import { bytesText, durationText } from '../words/format';
import { dimensionsWords, savingWords } from '../words/report-words';
import { skipWords } from '../words/skip-words';

/** What became of an image: sizes, saving, and how it was reached. */
export function JobReport({ job }: { readonly job: DoneJob }) {
  const { report } = job.state;
  const isSkipped = report.skipReason !== undefined;
  return (
    <>
      <p class="size">
        {bytesText(report.originalSize)}
        {!isSkipped && (
          <>
            <span aria-hidden="true"> → </span>
            <span class="visually-hidden"> before, now </span>
            <strong>{bytesText(report.compressedSize)}</strong>
          </>
        )}
        <span class={report.bytesSaved > 0 ? 'saving' : 'saving none'}>{savingWords(report)}</span>
      </p>
      {report.skipReason !== undefined && <p class="hint">{skipWords(report.skipReason)}</p>}
      <dl class="facts">
        {report.quality !== undefined && <Fact name="Quality" value={String(report.quality)} />}
        <Fact name="Score" value={report.score} />
        <Fact name="Size" value={dimensionsWords(report)} />
      </dl>
      <Timings job={job} />
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Timings({ job }: { readonly job: DoneJob }) {
  const { timings } = job.state.report;
  const total = timings.reduce((sum, { ms }) => sum + ms, 0);
  if (timings.length === 0) return null;
  return (
    <details class="timings">
      <summary>Took {durationText(total)}</summary>
      <dl class="facts">
        {timings.map(({ stage, ms }) => (
          <Fact key={stage} name={stage} value={durationText(ms)} />
        ))}
      </dl>
    </details>
  );
}
