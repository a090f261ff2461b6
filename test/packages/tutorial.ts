import { Folder, PROJECT } from '../support/folders';

const page = PROJECT.text('docs/adding-a-codec.md');

export function exampleFile(name: string) {
  const text = new RegExp(`^\`\`\`js example=${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1];
  if (!text) throw new Error(`The page has no example ${name}`);
  return text;
}

/** The commands of the page, one block at a time. */
export const commandBlocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands]) => commands);

const qoi = new Folder(PROJECT.path('examples/qoi'));
/** The code of the package that the page copies. */
export const QOI = qoi.text('index.js');
const { imageCompression } = qoi.json('package.json') as {
  readonly imageCompression: {
    readonly apiVersion: number;
    readonly format: Readonly<Record<string, unknown>>;
  };
};
export const qoiManifest = imageCompression;

/** Of the reader of uploads. */
export const ppmManifest = JSON.parse(/^echo '(.*)' > ppm\.json$/m.exec(page)?.[1] ?? '') as object;
