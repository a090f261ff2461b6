/** Hands items to a reader as soon as they are there. */
export interface Deliveries<Item, End> {
  /** Cancelling it stops the work. */
  readonly items: ReadableStream<Item>;
  /** The result of the work, or its error, which the reader gets too. */
  readonly end: Promise<End>;
}

/**
 * Starts work that delivers items one by one.
 * @param start gets a signal that is aborted when the reader stops reading
 */
export function deliveriesOf<Item, End>(
  start: (deliver: (item: Item) => void, stopped: AbortSignal) => Promise<End>,
): Deliveries<Item, End> {
  const stop = new AbortController();
  let controller!: ReadableStreamDefaultController<Item>;
  const items = new ReadableStream<Item>({
    start: (opened) => void (controller = opened),
    cancel: (reason) => stop.abort(reason),
  });
  const unlessStopped = (act: () => void) => {
    if (!stop.signal.aborted) act();
  };
  const end = start((item) => unlessStopped(() => controller.enqueue(item)), stop.signal);
  end.then(
    () => unlessStopped(() => controller.close()),
    (error: unknown) => unlessStopped(() => controller.error(error)),
  );
  return { items, end };
}
