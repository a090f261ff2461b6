import type { ButtonHTMLAttributes } from 'preact';
import { isHeld, isMovable, mode, scale, type CompareMode } from '../../state/compared';
import { doneJobs } from '../../state/jobs';
import { Icon, IconButton, type IconName } from '../parts/icons';
import { scaleAsShown } from './compare-view';
import type { ZoomedView } from './zoomed-view';

interface CompareToolsProps {
  readonly zoom: ZoomedView;
  readonly density: number | undefined;
  readonly onWorst: () => void;
}

export function CompareTools({ zoom, density, onWorst }: CompareToolsProps) {
  const shown = scaleAsShown(density);
  const isAt = (zoomed: number) => isMovable.value && scale.value === zoomed;
  return (
    <div class="compare-tools row">
      <div class="choices" role="group" aria-label="View">
        {MODES.map(([name, text]) => (
          <Tool
            key={name}
            icon={name}
            text={text}
            isPressed={mode.value === name}
            onClick={() => (mode.value = name)}
          />
        ))}
      </div>
      <HoldButton />
      <Tool icon="worst" text="Worst spot" short="Worst" onClick={onWorst} />
      <div class="choices" role="group" aria-label="Zoom">
        <Tool icon="fit" text="Fit" isPressed={!isMovable.value} onClick={() => zoom.fit()} />
        {shown !== undefined && (
          <Tool
            icon="shrink"
            text="As shown"
            short="Shown"
            isPressed={isAt(shown)}
            onClick={() => zoom.zoom(shown)}
          />
        )}
        <Tool icon="actual" text="100%" isPressed={isAt(1)} onClick={() => zoom.zoom(1)} />
      </div>
      <div class="actions zoom-steps">
        <IconButton icon="minus" label="Zoom out" onClick={() => zoom.zoomBy(-1)} />
        <output class="less numbers" aria-label="Zoom level">
          {Math.round(scale.value * 100)}%
        </output>
        <IconButton icon="plus" label="Zoom in" onClick={() => zoom.zoomBy(1)} />
      </div>
    </div>
  );
}

const MODES = [
  ['split', 'Split'],
  ['result', 'Result'],
  ['difference', 'Changes'],
] as const satisfies readonly (readonly [CompareMode, string])[];

interface ToolProps extends ButtonHTMLAttributes {
  readonly icon: IconName;
  readonly text: string;
  readonly short?: string;
  readonly isPressed?: boolean;
}

function Tool({ icon, text, short = text, isPressed, ...more }: ToolProps) {
  return (
    <button class="tool" aria-label={text} title={text} aria-pressed={isPressed} {...more}>
      <Icon name={icon} />
      <span class="wide">{text}</span>
      <span class="short">{short}</span>
    </button>
  );
}

function HoldButton() {
  const hold = (event: PointerEvent) => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    isHeld.value = true;
  };
  const release = () => (isHeld.value = false);
  const isTrigger = ({ key }: KeyboardEvent) => key === ' ' || key === 'Enter';
  return (
    <Tool
      icon="eye"
      text="Hold for original"
      short="Original"
      class={isHeld.value ? 'tool hold held' : 'tool hold'}
      onPointerDown={hold}
      onPointerUp={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => isTrigger(event) && (isHeld.value = true)}
      onKeyUp={release}
      onBlur={release}
    />
  );
}

const SHORTCUTS = [
  ['W', 'worst spot'],
  ['D', 'changes'],
  ['S', 'split'],
  ['R', 'result'],
  ['+ −', 'zoom'],
  ['0', 'fit'],
  ['1', '100%'],
] as const;

export function Shortcuts() {
  const arrows = isMovable.value ? 'move' : doneJobs.value.length > 1 ? 'images' : undefined;
  const shown = [['Space', 'hold: original'], ...(arrows ? [['← →', arrows]] : []), ...SHORTCUTS];
  return (
    <p class="shortcuts muted small">
      {shown.map(([key, text]) => (
        <span key={key}>
          <kbd>{key}</kbd> {text}
        </span>
      ))}
    </p>
  );
}
