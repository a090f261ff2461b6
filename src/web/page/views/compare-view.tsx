import { useSignal, useSignalEffect, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { DoneJob } from '../state/jobs';
import { bytesText } from '../words/format';
import { zoomAndPan, type ZoomAndPan } from './zoom-and-pan';

interface CompareViewProps {
  readonly job: DoneJob;
  /** Told here: 1 = one pixel of the image on one of the screen. */
  readonly scale: Signal<number>;
  readonly control: RefObject<ZoomAndPan | undefined>;
}

/** The original left of the divider, the result right of it, both in the size of the result. */
export function CompareView({ job, scale, control }: CompareViewProps) {
  const view = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const divider = useSignal(50);
  const { dimensions, originalSize, compressedSize } = job.state.report;
  const { width, height } = dimensions;

  useEffect(() => {
    if (!view.current || !stage.current) return;
    const image = { width: width / devicePixelRatio, height: height / devicePixelRatio };
    view.current.style.setProperty('--image-width', `${image.width}px`);
    view.current.style.setProperty('--image-height', `${image.height}px`);
    const made = zoomAndPan(view.current, stage.current, image, (value) => (scale.value = value));
    control.current = made;
    return () => made.end();
  }, [width, height, scale, control]);
  useSignalEffect(() => view.current?.style.setProperty('--divider', `${divider.value}%`));

  const pressKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (control.current?.key(event.key)) event.preventDefault();
  };
  return (
    <>
      <div
        ref={view}
        class={scale.value > 1 ? 'compare-view pixels' : 'compare-view'}
        tabIndex={0}
        role="group"
        aria-label="Images. Arrow keys move, plus and minus zoom, 0 fits, 1 shows actual size."
        onKeyDown={pressKey}
      >
        <div class="side">
          <div class="stage" ref={stage}>
            <img src={job.originalUrl} alt="Before" draggable={false} />
          </div>
        </div>
        <div class="side after">
          <div class="stage">
            <img src={job.state.url} alt="After" draggable={false} />
          </div>
        </div>
        <span class="side-label">Before · {bytesText(originalSize)}</span>
        <span class="side-label after">After · {bytesText(compressedSize)}</span>
        <DividerHandle view={view} divider={divider} />
      </div>
      <input
        class="divider-range"
        type="range"
        min="0"
        max="100"
        step="0.5"
        value={divider}
        aria-label="Divider between before and after"
        aria-valuetext={`${Math.round(divider.value)} percent before`}
        onInput={(event) => (divider.value = event.currentTarget.valueAsNumber)}
      />
    </>
  );
}

interface DividerHandleProps {
  readonly view: { readonly current: HTMLElement | null };
  readonly divider: Signal<number>;
}

/** The line itself, for pointers; the range input below does the same for everybody. */
function DividerHandle({ view, divider }: DividerHandleProps) {
  const move = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    if (!view.current || !handle.hasPointerCapture(event.pointerId)) return;
    const { left, width } = view.current.getBoundingClientRect();
    divider.value = Math.max(0, Math.min(100, ((event.clientX - left) / width) * 100));
  };
  const take = (event: PointerEvent) => {
    // The image below stays where it is.
    event.stopPropagation();
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
  };
  return <div class="divider" aria-hidden="true" onPointerDown={take} onPointerMove={move} />;
}
