import type { Dimensions } from '../../api/result';
import { closeComparison, divider, isMovable, mode, scale } from '../../state/compared';

export interface Point {
  readonly x: number;
  readonly y: number;
}

const ORIGIN: Point = { x: 0, y: 0 };
/** One pixel of the image takes 16 on the screen and appears as a square. */
const MAX_SCALE = 16;
const MIN_SCALE = 0.05;
const KEY_STEP = 1.5;
const KEY_PAN_PX = 60;
/** Scale at which a place is shown: a square of 32 pixels takes 128 on the screen. */
const PLACE_SCALE = 4;
/** Stays visible around the image, so that its edge can be seen. */
const MARGIN_PX = 24;
/** A press this near to the divider takes hold of it, also where the image is zoomed. */
const HANDLE_PX = 22;
/** A press that moves no further than this is a tap. */
export const TAP_PX = 6;
/** One notch of a mouse wheel is 100 to 120 pixels: about a fifth larger or smaller. */
const WHEEL_PACE = 0.0018;
/** Pinching on a touch pad arrives as a wheel with Ctrl, in small steps. */
const PAD_PACE = 0.01;
const LINE_PX = 33;

export function measureShare(x: number, view: HTMLElement): number {
  const { left, width } = view.getBoundingClientRect();
  return Math.max(0, Math.min(1, (x - left) / width));
}

export class ZoomedView {
  view!: HTMLElement;
  readonly image: Dimensions;
  /** From the middle of the view to that of the image, in pixels of the screen. */
  private shift = ORIGIN;
  private readonly pointers = new Map<number, Point>();
  /** Where the only pointer went down; undefined once it has moved, or after a second one. */
  private pressed: Point | undefined;
  private isDividing = false;

  /** @param startScale undefined shows the whole image */
  constructor(
    { width, height }: Dimensions,
    private readonly startScale: number | undefined,
  ) {
    this.image = { width: width / devicePixelRatio, height: height / devicePixelRatio };
  }

  /** The ref of the element. */
  readonly attach = (view: HTMLElement | null) => {
    if (view) this.view = view;
  };

  /** Returns how to end it. The view gets --scale, --shift-x and --shift-y. */
  begin() {
    isMovable.value = this.startScale !== undefined;
    scale.value = this.startScale ?? this.fittingScale();
    const resized = new ResizeObserver(() => this.zoom(isMovable.value ? scale.value : this.fittingScale()));
    resized.observe(this.view);
    return () => resized.disconnect();
  }

  /** Small images keep their own size. */
  fit() {
    this.zoom(this.fittingScale());
  }

  zoom(to: number, around?: Point) {
    const wanted = Math.max(Math.min(MIN_SCALE, this.fittingScale()), Math.min(MAX_SCALE, to));
    const { x, y } = around ? this.fromMiddle(around) : ORIGIN;
    const factor = wanted / scale.value;
    scale.value = wanted;
    this.panTo({ x: x - (x - this.shift.x) * factor, y: y - (y - this.shift.y) * factor });
  }

  zoomBy(steps: 1 | -1) {
    this.zoom(scale.value * KEY_STEP ** steps);
  }

  /** Moves a place of the image to the middle of the view; returns where it is then, as shares of the view. */
  show(place: Point): Point {
    scale.value = PLACE_SCALE;
    const x = (place.x / devicePixelRatio - this.image.width / 2) * scale.value;
    const y = (place.y / devicePixelRatio - this.image.height / 2) * scale.value;
    this.panTo({ x: -x, y: -y });
    return {
      x: 0.5 + (x + this.shift.x) / this.view.clientWidth,
      y: 0.5 + (y + this.shift.y) / this.view.clientHeight,
    };
  }

  /** Returns what the key does here; undefined for others. */
  command(key: string) {
    if (!isMovable.value && key.startsWith('Arrow')) return undefined;
    return new Map([
      ['+', () => this.zoomBy(1)],
      ['=', () => this.zoomBy(1)],
      ['-', () => this.zoomBy(-1)],
      ['0', () => this.fit()],
      ['1', () => this.zoom(1)],
      ['ArrowLeft', () => this.panBy(KEY_PAN_PX, 0)],
      ['ArrowRight', () => this.panBy(-KEY_PAN_PX, 0)],
      ['ArrowUp', () => this.panBy(0, KEY_PAN_PX)],
      ['ArrowDown', () => this.panBy(0, -KEY_PAN_PX)],
    ]).get(key);
  }

  private panBy(x: number, y: number) {
    this.panTo({ x: this.shift.x + x, y: this.shift.y + y });
  }

  /** As far as the image stays in sight. */
  private panTo({ x, y }: Point) {
    const { clientWidth, clientHeight, style } = this.view;
    const { horizontal, vertical } = this.paddings();
    const held = (at: number, imagePx: number, viewPx: number, padding: number) => {
      // Parts below a bar can be moved beside it.
      const most = Math.max(0, (imagePx * scale.value - viewPx) / 2 + MARGIN_PX + padding);
      return Math.max(-most, Math.min(most, at));
    };
    isMovable.value = scale.value !== this.fittingScale();
    this.shift = isMovable.value
      ? {
          x: held(x, this.image.width, clientWidth, horizontal),
          y: held(y, this.image.height, clientHeight, vertical),
        }
      : ORIGIN;
    style.setProperty('--scale', String(scale.value));
    style.setProperty('--shift-x', `${this.shift.x}px`);
    style.setProperty('--shift-y', `${this.shift.y}px`);
  }

  /** Beside the bars; never above 1. */
  private fittingScale() {
    const { horizontal, vertical } = this.paddings();
    const width = this.view.clientWidth - 2 * horizontal;
    const height = this.view.clientHeight - 2 * vertical;
    return Math.min(1, width / this.image.width, height / this.image.height);
  }

  private paddings() {
    const { paddingLeft, paddingTop } = getComputedStyle(this.view);
    return { horizontal: Number.parseFloat(paddingLeft), vertical: Number.parseFloat(paddingTop) };
  }

  private fromMiddle({ x, y }: Point): Point {
    const { left, top, width, height } = this.view.getBoundingClientRect();
    return { x: x - left - width / 2, y: y - top - height / 2 };
  }

  private isOnImage(place: Point) {
    const { x, y } = this.fromMiddle(place);
    return (
      Math.abs(x) <= (this.image.width * scale.value) / 2 &&
      Math.abs(y) <= (this.image.height * scale.value) / 2
    );
  }

  private holdsDivider({ x }: Point) {
    const { left, width } = this.view.getBoundingClientRect();
    const isNear = Math.abs(x - left - (width * divider.value) / 100) < HANDLE_PX;
    return mode.value === 'split' && (!isMovable.value || isNear);
  }

  readonly press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    this.view.setPointerCapture(event.pointerId);
    const place = locate(event);
    this.pointers.set(event.pointerId, place);
    const isOnly = this.pointers.size === 1;
    this.pressed = isOnly ? place : undefined;
    this.isDividing = isOnly && this.holdsDivider(place);
  };

  readonly move = (event: PointerEvent) => {
    if (!this.pointers.has(event.pointerId)) return;
    const place = locate(event);
    if (this.pressed && distance(this.pressed, place) <= TAP_PX) return;
    this.pressed = undefined;
    const before = spread(this.pointers);
    this.pointers.set(event.pointerId, place);
    if (this.isDividing) {
      divider.value = measureShare(place.x, this.view) * 100;
      return;
    }
    const after = spread(this.pointers);
    this.panBy(after.x - before.x, after.y - before.y);
    if (before.apart > 0) this.zoom((scale.value * after.apart) / before.apart, after);
  };

  readonly release = ({ pointerId }: PointerEvent) => {
    this.pointers.delete(pointerId);
  };

  /** On the ground beside the image, it closes the comparison. */
  readonly tap = (event: MouseEvent) => {
    if (this.pressed && !isMovable.value && !this.isOnImage(locate(event))) closeComparison();
  };

  readonly tapTwice = (event: MouseEvent) => {
    if (isMovable.value) this.fit();
    else this.zoom(scale.value < 1 ? 1 : 2, locate(event));
  };

  readonly turnWheel = (event: WheelEvent) => {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * LINE_PX;
    const pace = event.ctrlKey ? PAD_PACE : WHEEL_PACE;
    this.zoom(scale.value * Math.exp(-pixels * pace), locate(event));
  };
}

function locate({ clientX, clientY }: MouseEvent): Point {
  return { x: clientX, y: clientY };
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

function distance(a: Point, b: Point) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
