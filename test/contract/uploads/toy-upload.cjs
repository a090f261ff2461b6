/** An upload format: four bytes, then a PNG. Written into a copy of dist/, with a row in each table of formats. */
// Loaded later, because the first table is read before them.
const load = {
  get png() {
    return require('./compression/application/png/open-png');
  },
  get structure() {
    return require('./compression/formats/png/png-structure');
  },
};

const SIGNATURE = Buffer.from('TOY!');

exports.facts = {
  label: 'TOY',
  mediaType: 'image/x-toy',
  extensions: ['toy'],
  signatures: [{ offset: 0, hex: SIGNATURE.toString('hex') }],
  isUpload: true,
  memory: { baseBytes: 0, bytesPerPixel: { opaque: 36, transparent: 78 } },
  upload: {
    bytesPerPixel: { opaque: 70, transparent: 70 },
    codedBytesPerUploadByte: 0,
    encodesAfterDecoding: false,
  },
};

const inside = (bytes) => bytes.subarray(SIGNATURE.length);

exports.reader = {
  declare: (bytes) => ({ dimensions: load.structure.readPngHeader(inside(bytes)).storedSize, heldBytes: 0 }),
  read: (bytes) => load.structure.readPngStructure(inside(bytes)),
  refuseCostly: () => undefined,
  heldBytes: () => 0,
  mayBeTransparent: () => false,
  losesByConversion: () => false,
  data: () => [],
};

const asToy = (source, opened) => ({
  ...opened,
  source,
  codings: async () =>
    (await opened.codings()).map((candidate) => ({
      ...candidate,
      format: 'toy',
      make: async (smallest) => {
        const made = await candidate.make(smallest);
        return made && { ...made, format: 'toy', bytes: Buffer.concat([SIGNATURE, made.bytes]) };
      },
    })),
  unchanged: () => ({ ...opened.unchanged(), format: 'toy', bytes: source.bytes }),
  reopen: (context) => asToy(source, opened.reopen(context)),
});

exports.code = {
  into: () => undefined,
  open: async (source, context) =>
    asToy(source, await load.png.openPng({ ...source, format: 'png', bytes: inside(source.bytes) }, context)),
  withoutMarker: (file) => file,
};
