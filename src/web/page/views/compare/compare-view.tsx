import { useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { bytesText } from '../../../../contract/units';
import type { Report } from '../../api/result';
import { BLOCK_PX } from '../../../../compression/domain/score/difference-map';
import type { DifferenceResponse } from '../../difference/difference.worker';
import {
  closeComparison,
  divider,
  handleSide,
  isHeld,
  isMovable,
  mode,
  scale,
  type CompareMode,
} from '../../state/compared';
import type { DoneJob } from '../../state/jobs';
import { ZoomedView } from './zoomed-view';

interface CompareViewProps {
  readonly job: DoneJob;
  readonly control: RefObject<ZoomedView | undefined>;
  readonly measured: DifferenceResponse | undefined;
}

/** A press this near to the divider takes hold of it, also where the image is zoomed. */
const HANDLE_PX = 22;

export function CompareView({ job, control, measured }: CompareViewProps) {
  const view = useRef<HTMLDivElement>(null);
  const { dimensions, density } = job.result.report;
  const { width, height } = dimensions;
  const shown = isHeld.value ? 'original' : mode.value;

  useEffect(() => {
    const { current } = view;
    if (!current) return;
    const image = { width: width / devicePixelRatio, height: height / devicePixelRatio };
    current.style.setProperty('--image-width', `${image.width}px`);
    current.style.setProperty('--image-height', `${image.height}px`);
    const made = new ZoomedView(current, image, scaleAsShown(density), {
      onScale: (value, isFitted) => {
        scale.value = value;
        isMovable.value = !isFitted;
      },
      onDivide: (share) => (divider.value = share * 100),
      holdsDivider: (x, isFitted) => {
        const { left, width: across } = current.getBoundingClientRect();
        const isNear = Math.abs(x - left - (across * divider.value) / 100) < HANDLE_PX;
        return mode.value === 'split' && (isFitted || isNear);
      },
      onGround: closeComparison,
    });
    control.current = made;
    return () => made.end();
  }, [job.id, width, height, density, control]);
  // So that the keys work at once.
  useEffect(() => view.current?.focus(), []);
  useSignalEffect(() => view.current?.style.setProperty('--divider', `${divider.value}%`));

  return (
    <>
      <div
        ref={view}
        class={['compare-view', shown, scale.value > 1 && 'pixels', isMovable.value && 'movable']
          .filter(Boolean)
          .join(' ')}
        tabIndex={0}
        role="group"
        aria-label="Images. Plus and minus zoom, 0 fits, 1 shows actual size; when zoomed in, arrow keys move."
      >
        <div class="side before">
          <div class="stage">
            <img key={job.id} src={job.originalUrl} alt="Before" draggable={false} />
          </div>
        </div>
        <div class="side after">
          <div class="stage">
            <img src={job.result.url} alt="After" draggable={false} />
            {measured && shown === 'difference' && <DifferencePicture picture={measured.picture} />}
          </div>
        </div>
        {measured?.worst && <Spot {...measured.worst} />}
        <Labels shown={shown} report={job.result.report} />
        {shown === 'split' && <Divider />}
      </div>
      <DividerRange isDisabled={mode.value !== 'split'} />
    </>
  );
}

/** The scale of a result that will be shown smaller than it is; undefined for others. */
export function scaleAsShown(density: number | undefined): number | undefined {
  return density === undefined ? undefined : devicePixelRatio / density;
}

function Labels({ shown, report }: { readonly shown: CompareMode | 'original'; readonly report: Report }) {
  return (
    <>
      {['split', 'original'].includes(shown) && (
        <span class="side-label small numbers">Before · {bytesText(report.originalSize)}</span>
      )}
      {['split', 'result'].includes(shown) && (
        <span class="side-label after small numbers">After · {bytesText(report.compressedSize)}</span>
      )}
      {shown === 'difference' && (
        <span class="side-label after small numbers">Differences, amplified 10×</span>
      )}
    </>
  );
}

/** Drawn by hand: bitmaps have no address that an image element could load. */
function DifferencePicture({ picture }: { readonly picture: ImageBitmap }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => canvas.current?.getContext('2d')?.drawImage(picture, 0, 0), [picture]);
  return (
    <canvas ref={canvas} width={picture.width} height={picture.height} role="img" aria-label="Differences" />
  );
}

function Spot({ x, y }: { readonly x: number; readonly y: number }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    frame.current?.style.setProperty('--spot-x', `${x / devicePixelRatio}px`);
    frame.current?.style.setProperty('--spot-y', `${y / devicePixelRatio}px`);
    frame.current?.style.setProperty('--spot-size', `${BLOCK_PX / devicePixelRatio}px`);
  }, [x, y]);
  return <div ref={frame} class="spot" data-testid="worst-spot" />;
}

function Divider() {
  return <div class={handleSide.value === 'top' ? 'divider top' : 'divider'} aria-hidden="true" />;
}

export function DividerRange({ isDisabled = false }: { readonly isDisabled?: boolean }) {
  return (
    <input
      class="divider-range visually-hidden"
      type="range"
      min="0"
      max="100"
      step="0.5"
      value={divider}
      disabled={isDisabled}
      aria-label="Divider between before and after"
      aria-valuetext={`${Math.round(divider.value)} percent before`}
      onInput={(event) => (divider.value = event.currentTarget.valueAsNumber)}
    />
  );
}
