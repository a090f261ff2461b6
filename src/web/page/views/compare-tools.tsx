import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { mode, type CompareMode } from '../state/compared';
import { doneJobs } from '../state/jobs';
import type { ZoomAndPan } from './zoom-and-pan';

interface CompareToolsProps {
  readonly scale: Signal<number>;
  readonly control: RefObject<ZoomAndPan | undefined>;
  readonly isHeld: Signal<boolean>;
  readonly onDifference: () => void;
  readonly onWorst: () => void;
}

export function CompareTools({ scale, control, isHeld, onDifference, onWorst }: CompareToolsProps) {
  const choose = (chosen: CompareMode) => () => {
    if (chosen === mode.value) return;
    if (chosen === 'difference') onDifference();
    else mode.value = chosen;
  };
  return (
    <div class="compare-tools">
      <div class="choices" role="group" aria-label="View">
        {MODES.map(([name, text]) => (
          <button key={name} type="button" aria-pressed={mode.value === name} onClick={choose(name)}>
            {text}
          </button>
        ))}
      </div>
      <HoldButton isHeld={isHeld} />
      <button type="button" onClick={onWorst}>
        Worst spot
      </button>
      <div class="actions" role="group" aria-label="Zoom">
        <button
          type="button"
          class="icon-only"
          aria-label="Zoom out"
          onClick={() => control.current?.zoomOut()}
        >
          −
        </button>
        <output aria-label="Zoom level">{Math.round(scale.value * 100)} %</output>
        <button
          type="button"
          class="icon-only"
          aria-label="Zoom in"
          onClick={() => control.current?.zoomIn()}
        >
          +
        </button>
        <button type="button" onClick={() => control.current?.fit()}>
          Fit
        </button>
        <button type="button" onClick={() => control.current?.actualSize()}>
          100 %
        </button>
      </div>
    </div>
  );
}

const MODES = [
  ['split', 'Split'],
  ['result', 'Result'],
  ['difference', 'Difference'],
] as const satisfies readonly (readonly [CompareMode, string])[];

/** Shows the original as long as it is held, by pointer or key. */
function HoldButton({ isHeld }: { readonly isHeld: Signal<boolean> }) {
  const hold = (event: PointerEvent) => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    isHeld.value = true;
  };
  const release = () => (isHeld.value = false);
  const isTrigger = ({ key }: KeyboardEvent) => key === ' ' || key === 'Enter';
  return (
    <button
      type="button"
      class={isHeld.value ? 'hold held' : 'hold'}
      onPointerDown={hold}
      onPointerUp={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => isTrigger(event) && (isHeld.value = true)}
      onKeyUp={release}
      onBlur={release}
    >
      Hold for original
    </button>
  );
}

const SHORTCUTS = [
  ['W', 'worst spot'],
  ['D', 'difference'],
  ['S', 'split'],
  ['R', 'result'],
  ['+ −', 'zoom'],
  ['0', 'fit'],
  ['1', '100 %'],
] as const;

interface ShortcutsProps {
  /** Whether arrow keys move the image. */
  readonly isMovable: boolean;
}

export function Shortcuts({ isMovable }: ShortcutsProps) {
  const arrows = isMovable ? 'move' : doneJobs.value.length > 1 ? 'images' : undefined;
  const shown = [['Space', 'hold: original'], ...(arrows ? [['← →', arrows]] : []), ...SHORTCUTS];
  return (
    <p class="shortcuts">
      {shown.map(([key, text]) => (
        <span key={key}>
          <kbd>{key}</kbd> {text}
        </span>
      ))}
    </p>
  );
}
