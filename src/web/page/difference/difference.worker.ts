/** Computes a difference map off the main thread: a photo of 10 megapixels takes most of a second. */
import { DifferenceMap, type WorstSpot } from '../../../compression/domain/score/difference-map';

export interface DifferenceRequest {
  readonly before: Blob;
  readonly after: Blob;
  readonly width: number;
  readonly height: number;
}

export interface DifferenceResponse {
  /** Undefined when no pixel differs. */
  readonly worst: WorstSpot | undefined;
  readonly picture: ImageBitmap;
}

/** Rows at a time; both images in full would take 120 MB at 3840 × 3840. */
const STRIP_ROWS = 128;
/** Under transparent pixels, so that a change of their opacity counts. */
const BACKGROUND = '#808080';

onmessage = ({ data }: MessageEvent<DifferenceRequest>) => {
  void measure(data).then(
    (response) => postMessage(response, { transfer: [response.picture] }),
    () => postMessage(undefined),
  );
};

async function measure({ before, after, width, height }: DifferenceRequest): Promise<DifferenceResponse> {
  const images = await Promise.all([createImageBitmap(before), createImageBitmap(after)]);
  const readers = images.map((image) => stripReader(image, width, height));
  const map = new DifferenceMap(width, height);
  const drawn = new OffscreenCanvas(width, height);
  const drawing = drawn.getContext('2d');
  for (let top = 0; top < height; top += STRIP_ROWS) {
    const [first, second] = readers.map((read) => read(top));
    if (!first || !second) throw new Error('The browser gave no pixels');
    const strip = new ImageData(width, first.height);
    map.add(first.data, second.data, top, strip.data);
    drawing?.putImageData(strip, 0, top);
  }
  for (const image of images) image.close();
  return { worst: map.worst(), picture: drawn.transferToImageBitmap() };
}

function stripReader(image: ImageBitmap, width: number, height: number) {
  const canvas = new OffscreenCanvas(width, Math.min(height, STRIP_ROWS));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return (top: number) => {
    if (!context) return undefined;
    context.fillStyle = BACKGROUND;
    context.fillRect(0, 0, width, canvas.height);
    context.drawImage(image, 0, -top, width, height);
    return context.getImageData(0, 0, width, Math.min(canvas.height, height - top));
  };
}
