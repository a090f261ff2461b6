/** Zoom and pan of the comparison: the gestures are Panzoom's, the bounds and the keys are ours. */
import Panzoom, { type PanzoomObject } from '@panzoom/panzoom';
import type { Dimensions } from '../api/result';

/** Sixteen screen pixels for one of the image: single pixels are seen as squares. */
const MAX_SCALE = 16;
const KEY_STEP = 1.5;
const KEY_PAN_PX = 60;
/** A little of the surroundings stays in sight, so that one sees where the image ends. */
const MARGIN_PX = 24;
/** Of a place that is shown: a square of 32 pixels takes 128 on the screen. */
const PLACE_SCALE = 4;

/** What Panzoom draws: the shift of the middle in pixels of the image. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface ZoomAndPan {
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  /** The whole image, or its own size when it is smaller than the view. */
  readonly fit: () => void;
  /** One pixel of the image on one of the screen. */
  readonly actualSize: () => void;
  /**
   * Brings a place in the image to the middle as far as its edges allow, large enough to see single pixels.
   * @param place in pixels of the image
   * @returns where it is then, as shares of the view, 0..1
   */
  readonly show: (place: Point) => Point;
  /** Whether the key meant something here. Arrow keys do only when the image is larger than the view. */
  readonly key: (key: string) => boolean;
  readonly end: () => void;
}

/**
 * @param view shows a part of `stage`, which fills it and holds the image in its middle.
 * @param image size of the image as laid out, in CSS pixels.
 * @param onScale called with the scale, 1 = actual size, and whether the view shows the whole image.
 */
export function zoomAndPan(
  view: HTMLElement,
  stage: HTMLElement,
  image: Dimensions,
  onScale: (scale: number, isFitted: boolean) => void,
): ZoomAndPan {
  const fitting = () => Math.min(1, view.clientWidth / image.width, view.clientHeight / image.height);
  const panzoom = Panzoom(stage, {
    canvas: true,
    cursor: 'grab',
    animate: false,
    step: 0.4,
    startScale: fitting(),
    minScale: Math.min(fitting(), 0.05),
    maxScale: MAX_SCALE,
    pinchAndPan: true,
    // Both stages follow these, so that they never part.
    setTransform: (_, { x, y, scale }: Place) => {
      const held = heldInSight({ x, y, scale }, view, image);
      view.style.setProperty('--transform', `scale(${scale}) translate(${held.x}px, ${held.y}px)`);
      if (held.x !== x || held.y !== y) panzoom.pan(held.x, held.y);
      isFitted = scale === fitting();
      onScale(scale, isFitted);
    },
  });
  // A view that shows the whole image goes on doing so when the window changes.
  let isFitted = true;
  const resized = new ResizeObserver(() => isFitted && commands.fit());
  resized.observe(view);
  const wheel = (event: WheelEvent) => void panzoom.zoomWithWheel(event);
  view.addEventListener('wheel', wheel, { passive: false });

  const zoomBy = (factor: number) => void panzoom.zoom(panzoom.getScale() * factor);
  const commands = {
    zoomIn: () => zoomBy(KEY_STEP),
    zoomOut: () => zoomBy(1 / KEY_STEP),
    fit: () => {
      panzoom.zoom(fitting());
      panzoom.pan(0, 0);
    },
    actualSize: () => void panzoom.zoom(1),
  };
  return {
    ...commands,
    show: (place) => showPlace(place, panzoom, view, image),
    key: (key) => {
      if (isFitted && key.startsWith('Arrow')) return false;
      const command = keyCommand(key, commands, panzoom);
      command?.();
      return command !== undefined;
    },
    end: () => {
      resized.disconnect();
      view.removeEventListener('wheel', wheel);
      panzoom.destroy();
    },
  };
}

function showPlace(place: Point, panzoom: PanzoomObject, view: HTMLElement, image: Dimensions): Point {
  const x = place.x / devicePixelRatio - image.width / 2;
  const y = place.y / devicePixelRatio - image.height / 2;
  panzoom.zoom(PLACE_SCALE);
  panzoom.pan(-x, -y);
  // Panzoom draws with the next frame, which holds the image in sight.
  const pan = heldInSight({ x: -x, y: -y, scale: PLACE_SCALE }, view, image);
  return {
    x: 0.5 + (PLACE_SCALE * (x + pan.x)) / view.clientWidth,
    y: 0.5 + (PLACE_SCALE * (y + pan.y)) / view.clientHeight,
  };
}

function keyCommand(
  key: string,
  { zoomIn, zoomOut, fit, actualSize }: Pick<ZoomAndPan, 'zoomIn' | 'zoomOut' | 'fit' | 'actualSize'>,
  panzoom: PanzoomObject,
): (() => void) | undefined {
  const pan = (x: number, y: number) => () => {
    const step = KEY_PAN_PX / panzoom.getScale();
    panzoom.pan(x * step, y * step, { relative: true });
  };
  const commands = new Map([
    ['+', zoomIn],
    ['=', zoomIn],
    ['-', zoomOut],
    ['0', fit],
    ['1', actualSize],
    // The view moves, so the image goes the other way.
    ['ArrowLeft', pan(1, 0)],
    ['ArrowRight', pan(-1, 0)],
    ['ArrowUp', pan(0, 1)],
    ['ArrowDown', pan(0, -1)],
  ]);
  return commands.get(key);
}

/** The place nearest to the one asked for at which the image has not been pushed out of the view. */
function heldInSight({ x, y, scale }: Place, view: HTMLElement, image: Dimensions): { x: number; y: number } {
  const held = (at: number, imagePx: number, viewPx: number) => {
    const overhang = (imagePx * scale - viewPx) / 2;
    const most = overhang > 0 ? (overhang + MARGIN_PX) / scale : 0;
    return Math.max(-most, Math.min(most, at));
  };
  return { x: held(x, image.width, view.clientWidth), y: held(y, image.height, view.clientHeight) };
}
