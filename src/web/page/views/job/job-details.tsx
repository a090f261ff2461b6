import type { ComponentChildren } from 'preact';
import { shownSizeText } from '../../../../contract/report-words';
import { bytesText } from '../../../../contract/units';
import { facts } from '../../api/facts';
import type { DoneJob } from '../../state/jobs';
import { durationText } from '../../words/numbers';
import {
  formatReason,
  largestChangeWords,
  newFormatWords,
  removedWords,
  scalingReason,
  scalingWords,
  sizeText,
} from '../../words/results';

export function JobDetails({ id, job }: { readonly id: string; readonly job: DoneJob }) {
  const { report, metadata, options } = job.result;
  const { maxBytes, quality: asked } = options;
  const target = asked === undefined ? facts.targetScore : facts.qualities[asked];
  const lowered = report.budget !== undefined && Number(report.score) < target ? maxBytes : undefined;
  const { quality, score, dimensions, format, maxError, skipReason } = report;
  const isPalette = format?.label === 'PNG' && skipReason === undefined && maxError === undefined;
  const removed = removedWords(report.removed, metadata);
  return (
    <dl class="details stack hint" id={id}>
      <Fact name="Dimensions" value={`${sizeText(dimensions)} px`}>
        {scalingWords(report) && scalingReason(report, options, facts.maxDimensionPx)}
      </Fact>
      {quality !== undefined && (
        <Fact name="Quality" value={String(quality)}>
          {format?.label ?? 'Encoder'} quality from 1 to 100:{' '}
          {score === '1.0000'
            ? 'that of your file'
            : lowered === undefined
              ? 'the lowest that reaches the score'
              : `the highest that fits ${bytesText(lowered)}`}
          .
        </Fact>
      )}
      {skipReason === undefined && (
        <Fact name="Score" value={score}>
          Similarity to your file, measured on the result. 1 means equal;{' '}
          {lowered === undefined ? 'the aim was' : `to fit ${bytesText(lowered)}, it is below the aim of`}{' '}
          {target}.{' '}
          {report.density !== undefined &&
            `Both were reduced to ${shownSizeText(report.density, dimensions.width)}, before the comparison. `}
          {largestChangeWords(report)}
        </Fact>
      )}
      {isPalette && (
        <Fact name="Colours" value="256 at most">
          The image is stored with a palette.
        </Fact>
      )}
      {newFormatWords(job.format, report) && format && (
        <Fact name="Format" value={format.label}>
          {formatReason(options)}
        </Fact>
      )}
      {removed && (
        <Fact name="Removed" value={removed}>
          The image itself does not need it.
        </Fact>
      )}
      <Timing job={job} />
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly value: string;
  readonly children?: ComponentChildren;
}

function Fact({ name, value, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong class="numbers">{value}</strong> {children}
      </dd>
    </div>
  );
}

function Timing({ job }: { readonly job: DoneJob }) {
  const { timings } = job.result.report;
  if (timings.length === 0) return null;
  const total = timings.reduce((sum, { ms }) => sum + ms, 0);
  const stages = timings.map(({ stage, ms }) => `${stage} ${durationText(ms)}`).join(', ');
  return (
    <Fact name="Time" value={durationText(total)}>
      On the service: {stages}.
    </Fact>
  );
}
