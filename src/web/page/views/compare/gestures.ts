/** Drag, pinch, double tap and wheel over the comparison, by mouse, finger or pen. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Gestures {
  /** Whether a press at this place moves the divider; otherwise it moves the image. */
  readonly dragsDivider: (point: Point) => boolean;
  readonly onDivide: (point: Point) => void;
  /** Called with the distance that the image has to move. */
  readonly onPan: (by: Point) => void;
  readonly onZoom: (factor: number, around: Point) => void;
  readonly onTap: (point: Point) => void;
  readonly onDoubleTap: (point: Point) => void;
}

/** A press that moves no further than this is a tap. */
export const TAP_PX = 6;
const DOUBLE_TAP_MS = 350;
const DOUBLE_TAP_PX = 30;
/** One notch of a mouse wheel is 100 to 120 pixels: about a fifth larger or smaller. */
const WHEEL_PACE = 0.0018;
/** Pinching on a touch pad arrives as a wheel with Ctrl, in small steps. */
const PAD_PACE = 0.01;
/** Height of a line, for wheels that count lines. */
const LINE_PX = 33;

/** @returns the function that stops it */
export function followGestures(view: HTMLElement, gestures: Gestures): () => void {
  const ended = new AbortController();
  const pointers = new Map<number, Point>();
  let isDividing = false;
  /** Where the only pointer went down; undefined once it has moved, or after a second one. */
  let pressed: Point | undefined;
  let tapped: (Point & { readonly at: number }) | undefined;

  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    view.setPointerCapture(event.pointerId);
    const point = { x: event.clientX, y: event.clientY };
    pointers.set(event.pointerId, point);
    pressed = pointers.size === 1 ? point : undefined;
    isDividing = pointers.size === 1 && gestures.dragsDivider(point);
  };
  const move = (event: PointerEvent) => {
    const from = pointers.get(event.pointerId);
    if (!from) return;
    const to = { x: event.clientX, y: event.clientY };
    if (pressed && distance(pressed, to) <= TAP_PX) return;
    pressed = undefined;
    const before = spread(pointers);
    pointers.set(event.pointerId, to);
    const after = spread(pointers);
    if (isDividing) return gestures.onDivide(to);
    gestures.onPan({ x: after.x - before.x, y: after.y - before.y });
    if (before.apart > 0) gestures.onZoom(after.apart / before.apart, after);
  };
  const up = (event: PointerEvent) => {
    const point = pointers.get(event.pointerId);
    if (!pointers.delete(event.pointerId)) return;
    isDividing = false;
    if (!point || !pressed || event.type === 'pointercancel') return;
    const isSecond =
      tapped && event.timeStamp - tapped.at < DOUBLE_TAP_MS && distance(tapped, point) < DOUBLE_TAP_PX;
    tapped = isSecond ? undefined : { ...point, at: event.timeStamp };
    if (isSecond) gestures.onDoubleTap(point);
    else gestures.onTap(point);
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * LINE_PX;
    const pace = event.ctrlKey ? PAD_PACE : WHEEL_PACE;
    gestures.onZoom(Math.exp(-pixels * pace), { x: event.clientX, y: event.clientY });
  };
  const options = { signal: ended.signal };
  view.addEventListener('pointerdown', down, options);
  view.addEventListener('pointermove', move, options);
  view.addEventListener('pointerup', up, options);
  view.addEventListener('pointercancel', up, options);
  view.addEventListener('wheel', wheel, { ...options, passive: false });
  return () => ended.abort();
}

/** The middle of the pointers, and the sum of their distances from it; 0 for a single one. */
function spread(pointers: ReadonlyMap<number, Point>): Point & { readonly apart: number } {
  const points = [...pointers.values()];
  const middle = {
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  };
  return { ...middle, apart: points.reduce((sum, point) => sum + distance(point, middle), 0) };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
