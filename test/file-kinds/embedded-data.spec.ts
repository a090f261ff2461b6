/** Data of an upload that programs read are named when they go, and kept files are left alone; what is private goes in silence. */
import { neededData, readSource } from '../../src/compression/formats/image-header';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import type { JpegSegment } from '../../src/compression/formats/jpeg/jpeg-segments';
import { asciiField, TYPE, writeTiff } from '../../src/compression/formats/tiff';
import type { RemovedData } from '../../src/contract/report-words';
import { readAvifHeader } from '../../src/compression/formats/avif/avif-header';
import { box } from '../../src/compression/formats/avif/boxes';
import { readWebpHeader } from '../../src/compression/formats/webp/webp-file';
import { photoJpeg, photoPixels, rawImage } from '../support/images';
import { exifSegment } from '../support/jpeg-metadata';
import { xmpSegment } from '../support/phone-files';
import { withEveryEngine } from './engines';

const HEADERS = { webp: readWebpHeader, avif: readAvifHeader };
const segment = (marker: number, text: string): JpegSegment => ({
  marker,
  payload: Buffer.from(text, 'latin1'),
});
const comment = (text: Buffer) =>
  exifSegment(writeTiff([{ tag: 0x8769, directory: [{ tag: 0x9286, type: TYPE.undefined, value: text }] }]));
const PROMPT = 'a red fox\nNegative prompt: blurry\nSteps: 28, Sampler: DPM++';
const dji = exifSegment(writeTiff([asciiField(0x010f, 'DJI')]));
const extension = (properties: string) =>
  segment(0xe1, `http://ns.adobe.com/xmp/extension/\0${'A'.repeat(40)}<rdf:Description ${properties}/>`);

const KINDS: readonly (readonly [string, readonly JpegSegment[], readonly RemovedData[]])[] = [
  ['temperatures (FLIR)', [segment(0xe1, 'FLIR\0\x01\0\0')], ['thermal']],
  ['temperatures (DJI)', [dji, segment(0xe3, '\x01\x02'), segment(0xe5, '\x01')], ['thermal']],
  ['a depth map', [xmpSegment('<rdf:Description GDepth:Near="1"/>')], ['depth']],
  ['one in an extension', [xmpSegment(''), extension('GDepth:Data="AAAA"')], ['depth']],
  ['a prompt', [comment(Buffer.from(`ASCII\0\0\0${PROMPT}`))], ['prompt']],
  [
    'one in UTF-16',
    [comment(Buffer.concat([Buffer.from('UNICODE\0'), Buffer.from(PROMPT, 'utf16le').swap16()]))],
    ['prompt'],
  ],
  ['a panorama', [xmpSegment('<rdf:Description GPano:UsePanoramaViewer="True"/>')], ['panorama']],
  ['data of an unknown program', [segment(0xe9, 'Vendor'.repeat(50))], ['other-data']],
];
const SILENT: readonly (readonly [string, readonly JpegSegment[]])[] = [
  ['a camera', [dji]],
  ['a short comment', [segment(0xfe, 'A fox in the snow'), comment(Buffer.from('ASCII\0\0\0A fox'))]],
  ['a thumbnail', [segment(0xe0, 'JFXX\0\x10thumbnail')]],
  ['the tone curve of an iPhone', [segment(0xea, `AROT\0\0${'curve'.repeat(150)}`)]],
  [
    'the history of an editor',
    [xmpSegment('<rdf:Description crs:Exposure2012="1"><xmpMM:History/></rdf:Description>')],
  ],
];

const riffed = (webp: Uint8Array, ...chunks: Uint8Array[]) => {
  const file = Buffer.concat([webp, ...chunks]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
};
const chunk = (data: Buffer) =>
  Buffer.concat([Buffer.from('dAtA'), Buffer.from([data.length, 0, 0, 0]), data]);
const VIDEO = Buffer.from('\0\0\0\x18ftypmp42, and frames');
const DATA = Buffer.alloc(64, 'data');
const BEHIND: readonly (readonly [string, 'webp' | 'avif', (file: Buffer) => Uint8Array, RemovedData[]])[] = [
  ['a chunk of another program', 'webp', (file) => riffed(file, chunk(DATA)), ['other-data']],
  ['what stands behind the file', 'webp', (file) => Buffer.concat([file, DATA]), ['other-data']],
  ['a video behind the file', 'webp', (file) => Buffer.concat([file, VIDEO]), ['motion-video']],
  ['zeros behind the file', 'webp', (file) => Buffer.concat([file, Buffer.alloc(64)]), []],
  ['a box of another program', 'avif', (file) => Buffer.concat([file, box('uuid', [DATA])]), ['other-data']],
  ['a video in a box', 'avif', (file) => Buffer.concat([file, box('mpvd', [VIDEO])]), ['motion-video']],
  [
    'data that belong to no image',
    'avif',
    (file) => Buffer.concat([file, box('mdat', [Buffer.alloc(500, 'data')])]),
    ['other-data'],
  ],
  ['free space', 'avif', (file) => Buffer.concat([file, box('free', [DATA])]), []],
];
/** A small one comes back as it is, but for private metadata. */
const saved = (format: 'webp' | 'avif', quality: number) =>
  rawImage(photoPixels(64, 48))
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 22/1 0/1' } })
    .toFormat(format, { quality, effort: 2 })
    .toBuffer();

withEveryEngine((compress) => {
  it.each(BEHIND)('%s of %s', async (_, format, withData, removed) => {
    const expected = removed.length > 0 ? removed : undefined;
    for (const FORMAT of ['same', 'jpeg']) {
      const { report } = await compress(withData(await saved(format, 95)), { FORMAT });
      expect([FORMAT, report.removed]).toEqual([FORMAT, expected]);
    }
    // Boxes stay in a copy without private metadata, chunks do not.
    const { bytes, report } = await compress(withData(await saved(format, 20)));
    expect([...(report.removed ?? []), ...HEADERS[format](bytes).removed]).toEqual(removed);
  });

  it.each(KINDS)('%s', async (_, segments, removed) => {
    const source = withSegments(await photoJpeg(160, 120), segments);
    for (const FORMAT of ['same', 'webp'])
      expect((await compress(source, { FORMAT, EFFORT: 'fast' })).report.removed).toEqual(removed);
    const [needed, kept] = (['none', 'all'] as const).map((keep) =>
      neededData(readSource(source, Infinity), keep),
    );
    expect([needed, kept]).toEqual([removed, []]);
    // A file that cannot get smaller loses them, too.
    const { bytes } = await compress(await photoJpeg(160, 120));
    expect((await compress(withSegments(bytes, segments))).report.removed).toEqual(removed);
  });

  it.each(SILENT)('%s goes in silence', async (_, segments) => {
    const source = withSegments(await photoJpeg(160, 120), segments);
    expect((await compress(source)).report.removed).toBeUndefined();
    expect(neededData(readSource(source, Infinity), 'none')).toEqual([]);
  });

  it('content credentials become invalid: they go, are named, and keep no file as it is', async () => {
    const source = withSegments(await photoJpeg(160, 120), [segment(0xeb, `JP\0\x01${'c2pa'.repeat(99)}`)]);
    for (const KEEP_METADATA of ['none', 'all'])
      expect((await compress(source, { KEEP_METADATA })).report.removed).toEqual(['content-credentials']);
    expect(neededData(readSource(source, Infinity), 'none')).toEqual([]);
  });
});
