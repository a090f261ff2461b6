import type { Dimensions } from '../../api/result';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One pixel of the image takes 16 on the screen and appears as a square. */
const MAX_SCALE = 16;
const MIN_SCALE = 0.05;
const KEY_STEP = 1.5;
const KEY_PAN_PX = 60;
/** Scale at which a place is shown: a square of 32 pixels takes 128 on the screen. */
const PLACE_SCALE = 4;
/** Stays visible around the image, so that its edge can be seen. */
const MARGIN_PX = 24;
/** A press that moves no further than this is a tap. */
export const TAP_PX = 6;
/** One notch of a mouse wheel is 100 to 120 pixels: about a fifth larger or smaller. */
const WHEEL_PACE = 0.0018;
/** Pinching on a touch pad arrives as a wheel with Ctrl, in small steps. */
const PAD_PACE = 0.01;
const LINE_PX = 33;

interface Watcher {
  /** Called with the scale, 1 = actual size, and whether the view shows the whole image. */
  readonly onScale: (scale: number, isFitted: boolean) => void;
  readonly onDivide: (share: number) => void;
  readonly holdsDivider: (x: number, isFitted: boolean) => boolean;
  readonly onGround: () => void;
}

export function measureShare(x: number, view: HTMLElement): number {
  const { left, width } = view.getBoundingClientRect();
  return Math.max(0, Math.min(1, (x - left) / width));
}

export class ZoomedView {
  private scale: number;
  /** From the middle of the view to that of the image, in pixels of the screen. */
  private shift: Point = { x: 0, y: 0 };
  private isFitted: boolean;
  private readonly pointers = new Map<number, Point>();
  /** Where the only pointer went down; undefined once it has moved, or after a second one. */
  private pressed: Point | undefined;
  private isDividing = false;
  private readonly ended = new AbortController();

  /** @param startScale undefined shows the whole image; `view` gets --scale, --shift-x and --shift-y */
  constructor(
    private readonly view: HTMLElement,
    private readonly image: Dimensions,
    startScale: number | undefined,
    private readonly watcher: Watcher,
  ) {
    this.scale = startScale ?? this.fittingScale();
    this.isFitted = startScale === undefined;
    this.followPointers();
    const resized = new ResizeObserver(() => this.zoom(this.isFitted ? this.fittingScale() : this.scale));
    resized.observe(view);
    this.ended.signal.addEventListener('abort', () => resized.disconnect());
  }

  /** Small images keep their own size. */
  fit() {
    this.shift = { x: 0, y: 0 };
    this.zoom(this.fittingScale());
  }

  zoom(scale: number, around?: Point) {
    const wanted = Math.max(Math.min(MIN_SCALE, this.fittingScale()), Math.min(MAX_SCALE, scale));
    const { left, top, width, height } = this.view.getBoundingClientRect();
    const { x, y } = around
      ? { x: around.x - left - width / 2, y: around.y - top - height / 2 }
      : { x: 0, y: 0 };
    const factor = wanted / this.scale;
    this.scale = wanted;
    this.panTo({ x: x - (x - this.shift.x) * factor, y: y - (y - this.shift.y) * factor });
  }

  zoomBy(steps: 1 | -1) {
    this.zoom(this.scale * KEY_STEP ** steps);
  }

  /** Moves a place of the image to the middle of the view; returns where it is then, as shares of the view. */
  show(place: Point): Point {
    this.scale = PLACE_SCALE;
    const x = (place.x / devicePixelRatio - this.image.width / 2) * this.scale;
    const y = (place.y / devicePixelRatio - this.image.height / 2) * this.scale;
    this.panTo({ x: -x, y: -y });
    return {
      x: 0.5 + (x + this.shift.x) / this.view.clientWidth,
      y: 0.5 + (y + this.shift.y) / this.view.clientHeight,
    };
  }

  /** Returns whether the key meant something here. */
  key(key: string): boolean {
    if (this.isFitted && key.startsWith('Arrow')) return false;
    const command = new Map([
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
    command?.();
    return command !== undefined;
  }

  end() {
    this.ended.abort();
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
      const most = Math.max(0, (imagePx * this.scale - viewPx) / 2 + MARGIN_PX + padding);
      return Math.max(-most, Math.min(most, at));
    };
    this.isFitted = this.scale === this.fittingScale();
    this.shift = this.isFitted
      ? { x: 0, y: 0 }
      : {
          x: held(x, this.image.width, clientWidth, horizontal),
          y: held(y, this.image.height, clientHeight, vertical),
        };
    style.setProperty('--scale', String(this.scale));
    style.setProperty('--shift-x', `${this.shift.x}px`);
    style.setProperty('--shift-y', `${this.shift.y}px`);
    this.watcher.onScale(this.scale, this.isFitted);
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

  private isOnImage({ x, y }: Point) {
    const { left, top, width, height } = this.view.getBoundingClientRect();
    return (
      Math.abs(x - left - width / 2) <= (this.image.width * this.scale) / 2 &&
      Math.abs(y - top - height / 2) <= (this.image.height * this.scale) / 2
    );
  }

  private followPointers() {
    const { view } = this;
    const options = { signal: this.ended.signal };
    view.addEventListener('pointerdown', (event) => this.press(event), options);
    view.addEventListener('pointermove', (event) => this.move(event), options);
    for (const type of ['pointerup', 'pointercancel'] as const)
      view.addEventListener(type, ({ pointerId }) => this.pointers.delete(pointerId), options);
    view.addEventListener(
      'click',
      (event) => {
        if (this.pressed && this.isFitted && !this.isOnImage(locate(event))) this.watcher.onGround();
      },
      options,
    );
    view.addEventListener(
      'dblclick',
      (event) => {
        if (!this.isFitted) this.fit();
        else this.zoom(this.scale < 1 ? 1 : 2, locate(event));
      },
      options,
    );
    view.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * LINE_PX;
        const pace = event.ctrlKey ? PAD_PACE : WHEEL_PACE;
        this.zoom(this.scale * Math.exp(-pixels * pace), locate(event));
      },
      { ...options, passive: false },
    );
  }

  private press(event: PointerEvent) {
    if (event.button !== 0) return;
    this.view.setPointerCapture(event.pointerId);
    const place = locate(event);
    this.pointers.set(event.pointerId, place);
    const isOnly = this.pointers.size === 1;
    this.pressed = isOnly ? place : undefined;
    this.isDividing = isOnly && this.watcher.holdsDivider(place.x, this.isFitted);
  }

  private move(event: PointerEvent) {
    if (!this.pointers.has(event.pointerId)) return;
    const place = locate(event);
    if (this.pressed && distance(this.pressed, place) <= TAP_PX) return;
    this.pressed = undefined;
    const before = spread(this.pointers);
    this.pointers.set(event.pointerId, place);
    if (this.isDividing) return this.watcher.onDivide(measureShare(place.x, this.view));
    const after = spread(this.pointers);
    this.panBy(after.x - before.x, after.y - before.y);
    if (before.apart > 0) this.zoom((this.scale * after.apart) / before.apart, after);
  }
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
