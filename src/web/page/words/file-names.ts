/** Names under which results are saved. */

const EXTENSIONS = { jpeg: /\.jpe?g$/i, png: /\.png$/i };

/** The file's own name, with the extension that its content has. */
export function archiveName(name: string, format: keyof typeof EXTENSIONS): string {
  return EXTENSIONS[format].test(name) ? name : `${stem(name)}.${format === 'jpeg' ? 'jpg' : 'png'}`;
}

/** Beside the original in the downloads folder, so not under the same name. */
export function downloadName(name: string, format: keyof typeof EXTENSIONS): string {
  const named = archiveName(name, format);
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

function stem(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
