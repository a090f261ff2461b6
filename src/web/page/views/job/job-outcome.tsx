import { bytesText } from '../../../../contract/units';
import { facts } from '../../api/facts';
import type { DoneJob } from '../../state/jobs';
import {
  budgetWords,
  trailingDataWords,
  looksWords,
  newFormatWords,
  savingParts,
  scalingLine,
  skipWords,
} from '../../words/results';

export function JobOutcome({ job }: { readonly job: DoneJob }) {
  const { report, options } = job.result;
  const budget = budgetWords(report, options.maxBytes);
  const { originalSize, compressedSize, skipReason, removed } = report;
  if (skipReason !== undefined) {
    return (
      <p class="outcome muted small numbers">
        <span>{bytesText(originalSize)}</span>
        <span>{skipWords(skipReason)}</span>
        {budget && <span>{budget}</span>}
      </p>
    );
  }
  const newFormat = newFormatWords(job.format, report);
  const scaling = scalingLine(report, options, facts.maxDimensionPx);
  const { isCostly } = savingParts(report, options, facts.maxDimensionPx);
  return (
    <p class="outcome muted small numbers">
      <span>
        {bytesText(originalSize)}
        <span aria-hidden="true"> → </span>
        <span class="visually-hidden"> before, now </span>
        <strong>{bytesText(compressedSize)}</strong>
      </span>
      {scaling && <span>{scaling}</span>}
      {budget && !(isCostly && report.budget === 'met') && <span>{budget}</span>}
      {!isCostly && <span>{looksWords(report, facts.qualities)}</span>}
      {report.partial && <span>Stopped at the time limit; try again for a smaller file</span>}
      {newFormat && <span>{newFormat}</span>}
      {removed.length > 0 && <span>without {removed.map(trailingDataWords).join(' and ')}</span>}
    </p>
  );
}

export function Saving({ job: { result } }: { readonly job: DoneJob }) {
  const { number, text, isCostly } = savingParts(result.report, result.options, facts.maxDimensionPx);
  return (
    <p class={isCostly ? 'saving small costly' : 'saving small muted'}>
      {number && <strong class="numbers">{number}</strong>} {text}
    </p>
  );
}
