import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { BLOCK_PX } from '../../../../compression/domain/score/difference-map';
import type { DifferenceResponse } from '../../difference/difference.worker';
import { measureDifference } from '../../difference/measure-difference';
import {
  closeComparison,
  compared,
  compareOther,
  divider,
  handleSide,
  isHeld,
  mode,
  comparedNumber,
  scale,
} from '../../state/compared';
import { type DoneJob, doneJobs, hasEnded } from '../../state/jobs';
import { worstWords, looksWords, savingParts } from '../../words/results';
import { Dialog } from '../parts/dialog';
import { LIST_TITLE } from '../parts/focus';
import { CompareTools, Shortcuts } from './compare-tools';
import { CompareView, scaleAsShown } from './compare-view';
import { ZoomedView } from './zoomed-view';
import { facts } from '../../api/facts';
import { ProgressWords } from '../job/job-progress';
import { DownloadLink } from '../parts/downloads';
import { FileName } from '../parts/text';
import { IconButton } from '../parts/icons';

/** Keys that show the original as long as they are pressed. */
const HOLD_KEYS: ReadonlySet<string> = new Set([' ', 'b']);

const COMMANDS: readonly (readonly [string, () => void])[] = [
  ['ArrowLeft', () => compareOther(-1)],
  ['ArrowRight', () => compareOther(1)],
  ['s', () => (mode.value = 'split')],
  ['r', () => (mode.value = 'result')],
  ['d', () => (mode.value = mode.value === 'difference' ? 'split' : 'difference')],
];

export function CompareDialog() {
  return (
    compared.value && (
      <Dialog class="compare" titleId="compare-title" fallbackId={LIST_TITLE} onClose={closeComparison}>
        <Comparison job={compared.value} />
      </Dialog>
    )
  );
}

function Comparison({ job }: { readonly job: DoneJob }) {
  const { dimensions, density } = job.result.report;
  const { width, height } = dimensions;
  const zoom = useMemo(
    () => new ZoomedView(dimensions, scaleAsShown(density)),
    [job.id, width, height, density],
  );
  const difference = useDifference(job);
  const { measured, note } = difference;
  useEffect(() => () => void (isHeld.value = false), []);

  const jumpToWorst = async () => {
    const worst = (await difference.measure())?.worst;
    const place = worst && zoom.show({ x: worst.x + BLOCK_PX / 2, y: worst.y + BLOCK_PX / 2 });
    if (!place) return;
    // The frame shows both: before in its left half, after in its right half.
    divider.value = place.x * 100;
    handleSide.value = place.y > 0.5 ? 'top' : 'bottom';
  };
  const commands = new Map([...COMMANDS, ['w', () => void jumpToWorst()]]);
  const pressKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isOperated(event)) return;
    const command = zoom.command(event.key) ?? commands.get(event.key);
    if (HOLD_KEYS.has(event.key)) isHeld.value = true;
    command?.();
    if (command || isHeld.value) event.preventDefault();
  };
  return (
    <div
      class="comparison"
      onKeyDown={pressKey}
      onKeyUp={({ key }) => HOLD_KEYS.has(key) && (isHeld.value = false)}
    >
      <CompareHead job={job} note={note.value} />
      <CompareView job={job} zoom={zoom} measured={measured.value} />
      <div class="compare-bar compare-foot row">
        <CompareTools zoom={zoom} density={density} onWorst={() => void jumpToWorst()} />
        <Shortcuts />
      </div>
    </div>
  );
}

function isOperated({ target, key }: KeyboardEvent) {
  if (target instanceof HTMLInputElement) return key.startsWith('Arrow');
  return key === ' ' && (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement);
}

/** Computed once, when it is first shown or asked for. */
function useDifference({ id, file, result }: DoneJob) {
  const measured = useSignal<DifferenceResponse | undefined>(undefined);
  const note = useSignal<string | undefined>(undefined);
  const running = useRef<Promise<DifferenceResponse | undefined> | undefined>(undefined);
  useEffect(() => {
    measured.value = note.value = running.current = undefined;
    return () => measured.peek()?.picture.close();
  }, [id, result, measured, note]);
  const measure = async () => {
    if (!measured.value) note.value = 'Looking for differences …';
    const { width, height } = result.report.dimensions;
    const promise = (running.current ??= measureDifference({
      before: file,
      after: result.blob,
      width,
      height,
    }));
    const response = await promise;
    // Another image may have been opened meanwhile.
    if (running.current !== promise) return undefined;
    measured.value = response;
    note.value = response ? worstWords(response.worst) : 'This browser cannot compare these images.';
    return response;
  };
  useEffect(() => {
    if (mode.value === 'difference') void measure();
  }, [id, result, mode.value]);
  return { measured, note, measure };
}

/** Fitted images are rarely exactly as large as promised. */
const ROUNDING = 1.01;

interface CompareHeadProps {
  readonly job: DoneJob;
  readonly note: string | undefined;
}

function CompareHead({ job, note }: CompareHeadProps) {
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
        <IconButton icon="remove" label="Close" onClick={closeComparison} />
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
