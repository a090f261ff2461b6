/** Updates XMP packets as text: only common properties, identified by their usual prefixes. */
import {
  reshapedResolution,
  saysSomething,
  type Resolution,
  isRearranged,
  isReshaped,
  type WrittenMetadata,
} from './reshaping';

/** Positions and areas as shares of the image: faces (MWG, Microsoft, ACDSee), image regions (IPTC), the crop of Camera Raw. */
const PLACES = [
  'mwg-rs:Regions',
  'MP:RegionInfo',
  'acdsee-rs:Regions',
  'Iptc4xmpExt:ImageRegion',
  ...['Top', 'Left', 'Bottom', 'Right', 'Angle', 'Width', 'Height', 'Unit', 'Units'].map(
    (end) => `crs:Crop${end}`,
  ),
  'crs:CropConstrainToWarp',
  'crs:HasCrop',
];
/** The place of a panorama on the sphere, in pixels. */
const PANORAMA_PIXELS = [
  ...['ImageWidth', 'ImageHeight', 'Left', 'Top'].map((end) => `GPano:CroppedArea${end}Pixels`),
  ...['Width', 'Height'].map((end) => `GPano:FullPano${end}Pixels`),
  ...['Left', 'Top', 'Width', 'Height'].map((end) => `GPano:LargestValidInteriorRect${end}`),
];
const PANORAMA = [...PANORAMA_PIXELS, 'GPano:ProjectionType', 'GPano:UsePanoramaViewer'];
/** Area and position of the subject, in pixels. */
const SUBJECT = ['exif:SubjectArea', 'exif:SubjectLocation'];
const THUMBNAILS = ['xmp:Thumbnails', 'xap:Thumbnails'];
/** The size, in pixels, to which the regions of MWG and ACDSee refer. */
const REGION_SIZE = ['stDim:w', 'stDim:h'];
const RESOLUTION = ['tiff:XResolution', 'tiff:YResolution'] as const;
const UNITS: Readonly<Partial<Record<string, Resolution['unit']>>> = {
  '1': 'aspect',
  '2': 'inch',
  '3': 'centimetre',
};

/** Returns the packet adjusted to the new pixels: orientation, size, resolution, and positions. */
export function updatedXmp(packet: Uint8Array, now: Omit<WrittenMetadata, 'keep'>): Uint8Array {
  const { width, height } = now.dimensions;
  const { reshaped } = now;
  const values: readonly (readonly [string, number])[] = [
    ['tiff:Orientation', now.orientation],
    ['tiff:ImageWidth', width],
    ['tiff:ImageLength', height],
    ['exif:PixelXDimension', width],
    ['exif:PixelYDimension', height],
    // A rewritten GContainer has no padding between its images, and no video.
    ['Item:Padding', 0],
    ['Camera:MotionPhoto', 0],
    ['Camera:MicroVideo', 0],
  ];
  // Latin-1 maps each byte to one character, so text in any encoding stays intact.
  const source = Buffer.from(packet).toString('latin1');
  const isInPixels = /\brbUnit(?:=["']|>)\s*pixel/.test(source);
  let text = withoutProperties(source, [
    ...THUMBNAILS,
    ...(isReshaped(reshaped) ? SUBJECT : []),
    ...(isReshaped(reshaped) && isInPixels ? ['Iptc4xmpExt:ImageRegion'] : []),
    ...(isRearranged(reshaped) ? [...PLACES, ...PANORAMA] : []),
  ]);
  for (const [name, value] of values) text = changed(text, name, () => String(value));
  const { scale = 1 } = reshaped ?? {};
  if (scale !== 1) {
    const names = text.includes('stDim:unit') ? [...PANORAMA_PIXELS, ...REGION_SIZE] : PANORAMA_PIXELS;
    for (const name of names) text = changed(text, name, (old) => String(Math.round(Number(old) * scale)));
  }
  return Buffer.from(withResolution(text, reshaped), 'latin1');
}

/** Returns the packet for another format: without the old format's name, and without data that other segments have to complete. */
export function withoutFormat(packet: Uint8Array): Uint8Array {
  const text = Buffer.from(packet).toString('latin1');
  return Buffer.from(withoutProperties(text, ['dc:format', 'xmpNote:HasExtendedXMP']), 'latin1');
}

/** Replaces the number in a property, an attribute or an element. */
function changed(text: string, name: string, valueOf: (old: string) => string): string {
  const pattern = new RegExp(`(\\bG?${name}(?:=["']|>))\\s*(\\d+(?:\\.\\d+)?)`, 'g');
  return text.replace(pattern, (_, before: string, old: string) => before + valueOf(old));
}

function withResolution(text: string, reshaped: WrittenMetadata['reshaped']): string {
  const [x, y] = RESOLUTION.map((name) => /(\d{1,10})\/(\d{1,10})/.exec(valueOf(text, name)));
  const unit = UNITS[valueOf(text, 'tiff:ResolutionUnit') || '2'];
  if (!x || !y || !unit || !isReshaped(reshaped)) return text;
  const stated = { unit, x: Number(x[1]) / Number(x[2]), y: Number(y[1]) / Number(y[2]) };
  if (!saysSomething(stated)) return text;
  const now = reshapedResolution(stated, reshaped);
  const written = (value: number) =>
    Number.isInteger(value) ? `${value}/1` : `${Math.round(value * 1000)}/1000`;
  return [now.x, now.y].reduce(
    (changing, value, i) =>
      changing.replace(
        new RegExp(`(\\b${RESOLUTION[i]}(?:=["']|>))\\s*\\d+\\/\\d+`, 'g'),
        `$1${written(value)}`,
      ),
    text,
  );
}

/** Returns the value of a simple property, an attribute or an element; empty if there is none. */
function valueOf(text: string, name: string): string {
  return new RegExp(`\\b${name}(?:=["']|>)\\s*([\\w./-]{1,40})`).exec(text)?.[1] ?? '';
}

/**
 * Removes properties, elements or attributes, with their content. Reads the text once: a regular expression for the whole element
 * searches for the end of each of a million opening tags, which took 30 s.
 */
function withoutProperties(text: string, names: readonly string[]): string {
  const unclosed = new Set<string>();
  let kept = '';
  let from = 0;
  for (const { index, 1: name } of text.matchAll(new RegExp(`<(${names.join('|')})(?![\\w.:-])`, 'g'))) {
    if (index < from || unclosed.has(name)) continue;
    const tagEnd = text.indexOf('>', index);
    if (tagEnd < 0) break;
    const closing = `</${name}>`;
    const isEmpty = text[tagEnd - 1] === '/';
    const end = isEmpty ? tagEnd : text.indexOf(closing, tagEnd);
    if (end < 0) {
      unclosed.add(name);
      continue;
    }
    kept += text.slice(from, index);
    from = end + (isEmpty ? 1 : closing.length);
  }
  const attributes = new RegExp(`\\s(?:${names.join('|')})=(?:"[^"<>]*"|'[^'<>]*')`, 'g');
  return (kept + text.slice(from)).replace(attributes, '');
}
