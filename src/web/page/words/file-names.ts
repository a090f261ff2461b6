/** Names under which results are saved. */

const EXTENSIONS = { jpeg: /\.jpe?g$/i, png: /\.png$/i };

/** The file's own name, with the extension that its content has. */
function namedByContent(name: string, format: keyof typeof EXTENSIONS): string {
  return EXTENSIONS[format].test(name) ? name : `${stem(name)}.${format === 'jpeg' ? 'jpg' : 'png'}`;
}

/** Beside the original in the downloads folder, so not under the same name. */
export function downloadName(name: string, format: keyof typeof EXTENSIONS): string {
  const named = namedByContent(name, format);
  return `${stem(named)}-compressed${named.slice(stem(named).length)}`;
}

/** Makes names differ, also on systems that do not tell upper from lower case: a.jpg, a (2).jpg. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let candidate = name;
    for (let n = 2; taken.has(candidate.toLowerCase()); n++) {
      candidate = `${stem(name)} (${n})${name.slice(stem(name).length)}`;
    }
    taken.add(candidate.toLowerCase());
    return candidate;
  });
}

/** Names of images that the service does not take; browsers do not know the type of each. */
const OTHER_IMAGES = /\.(avif|bmp|gif|heic|heif|jxl|svg|tiff?|webp)$/i;

/** What is the matter with a file that is neither a JPG nor a PNG, and what to do if it is an image. */
export function notAnImageWords({ name, type }: { readonly name: string; readonly type: string }): string {
  const ending = /\.(jpe?g|png)$/i.exec(name)?.[0].toLowerCase();
  if (ending) return `Its name ends in ${ending}, but it is not a ${ending === '.png' ? 'PNG' : 'JPG'}.`;
  return type.startsWith('image/') || OTHER_IMAGES.test(name)
    ? 'Export it as JPG or PNG, and add it again.'
    : 'Only JPG and PNG images can be compressed.';
}

function stem(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
