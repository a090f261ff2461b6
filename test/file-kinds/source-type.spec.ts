/** How an image was made (IPTC digital source type) stays in every format, whatever metadata is kept; nothing else stays beside it. */
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { box } from '../../src/compression/formats/avif/boxes';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { graphicPng, photoJpeg } from '../support/images';
import { xmpSegment } from '../support/phone-files';
import { expectUnchanged, withEveryEngine } from './engines';

const TYPE = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const NAME = 'Iptc4xmpExt:DigitalSourceType';
const NAMESPACE = 'xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"';
const CREATOR = '<dc:creator><rdf:Seq><rdf:li>Anna Example</rdf:li></rdf:Seq></dc:creator>';
const FORMS = {
  attribute: (more = '') =>
    `<rdf:Description rdf:about="" ${NAMESPACE} ${NAME}="${TYPE}">${more}</rdf:Description>`,
  element: (more = '') => `<rdf:Description ${NAMESPACE}><${NAME}>${TYPE}</${NAME}>${more}</rdf:Description>`,
  resource: (more = '') =>
    `<rdf:Description ${NAMESPACE}><${NAME} rdf:resource="${TYPE}"/>${more}</rdf:Description>`,
  'another prefix': (more = ''): string => FORMS.element(more).replace(/Iptc4xmpExt(?=[:=])/g, 'ext'),
};
const packet = (properties: string) => xmpSegment(properties).payload.subarray(29);
const zTXt = (xmp: Uint8Array) =>
  pngChunk('zTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0', 'latin1'), deflateSync(xmp)]));
const xmpOf = async (bytes: Uint8Array) => (await sharp(bytes).metadata()).xmpAsString ?? '';

const sourceType = (type: string) => `qdigitalSourceTypex${String.fromCharCode(type.length)}${type}`;
const manifest = (content: string) => Buffer.from(`jumdc2ma\0\x11\0\x10${content}hmetadata`, 'latin1');
const sign = {
  /** In two segments, of which each repeats the head of the box. */
  jpeg: (jpeg: Uint8Array, store: Uint8Array) => {
    const parts = [store.subarray(0, 40), store.subarray(40)];
    const head = (i: number) =>
      Buffer.from(`JP\0\x01\0\0\0${String.fromCharCode(i + 1)}\0\0\x02\0jumb`, 'latin1');
    const segments = parts.map((part, i) => ({ marker: 0xeb, payload: Buffer.concat([head(i), part]) }));
    return withSegments(jpeg, segments);
  },
  png: (png: Uint8Array, store: Uint8Array) => withChunks(png, [pngChunk('caBX', store)]),
};
const SIGNED = {
  JPG: async (store: Uint8Array) => sign.jpeg(await photoJpeg(160, 120), store),
  PNG: (store: Uint8Array) => Promise.resolve(sign.png(graphicPng(120, 90), store)),
  WebP: async (store: Uint8Array) => {
    const webp = await sharp(await photoJpeg(160, 120))
      .webp({ quality: 100 })
      .withExif({ IFD0: { Software: 'x' } })
      .toBuffer();
    const size = Buffer.alloc(4);
    size.writeUInt32LE(store.length);
    const signed = Buffer.concat([webp, Buffer.from('C2PA'), size, store, Buffer.alloc(store.length % 2)]);
    signed.writeUInt32LE(signed.length - 8, 4);
    return signed;
  },
  AVIF: async (store: Uint8Array) => {
    const avif = await sharp(await photoJpeg(160, 120))
      .avif({ quality: 95 })
      .toBuffer();
    const id = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
    return Buffer.concat([avif, box('uuid', [id, store])]);
  },
};

withEveryEngine((compress) => {
  const sources = {
    jpeg: async (properties: string) => withSegments(await photoJpeg(160, 120), [xmpSegment(properties)]),
    png: (properties: string) => Promise.resolve(withChunks(graphicPng(120, 90), [zTXt(packet(properties))])),
  };

  describe.each(Object.entries(sources))('%s', (format, make) => {
    it.each(['same', 'webp', 'avif', ...(format === 'jpeg' ? ['png'] : [])])('to %s', async (FORMAT) => {
      const source = await make(FORMS.attribute(CREATOR));
      for (const KEEP_METADATA of ['none', 'copyright', 'all']) {
        const { bytes } = await compress(source, { FORMAT, KEEP_METADATA, EFFORT: 'fast' });
        const xmp = await xmpOf(bytes);
        expect(xmp).toContain(TYPE);
        expect(xmp.includes('Anna Example')).toBe(KEEP_METADATA !== 'none');
      }
    });

    it.each(Object.entries(FORMS))('a result that states only this (%s) is skipped', async (_, write) => {
      const { bytes } = await compress(await make(write(CREATOR)));
      expect(await xmpOf(bytes)).toContain(TYPE);
      await expectUnchanged(compress, bytes);
      // Of another program, in its own form.
      const bare = (await compress(await make(''))).bytes;
      const labelled = (properties: string) =>
        format === 'jpeg'
          ? withSegments(bare, [xmpSegment(properties)])
          : withChunks(bare, [zTXt(packet(`<?xpacket begin="" id="x"?>${properties}`))]);
      await expectUnchanged(compress, labelled(write()));
      for (const more of [CREATOR, '<!-- Secret -->', '<dc:source>Secret</dc:source>']) {
        const cleaned = await compress(labelled(write(more)));
        expect(cleaned.report.skipReason).toBeUndefined();
        expect(await xmpOf(cleaned.bytes)).toContain(TYPE);
        expect(await xmpOf(cleaned.bytes)).not.toMatch(/Anna|Secret/);
        await expectUnchanged(compress, cleaned.bytes);
      }
    });
  });

  describe.each(Object.entries(SIGNED))('content credentials of a %s', (_, make) => {
    it.each(['none', 'copyright', 'all'])('with metadata=%s', async (KEEP_METADATA) => {
      const { bytes, report } = await compress(await make(manifest(sourceType(TYPE))), { KEEP_METADATA });
      expect(report.removed).toContain('content-credentials');
      expect(await xmpOf(bytes)).toContain(TYPE);
      await expectUnchanged(compress, bytes, { KEEP_METADATA });
    });
  });

  it('adds the type to a packet that stays whole', async () => {
    const store = manifest(sourceType(TYPE));
    for (const [format, properties] of [
      ['jpeg', `<rdf:Description ${NAMESPACE}>${CREATOR}</rdf:Description>`],
      ['png', `<rdf:Description>${CREATOR}</rdf:Description>`],
    ] as const) {
      const signed = (await sources[format](properties)) as Buffer;
      const { bytes, report } = await compress(sign[format](signed, store), { KEEP_METADATA: 'all' });
      expect(report.removed).toEqual(['content-credentials']);
      const xmp = await xmpOf(bytes);
      expect(xmp.match(/trainedAlgorithmicMedia/g)).toHaveLength(1);
      expect(xmp).toMatch(/Anna Example.*<\/rdf:RDF>/s);
    }
  });

  it('prefers a generated image, whichever of XMP and credentials states it', async () => {
    const source = await sources.jpeg(FORMS.attribute().replace('trainedAlgorithmicMedia', 'digitalCapture'));
    const { bytes } = await compress(sign.jpeg(source, manifest(sourceType(TYPE))));
    expect(await xmpOf(bytes)).toContain(TYPE);
  });

  it('keeps no other text in its place', async () => {
    const { bytes } = await compress(await sources.jpeg(FORMS.element().replace(TYPE, 'By Anna Example')));
    expect(await xmpOf(bytes)).toBe('');
  });
});
