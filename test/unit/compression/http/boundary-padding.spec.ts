import { BoundaryPadding } from '../../../../src/compression/http/boundary-padding';

const BOUNDARY = 'a--b';

/** Returns the form as the parser gets it, without the line break before it. */
function unpadded(form: string, pieceLength: number) {
  const written: Buffer[] = [];
  const padding = new BoundaryPadding(BOUNDARY, (piece) => void written.push(Buffer.from(piece)));
  for (let at = 0; at < form.length; at += pieceLength)
    padding.add(Buffer.from(form.slice(at, at + pieceLength), 'latin1'));
  padding.flush();
  return Buffer.concat(written).toString('latin1').slice(2);
}

it.each([
  [
    '--a--b \t \r\nX: 1\r\n\r\ntext\r\n--a--b\t\r\nmore\r\n--a--b-- ',
    '--a--b\r\nX: 1\r\n\r\ntext\r\n--a--b\r\nmore\r\n--a--b-- ',
  ],
  ['--a--b x\r\n', undefined],
  ['--a--b\r\n\xff\xd8\r\n--a--\r\r\n--a \r\n --a--b \r\n\n--a--b \r', undefined],
  [`--a--b\r\n\r\n--a--b${' '.repeat(256)}`, undefined],
  [`\r\n--a--b${' '.repeat(300)}\r\n`, undefined],
])('removes padding and nothing else, wherever pieces end: %j', (form, expected = form) => {
  for (let length = 1; length <= form.length; length++) expect(unpadded(form, length)).toBe(expected);
});
