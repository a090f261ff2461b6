import { png } from '../../support/drawn-pngs';
import { BOUNDARY, formWith } from '../../support/service';

interface WrongForm {
  readonly operation: string;
  readonly body: FormData | string;
  readonly headers?: Record<string, string>;
}

/** @param jpeg a photo of 64 × 48 px */
export function wrongForms(jpeg: Buffer): WrongForm[] {
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  const bomb = Buffer.from(jpeg);
  bomb.writeUInt32BE(0xffdcffdc, bomb.indexOf(Buffer.of(0xff, 0xc0)) + 5);
  const wrongImages = [
    Buffer.concat([jpeg, Buffer.alloc(1024 * 1024)]),
    Buffer.from('GIF89a....'),
    jpeg.subarray(0, jpeg.length / 2),
    bomb,
  ];
  const repeated = (form: FormData) => {
    form.append('image', new Blob([new Uint8Array(jpeg)]), 'b.jpg');
    return form;
  };
  const forms = [
    formWith(jpeg, 'file'),
    repeated(formWith(jpeg)),
    ...wrongImages.map((image) => formWith(image)),
  ];
  return [
    { operation: 'POST compress', body: 'hello', headers },
    { operation: 'POST compress', body: `--${BOUNDARY}--\r\n`, headers },
    ...forms.map((body) => ({ operation: 'POST compress', body })),
    { operation: 'POST compress?effort=none', body: formWith(jpeg) },
    { operation: 'POST compress?max_bytes=20', body: formWith(jpeg) },
    { operation: 'POST compress?max_bytes=20kB', body: formWith(jpeg) },
    { operation: 'POST compress?format=jpeg', body: formWith(png(8, 8, () => [9, 9, 9, 99])) },
  ];
}
