/** An upload format: four bytes, then a PNG. Written into a copy of dist/, with a row in each table of formats. */
// Loaded later, because the first table is read before them.
const load = {
  get pngUpload() {
    return require('./compression/application/uploads/png-upload').pngUpload;
  },
  get structure() {
    return require('./compression/formats/png/png-structure');
  },
};

const SIGNATURE = Buffer.from('TOY!');

exports.facts = {
  signature: [...SIGNATURE],
  memory: {
    bytesPerPixel: { opaque: 70, transparent: 70 },
    codedBytesPerUploadByte: 0,
    encodesAfterDecoding: false,
  },
};
exports.names = {
  label: 'TOY',
  mediaType: 'image/x-toy',
  extensions: ['toy'],
  memory: { baseBytes: 0, bytesPerPixel: { opaque: 36, transparent: 78 } },
};

const inside = (bytes) => bytes.subarray(SIGNATURE.length);

exports.reader = {
  declare: (bytes) => ({ dimensions: load.structure.readPngHeader(inside(bytes)).storedSize, heldBytes: 0 }),
  read: (bytes) => load.structure.readPngStructure(inside(bytes)),
  refuseCostly: () => undefined,
  heldBytes: () => 0,
  mayBeTransparent: () => false,
};

const asPng = (work) => ({
  ...work,
  source: { ...work.source, format: 'png', bytes: inside(work.source.bytes) },
});
const asToy = (outcome, { source }) => ({
  ...outcome,
  bytes: 'skipReason' in outcome ? source.bytes : Buffer.concat([SIGNATURE, outcome.bytes]),
});

exports.upload = {
  compress: async (work) => asToy(await load.pngUpload.compress(asPng(work)), work),
  losesByConversion: () => false,
  open: async (work) => {
    const opened = await load.pngUpload.open(asPng(work));
    return { ...opened, own: async () => asToy(await opened.own(), work) };
  },
  describeUnchanged: () => ({ maxError: 0 }),
};
