import { bytesText } from '../../../../contract/units';
import { facts } from '../../api/facts';
import type { Report } from '../../api/result';
import type { DoneJob } from '../../state/jobs';
import {
  budgetWords,
  companionWords,
  looksWords,
  newFormatWords,
  savingParts,
  scalingLine,
  skipWords,
} from '../../words/results';

/** The line below the name: sizes, whether it was scaled, and how the result compares. */
export function JobOutcome({ job }: { readonly job: DoneJob }) {
  const { report } = job.state;
  const budget = budgetWords(report, job.options.maxBytes);
  const { originalSize, compressedSize, skipReason, removed } = report;
  if (skipReason !== undefined) {
    return (
      <p class="outcome">
        <span>{bytesText(originalSize)}</span>
        <span>{skipWords(skipReason)}</span>
        {budget && <span>{budget}</span>}
      </p>
    );
  }
  const newFormat = newFormatWords(job.format, report);
  const scaling = scalingLine(report, job.options, facts.maxDimensionPx);
  return (
    <p class="outcome">
      <span>
        {bytesText(originalSize)}
        <span aria-hidden="true"> → </span>
        <span class="visually-hidden"> before, now </span>
        <strong>{bytesText(compressedSize)}</strong>
      </span>
      {scaling && <span>{scaling}</span>}
      {budget && <span>{budget}</span>}
      <span>{looksWords(report, facts.qualities)}</span>
      {newFormat && <span>{newFormat}</span>}
      {removed.length > 0 && <span>without {removed.map(companionWords).join(' and ')}</span>}
    </p>
  );
}

/** The largest number of the row. */
export function Saving({ report }: { readonly report: Report }) {
  const { number, text } = savingParts(report);
  return (
    <p class={number ? 'saving' : 'saving none'}>
      {number && <strong>{number}</strong>} {text}
    </p>
  );
}
