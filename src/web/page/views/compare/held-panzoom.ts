/** Panzoom that keeps the image in sight: each move ends where the image has not been pushed out of the view. */
import Panzoom from '@panzoom/panzoom';
import type { Dimensions } from '../../api/result';
import type { Point } from './gestures';

/** Stays visible around the image, so that its edge can be seen. */
const MARGIN_PX = 24;

/** The shift of the middle, in pixels of the image, and the scale. */
interface Place extends Point {
  readonly scale: number;
}

export interface HeldPanzoom {
  readonly scale: () => number;
  /** @param around stays where it is on the screen; the middle of the view when absent */
  readonly zoom: (scale: number, around?: Point) => void;
  /** Shifts the image by pixels of the screen. */
  readonly panBy: (by: Point) => void;
  /** Shifts the image to a place, or as near to it as its edges allow. */
  readonly panTo: (at: Point) => void;
  /** Returns the shift of the image, in pixels of the image. */
  readonly shift: () => Point;
  readonly end: () => void;
}

interface Settings {
  readonly startScale: number;
  readonly minScale: number;
  readonly maxScale: number;
  /** Called with the next frame. */
  readonly draw: (place: Place) => void;
}

export function heldPanzoom(
  view: HTMLElement,
  stage: HTMLElement,
  image: Dimensions,
  { draw, ...scales }: Settings,
): HeldPanzoom {
  const panzoom = Panzoom(stage, {
    ...scales,
    noBind: true,
    animate: false,
    setTransform: (_, place: Place) => draw(place),
  });
  // At once, not when it is drawn: the next move may come before the next frame, and starts from here.
  const panTo = (at: Point) => {
    const { x, y } = heldInSight(at, panzoom.getScale(), view, image);
    panzoom.pan(x, y);
  };
  return {
    scale: () => panzoom.getScale(),
    zoom: (scale, around) => {
      if (around) panzoom.zoomToPoint(scale, { clientX: around.x, clientY: around.y });
      else panzoom.zoom(scale);
      panTo(panzoom.getPan());
    },
    panBy: ({ x, y }) => {
      const [at, scale] = [panzoom.getPan(), panzoom.getScale()];
      panTo({ x: at.x + x / scale, y: at.y + y / scale });
    },
    panTo,
    shift: () => panzoom.getPan(),
    end: () => panzoom.destroy(),
  };
}

/** Returns the nearest place at which the image is not pushed out of the view. */
function heldInSight({ x, y }: Point, scale: number, view: HTMLElement, image: Dimensions): Point {
  const { paddingLeft, paddingTop } = getComputedStyle(view);
  const held = (at: number, imagePx: number, viewPx: number, padding: string) => {
    const overhang = (imagePx * scale - viewPx) / 2;
    // Parts below a bar can be moved beside it.
    const margin = MARGIN_PX + Number.parseFloat(padding);
    const most =
      overhang + margin > 0 && imagePx * scale > viewPx - 2 * margin ? (overhang + margin) / scale : 0;
    return Math.max(-most, Math.min(most, at));
  };
  return {
    x: held(x, image.width, view.clientWidth, paddingLeft),
    y: held(y, image.height, view.clientHeight, paddingTop),
  };
}
