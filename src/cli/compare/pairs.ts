/** Finds what `compare` compares: two files, or the files of two folders that have the same name but for the extension. */
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import { factsOf, resultFormats } from '../../contract/formats';
import { CliFailure, UsageFault } from '../outcome';
import { findInputs } from '../images/inputs';

export interface ComparedFile {
  readonly path: string;
  /** The folder that the user named; below it no link is followed. */
  readonly root: string;
}

export interface Pair {
  readonly original: ComparedFile;
  readonly image: ComparedFile;
  /** The image as the user would write it. */
  readonly shown: string;
}

export interface Pairs {
  readonly pairs: readonly Pair[];
  /** Originals of a folder without an image of their name. */
  readonly unmatched: readonly string[];
}

/**
 * @param from the folder that names are relative to
 * @throws UsageFault for a file and a folder, CliFailure if nothing in two folders has the same name
 */
export async function findPairs(original: string, image: string, from: string): Promise<Pairs> {
  const [first, second] = [original, image].map((name) => resolve(from, name));
  const [isFolder, isOtherFolder] = await Promise.all([first, second].map(isDirectory));
  if (isFolder !== isOtherFolder) throw new UsageFault('Give two files or two folders.');
  if (!isFolder) {
    const pair = { original: fileAt(first), image: fileAt(second), shown: image };
    return { pairs: [pair], unmatched: [] };
  }
  const found = await pairsIn(first, second, image);
  if (found.pairs.length > 0) return found;
  throw new CliFailure(`No image in ${image} has the name of a JPG or PNG in ${original}.`);
}

/** A name that does not exist counts as a file, so that reading it reports why. */
async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

function fileAt(path: string): ComparedFile {
  return { path, root: dirname(path) };
}

async function pairsIn(first: string, second: string, shown: string): Promise<Pairs> {
  const originals = (await findInputs([first], first, { isRecursive: true })).images;
  const extensions = resultFormats().flatMap((format) => factsOf(format).extensions);
  const names = await glob(`**/*.{${extensions.join(',')}}`, {
    cwd: second,
    followSymbolicLinks: false,
    expandDirectories: false,
    caseSensitiveMatch: false,
  });
  const imagesByStem = new Map<string, string[]>();
  for (const name of names.sort()) {
    const stem = stemOf(name);
    imagesByStem.set(stem, [...(imagesByStem.get(stem) ?? []), name]);
  }
  const matches = originals.map(({ path, below }) => ({
    path,
    below,
    images: imagesByStem.get(stemOf(below)) ?? [],
  }));
  return {
    pairs: matches.flatMap(({ path, images }) =>
      images.map((name) => ({
        original: { path, root: first },
        image: { path: join(second, name), root: second },
        shown: join(shown, name),
      })),
    ),
    unmatched: matches.filter(({ images }) => images.length === 0).map(({ below }) => below),
  };
}

function stemOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/\.[^./]*$/, '');
}
