import { namedAs, type FormatFacts } from '../../../contract/formats';

/** It may lie beside the original, so it differs. */
export function downloadName(name: string, format: FormatFacts | undefined): string {
  const named = format ? namedAs(name, format) : name;
  return `${stem(named)}-compressed${named.slice(stem(named).length)}`;
}

/** Makes names differ, also on systems that ignore case: a.jpg, a (2).jpg. */
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

/** Cameras number their photos at the end: that part of a name is never cut. */
const TAIL_LENGTH = 8;

/** A name in two parts, of which only the first may be shortened: "holiday-in-the-moun…", "s-0042.jpg". */
export function nameParts(name: string): readonly [head: string, tail: string] {
  const letters = Array.from(name);
  if (letters.length <= TAIL_LENGTH * 2) return [name, ''];
  return [letters.slice(0, -TAIL_LENGTH).join(''), letters.slice(-TAIL_LENGTH).join('')];
}

function stem(name: string) {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
