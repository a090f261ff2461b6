/** Requests whose form, image or options are refused. */
import { png } from '../../support/drawn-pngs';
import { photoJpeg } from '../../support/images';
import { BOUNDARY, formWith, pairOf } from '../../support/service';

interface WrongForm {
  readonly operation: string;
  readonly body: FormData | string;
  readonly headers?: Record<string, string>;
}

/** @param jpeg a photo of 64 × 48 px */
export async function wrongForms(jpeg: Buffer): Promise<WrongForm[]> {
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  const bomb = Buffer.from(jpeg);
  bomb.writeUInt32BE(0xffdcffdc, bomb.indexOf(Buffer.from([0xff, 0xc0])) + 5);
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
  const to = (operation: string) => (body: FormData | string) => ({ operation, body });
  const ofOneImage = (operation: string) => [
    { operation, body: 'hello', headers },
    { operation, body: `--${BOUNDARY}--\r\n`, headers },
    ...[formWith(jpeg, 'file'), repeated(formWith(jpeg)), ...wrongImages.map((image) => formWith(image))].map(
      to(operation),
    ),
  ];
  return [
    ...ofOneImage('POST compress'),
    ...ofOneImage('POST sets?widths=20'),
    { operation: 'POST compare', body: 'hello', headers },
    ...[
      formWith(jpeg, 'file'),
      formWith(jpeg, 'original'),
      repeated(pairOf(jpeg, jpeg)),
      pairOf(bomb, jpeg),
      ...wrongImages.map((image) => pairOf(jpeg, image)),
      pairOf(jpeg, await photoJpeg(48, 48)),
    ].map(to('POST compare')),
    { operation: 'POST compare?quality=low', body: pairOf(jpeg, jpeg) },
    { operation: 'POST compress?effort=none', body: formWith(jpeg) },
    { operation: 'POST compress?max_bytes=20', body: formWith(jpeg) },
    { operation: 'POST compress?max_bytes=20kB', body: formWith(jpeg) },
    { operation: 'POST compress?format=jpeg', body: formWith(png(8, 8, () => [9, 9, 9, 99])) },
    { operation: 'POST sets', body: formWith(jpeg) },
    { operation: 'POST sets?widths=20&max_bytes=20', body: formWith(jpeg) },
    { operation: 'POST sets?widths=20&format=jpeg', body: formWith(png(8, 8, () => [9, 9, 9, 99])) },
  ];
}
