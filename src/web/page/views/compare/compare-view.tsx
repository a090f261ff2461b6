import { useEffect, useRef } from 'preact/hooks';
import { bytesText } from '../../../../contract/units';
import type { Report } from '../../api/result';
import { BLOCK_PX } from '../../../../compression/domain/score/difference-map';
import type { DifferenceResponse } from '../../difference/difference.worker';
import { divider, handleSide, isHeld, isMovable, mode, scale, type CompareMode } from '../../state/compared';
import type { DoneJob } from '../../state/jobs';
import type { ZoomedView } from './zoomed-view';

interface CompareViewProps {
  readonly job: DoneJob;
  readonly zoom: ZoomedView;
  readonly measured: DifferenceResponse | undefined;
}

export function CompareView({ job, zoom, measured }: CompareViewProps) {
  const shown = isHeld.value ? 'original' : mode.value;

  useEffect(() => zoom.begin(), [zoom]);
  // So that the keys work at once.
  useEffect(() => zoom.view.focus(), []);
  const style = {
    '--image-width': `${zoom.image.width}px`,
    '--image-height': `${zoom.image.height}px`,
    '--divider': `${divider.value}%`,
  };
  return (
    <>
      <div
        ref={zoom.attach}
        style={style}
        class={['compare-view', shown, scale.value > 1 && 'pixels', isMovable.value && 'movable']
          .filter(Boolean)
          .join(' ')}
        tabIndex={0}
        role="group"
        aria-label="Images. Plus and minus zoom, 0 fits, 1 shows actual size; when zoomed in, arrow keys move."
        onPointerDown={zoom.press}
        onPointerMove={zoom.move}
        onPointerUp={zoom.release}
        onPointerCancel={zoom.release}
        onClick={zoom.tap}
        onDblClick={zoom.tapTwice}
        onWheel={zoom.turnWheel}
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
        {shown === 'split' && (
          <div class={handleSide.value === 'top' ? 'divider top' : 'divider'} aria-hidden="true" />
        )}
      </div>
      <DividerRange isDisabled={mode.value !== 'split'} />
    </>
  );
}

/** The scale of a result that will be shown smaller than it is; undefined for others. */
export function scaleAsShown(density: number | undefined): number | undefined {
  return density === undefined ? undefined : devicePixelRatio / density;
}

interface LabelsProps {
  readonly shown: CompareMode | 'original';
  readonly report: Report;
}

export function Labels({ shown, report }: LabelsProps) {
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
  const style = {
    '--spot-x': `${x / devicePixelRatio}px`,
    '--spot-y': `${y / devicePixelRatio}px`,
    '--spot-size': `${BLOCK_PX / devicePixelRatio}px`,
  };
  return <div style={style} class="spot" data-testid="worst-spot" />;
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
