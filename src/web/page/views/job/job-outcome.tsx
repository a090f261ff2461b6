import type { ComponentChildren } from 'preact';
import { RESULT_FORMATS } from '../../../../contract/formats';
import { bytesText } from '../../../../contract/units';
import type { FormatChoice } from '../../../page-facts';
import { facts } from '../../api/facts';
import { makeAgain } from '../../state/again';
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
  const { report, options } = job.result;
  const budget = budgetWords(report, options.maxBytes);
  const { originalSize, compressedSize, skipReason, removed } = report;
  if (skipReason !== undefined) {
    return (
      <p class="outcome muted small numbers">
        <span>{bytesText(originalSize)}</span>
        <span>{skipWords(skipReason)}</span>
        {budget && <span>{budget}</span>}
        <AsJpeg job={job} />
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
      {newFormat && <span>{newFormat}</span>}
      {removed.length > 0 && <span>without {removed.map(companionWords).join(' and ')}</span>}
      {isCostly && options.format !== 'auto' && (
        <Other job={job} format="auto">
          Try another format
        </Other>
      )}
      <AsJpeg job={job} />
    </p>
  );
}

/** Offers a photo that is stored as PNG as JPG. */
function AsJpeg({ job }: { readonly job: DoneJob }) {
  const { jpegEstimate, compressedSize } = job.result.report;
  if (jpegEstimate === undefined || jpegEstimate >= compressedSize) return null;
  return (
    <Other job={job} format="jpeg">
      Make it a {RESULT_FORMATS.jpeg.label}, {bytesText(jpegEstimate)}
    </Other>
  );
}

interface OtherProps {
  readonly job: DoneJob;
  readonly format: FormatChoice;
  readonly children: ComponentChildren;
}

/** Makes this image in another format. */
function Other({ job, format, children }: OtherProps) {
  return (
    <span>
      <button class="link" onClick={() => makeAgain(job, { ...job.result.options, format })}>
        {children}
        <span class="visually-hidden">: {job.file.name}</span>
      </button>
    </span>
  );
}

/** The largest number of the row. */
export function Saving({ job: { result } }: { readonly job: DoneJob }) {
  const { number, text, isCostly } = savingParts(result.report, result.options, facts.maxDimensionPx);
  return (
    <p class={isCostly ? 'saving small costly' : 'saving small muted'}>
      {number && <strong class="numbers">{number}</strong>} {text}
    </p>
  );
}
