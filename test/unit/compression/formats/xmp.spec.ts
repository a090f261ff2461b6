import { reshapingOf, type Reshaping } from '../../../../src/compression/formats/reshaping';
import { updatedXmp } from '../../../../src/compression/formats/xmp';
import { xmpToKeep } from '../../../../src/compression/formats/xmp-parts';

const now = { orientation: 1, dimensions: { width: 40, height: 30 } } as const;
const updated = (text: string) =>
  Buffer.from(updatedXmp(Buffer.from(text, 'latin1'), now)).toString('latin1');

it('states the orientation and the dimensions of the new image', () => {
  expect(updated('<a tiff:Orientation="6" tiff:ImageWidth=\'4000\'><exif:PixelYDimension> 3000</b>')).toBe(
    '<a tiff:Orientation="1" tiff:ImageWidth=\'40\'><exif:PixelYDimension>30</b>',
  );
});

it.each([
  ['with what is inside', 'a<xmp:Thumbnails><xmp:x>/9j/</xmp:x></xmp:Thumbnails>b', 'ab'],
  [
    'of both prefixes',
    'a<xap:Thumbnails q="1">1</xap:Thumbnails>b<xmp:Thumbnails>2</xmp:Thumbnails>c',
    'abc',
  ],
  ['that are empty', 'a<xmp:Thumbnails/>b<xmp:Thumbnails rdf:resource="x"/>c', 'abc'],
])('removes thumbnails %s', (_, text, expected) => {
  expect(updated(text)).toBe(expected);
});

it.each([
  'a<xmp:Thumbnails>without an end',
  'a<xmp:Thumbnails',
  '<xmp:ThumbnailsOfAnotherKind>b</xmp:ThumbnailsOfAnotherKind>',
  '</xmp:Thumbnails><xmp:Thumbnails>',
  '<xmp:Thumbnails>a</xap:Thumbnails>',
])('leaves %s as it is', (text) => {
  expect(updated(text)).toBe(text);
});

describe('of an image that was reshaped', () => {
  const [from, to] = [
    { width: 800, height: 400 },
    { width: 400, height: 200 },
  ];
  const after = (text: string, reshaped: Reshaping) =>
    Buffer.from(updatedXmp(Buffer.from(text), { orientation: 1, dimensions: to, reshaped })).toString();
  const half = reshapingOf(from, to, 1);
  const turned = reshapingOf(from, { width: 400, height: 800 }, 6);
  const cropped = reshapingOf(from, { width: 100, height: 100 }, 1, 'cover');
  const panorama =
    '<a GPano:FullPanoWidthPixels="1600" GPano:CroppedAreaImageWidthPixels=\'800\'><GPano:CroppedAreaLeftPixels>300</GPano:CroppedAreaLeftPixels>';
  const faces =
    '<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions stDim:w="800" stDim:h="400" stDim:unit="pixel"/><mwg-rs:RegionList>x</mwg-rs:RegionList></mwg-rs:Regions>';

  it('scaled: pixels of a panorama and the size of regions follow', () => {
    expect(after(panorama, half)).toBe(
      '<a GPano:FullPanoWidthPixels="800" GPano:CroppedAreaImageWidthPixels=\'400\'><GPano:CroppedAreaLeftPixels>150</GPano:CroppedAreaLeftPixels>',
    );
    expect(after(faces, half)).toBe(
      faces.replace('"800"', '"400"').replace('"400" stDim:u', '"200" stDim:u'),
    );
  });

  it.each([
    ['rotated', turned],
    ['cropped', cropped],
  ])('%s: places go', (_, reshaped) => {
    for (const gone of [
      faces,
      '<MP:RegionInfo><MPRI:Regions/></MP:RegionInfo>',
      '<Iptc4xmpExt:ImageRegion><rdf:Bag/></Iptc4xmpExt:ImageRegion>',
      '<exif:SubjectArea><rdf:Seq/></exif:SubjectArea>',
    ])
      expect(after(`a${gone}b`, reshaped)).toBe('ab');
    expect(after('<a crs:CropTop="0.1" crs:HasCrop=\'True\' crs:Exposure2012="1"/>', reshaped)).toBe(
      '<a crs:Exposure2012="1"/>',
    );
    expect(after(panorama, reshaped)).toBe('<a>');
  });

  it('scaled: shares of the image stay, positions in pixels go', () => {
    expect(after('<MP:RegionInfo>0.1</MP:RegionInfo>', half)).toBe('<MP:RegionInfo>0.1</MP:RegionInfo>');
    const region = (unit: string) =>
      `<Iptc4xmpExt:ImageRegion Iptc4xmpExt:rbUnit="${unit}">1</Iptc4xmpExt:ImageRegion>`;
    expect(after(region('relative'), half)).toBe(region('relative'));
    expect(after(region('pixel'), half)).toBe('');
  });

  it('the resolution follows', () => {
    expect(after('<a tiff:XResolution="300/1" tiff:YResolution="300/1"/>', half)).toBe(
      '<a tiff:XResolution="150/1" tiff:YResolution="150/1"/>',
    );
  });
});

it.each([
  '<xmp:Thumbnails>',
  '<xmp:Thumbnails',
  '<xmp:Thumbnails><xap:Thumbnails x',
  '<mwg-rs:Regions><GPano:ProjectionType><MP:RegionInfo x',
])('reads megabytes of %s once, not once for each', (piece) => {
  const secondsFor = (bytes: number) => {
    const text = piece.repeat(bytes / piece.length);
    // The fastest of several: the first also pays for compiling, and others for a collection of garbage.
    const seconds = [0, 1, 2, 3].map(() => {
      const before = process.cpuUsage();
      const cropped = { ...now, reshaped: { applied: 1, scale: 1, isCropped: true } } as const;
      expect(updatedXmp(Buffer.from(text), cropped)).toHaveLength(text.length);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1e6;
    });
    return Math.min(...seconds);
  };
  const SHORTEST = 0.02;
  // Reading the rest for each start tag would take 64 times as long for 8 times the text.
  expect(secondsFor(2e6)).toBeLessThan(24 * Math.max(secondsFor(250e3), SHORTEST));
});

it('parts of a packet are never longer than the packet', () => {
  const packet = Buffer.from('<photoshop:Credit>a</photoshop:Credit>');
  expect(xmpToKeep(packet, { ...now, keep: 'copyright' })).toBeUndefined();
});
