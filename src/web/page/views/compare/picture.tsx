import { useRef } from 'preact/hooks';
import { divider } from '../../state/compared';
import type { Comparable } from '../../state/jobs';
import { DividerRange, Labels } from './compare-view';
import { IconButton } from '../parts/icons';
import { measureShare, TAP_PX } from './zoomed-view';

interface PictureProps {
  readonly image: Comparable;
  /** Whether the comparison lies on top, which shows the same. */
  readonly isCovered?: boolean;
  readonly onOpen: () => void;
}

export function Picture({ image, isCovered = false, onOpen }: PictureProps) {
  const { report, url } = image.result;
  const { dimensions, density = devicePixelRatio } = report;
  const { width, height } = dimensions;
  const style = {
    '--ratio': String(width / height),
    '--width': `${width / density}px`,
    '--divider': `${divider.value}%`,
  };
  const drag = useDividerDrag(onOpen);
  return (
    <figure class="picture-frame" style={style}>
      <div class="picture" {...drag}>
        {!isCovered && (
          <>
            <img class="before" src={image.originalUrl} alt="Before" draggable={false} />
            <img class="after" src={url} alt="After" draggable={false} />
            <div class="divider" aria-hidden="true" />
          </>
        )}
        <Labels shown="split" report={report} />
      </div>
      {!isCovered && <DividerRange />}
      <IconButton icon="fit" label="Full screen" class="expand" onClick={onOpen} />
    </figure>
  );
}

function useDividerDrag(onTap: () => void) {
  const pressed = useRef<number | undefined>(undefined);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      pressed.current = event.clientX;
    },
    onPointerMove: (event: PointerEvent) => {
      const view = event.currentTarget as HTMLElement;
      if (!view.hasPointerCapture(event.pointerId)) return;
      if (pressed.current !== undefined && Math.abs(event.clientX - pressed.current) <= TAP_PX) return;
      pressed.current = undefined;
      divider.value = measureShare(event.clientX, view) * 100;
    },
    onPointerCancel: () => (pressed.current = undefined),
    onClick: () => {
      if (pressed.current !== undefined) onTap();
    },
  };
}
