import { facts } from '../../api/facts';
import { comparedNumber, compareOther, scale } from '../../state/compared';
import { doneJobs, hasEnded, type DoneJob } from '../../state/jobs';
import { looksWords, savingParts } from '../../words/results';
import { ProgressWords } from '../job/job-progress';
import { DownloadLink } from '../parts/downloads';
import { FileName } from '../parts/text';
import { IconButton } from '../parts/icons';
import { scaleAsShown } from './compare-view';

/** Fitted images are rarely exactly as large as promised. */
const ROUNDING = 1.01;

interface CompareHeadProps {
  readonly job: DoneJob;
  readonly note: string | undefined;
  readonly onClose: () => void;
}

export function CompareHead({ job, note, onClose }: CompareHeadProps) {
  const { file, result } = job;
  const { number, text, isCostly } = savingParts(result.report, result.options, facts.maxDimensionPx);
  const saving = number ? `${number} ${text}` : text;
  const words = isCostly ? saving : `${saving}\u00a0· ${looksWords(result.report, facts.qualities)}`;
  const isTooLarge = scale.value > (scaleAsShown(result.report.density) ?? Infinity) * ROUNDING;
  return (
    <header class="compare-bar compare-head row">
      {doneJobs.value.length > 1 && <OtherImages />}
      <div class={note || !hasEnded(job) ? 'compare-title grow noted' : 'compare-title grow'}>
        <h2 id="compare-title" class="less" aria-label={file.name} title={file.name}>
          <FileName name={file.name} />
        </h2>
        <p class="compare-words clipped small" role="status">
          {!hasEnded(job) ? <ProgressWords job={job} /> : (note ?? words)}
          {isTooLarge && '\u00a0· What you see now is larger than promised'}
        </p>
      </div>
      <div class="actions tight">
        <DownloadLink job={job} />
        <IconButton icon="remove" label="Close" onClick={onClose} />
      </div>
    </header>
  );
}

function OtherImages() {
  return (
    <div class="actions tight compare-others">
      <IconButton icon="previous" label="Previous image" onClick={() => compareOther(-1)} />
      <span class="compare-number less numbers">
        {comparedNumber} of {doneJobs.value.length}
      </span>
      <IconButton icon="next" label="Next image" onClick={() => compareOther(1)} />
    </div>
  );
}
