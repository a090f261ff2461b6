/** Zoom and pan of the comparison, by buttons, keys and gestures. */
import type { Dimensions } from '../../api/result';
import { followGestures, type Point } from './gestures';
import { heldPanzoom, type HeldPanzoom } from './held-panzoom';

/** One pixel of the image takes 16 on the screen and appears as a square. */
const MAX_SCALE = 16;
const MIN_SCALE = 0.05;
const KEY_STEP = 1.5;
const KEY_PAN_PX = 60;
/** Scale at which a place is shown: a square of 32 pixels takes 128 on the screen. */
const PLACE_SCALE = 4;

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

export interface Watcher {
  /** Called with the scale, 1 = actual size, and whether the view shows the whole image. */
  readonly onScale: (scale: number, isFitted: boolean) => void;
  /** Called with the share of the view, 0..1, that the divider was dragged to. */
  readonly onDivide: (share: number) => void;
  /** Whether a press at this place takes hold of the divider, wherever the image is zoomed to. */
  readonly holdsDivider: (point: Point, isFitted: boolean) => boolean;
  /** Called when the ground around the image was pressed. */
  readonly onGround: () => void;
}

/**
 * @param view shows a part of `stage`, which fills it and holds the image in its middle. Its padding is kept free when the image is fitted.
 * @param image size of the image as laid out, in CSS pixels.
 */
export function zoomAndPan(
  view: HTMLElement,
  stage: HTMLElement,
  image: Dimensions,
  { onScale, onDivide, holdsDivider, onGround }: Watcher,
): ZoomAndPan {
  const fitting = () => fittingScale(view, image);
  let isFitted = true;
  const panzoom = heldPanzoom(view, stage, image, {
    startScale: fitting(),
    minScale: Math.min(fitting(), MIN_SCALE),
    maxScale: MAX_SCALE,
    // Both stages and the frame of the worst spot follow these, so that they never part.
    draw: ({ x, y, scale }) => {
      view.style.setProperty('--scale', String(scale));
      view.style.setProperty('--shift-x', `${x}px`);
      view.style.setProperty('--shift-y', `${y}px`);
      isFitted = scale === fitting();
      onScale(scale, isFitted);
    },
  });
  const commands = commandsOf(panzoom, fitting);
  // A view that shows the whole image goes on doing so when the window changes.
  const resized = new ResizeObserver(() => isFitted && commands.fit());
  resized.observe(view);
  const stopGestures = followGestures(view, {
    dragsDivider: (point) => holdsDivider(point, isFitted),
    onDivide: ({ x }) => onDivide(shareOf(x, view)),
    onPan: panzoom.panBy,
    onZoom: (factor, point) => panzoom.zoom(panzoom.scale() * factor, point),
    onDoubleTap: (point) => {
      if (!isFitted) commands.fit();
      else panzoom.zoom(fitting() < 1 ? 1 : 2, point);
    },
    onTap: (point) => isFitted && !isOnImage(point, view, image, fitting()) && onGround(),
  });
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
      stopGestures();
      panzoom.end();
    },
  };
}

function commandsOf({ scale, zoom, panTo }: HeldPanzoom, fitting: () => number) {
  return {
    zoomIn: () => zoom(scale() * KEY_STEP),
    zoomOut: () => zoom(scale() / KEY_STEP),
    fit: () => {
      zoom(fitting());
      panTo({ x: 0, y: 0 });
    },
    actualSize: () => zoom(1),
  };
}

/** Where a position on the screen lies in the view, 0..1. */
export function shareOf(x: number, view: HTMLElement): number {
  const { left, width } = view.getBoundingClientRect();
  return Math.max(0, Math.min(1, (x - left) / width));
}

/** The scale at which the whole image is seen beside the bars; never more than its own size. */
function fittingScale(view: HTMLElement, image: Dimensions): number {
  const { paddingLeft, paddingTop } = getComputedStyle(view);
  const width = view.clientWidth - 2 * Number.parseFloat(paddingLeft);
  const height = view.clientHeight - 2 * Number.parseFloat(paddingTop);
  return Math.min(1, width / image.width, height / image.height);
}

function isOnImage({ x, y }: Point, view: HTMLElement, image: Dimensions, scale: number): boolean {
  const { left, top, width, height } = view.getBoundingClientRect();
  return (
    Math.abs(x - left - width / 2) <= (image.width * scale) / 2 &&
    Math.abs(y - top - height / 2) <= (image.height * scale) / 2
  );
}

function showPlace(place: Point, panzoom: HeldPanzoom, view: HTMLElement, image: Dimensions): Point {
  const x = place.x / devicePixelRatio - image.width / 2;
  const y = place.y / devicePixelRatio - image.height / 2;
  panzoom.zoom(PLACE_SCALE);
  panzoom.panTo({ x: -x, y: -y });
  const shift = panzoom.shift();
  return {
    x: 0.5 + (PLACE_SCALE * (x + shift.x)) / view.clientWidth,
    y: 0.5 + (PLACE_SCALE * (y + shift.y)) / view.clientHeight,
  };
}

function keyCommand(
  key: string,
  { zoomIn, zoomOut, fit, actualSize }: Pick<ZoomAndPan, 'zoomIn' | 'zoomOut' | 'fit' | 'actualSize'>,
  { panBy }: HeldPanzoom,
): (() => void) | undefined {
  const pan = (x: number, y: number) => () => panBy({ x: x * KEY_PAN_PX, y: y * KEY_PAN_PX });
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
