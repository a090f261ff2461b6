/** Finds what `compare` compares: two files, or the files of two folders that have the same name but for the extension. */
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import type { ResultFormats } from '../../contract/result-formats';
import { userFolder } from '../../environment/settings-slice';
import { CliFailure, UsageFault } from '../outcome';
import { findInputs, stemOf, type Input } from '../images/inputs';

export interface ComparedFile {
  readonly path: string;
  /** The folder that the user named; below it no link is followed. */
  readonly root: string;
  /** As the user would write it. */
  readonly shown: string;
}

export interface Pair {
  readonly original: ComparedFile;
  readonly image: ComparedFile;
}

export interface Pairs {
  readonly pairs: readonly Pair[];
  /** Originals of a folder without an image of their name. */
  readonly unmatched: readonly string[];
}

/**
 * @param formats of the images
 * @throws UsageFault for a file and a folder, CliFailure if nothing in two folders has the same name
 */
export async function findPairs(original: string, image: string, formats: ResultFormats): Promise<Pairs> {
  const [first, second] = [original, image].map((name) => resolve(userFolder, name));
  const [isFolder, isOtherFolder] = await Promise.all([first, second].map(isDirectory));
  if (isFolder !== isOtherFolder) throw new UsageFault('Give two files or two folders.');
  if (!isFolder) {
    const fileAt = (path: string, shown: string) => ({ path, root: dirname(path), shown });
    return { pairs: [{ original: fileAt(first, original), image: fileAt(second, image) }], unmatched: [] };
  }
  const originals = (await findInputs([original], userFolder, { isRecursive: true })).images;
  const found = await matched(originals, second, image, formats);
  if (found.pairs.length > 0) return found;
  throw new CliFailure(`No image in ${image} has the name of a JPG or PNG in ${original}.`);
}

/** A name that does not exist counts as a file, so that reading it reports why. */
async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** Finds the image of each original in a folder. */
async function matched(
  originals: readonly Input[],
  folder: string,
  shown: string,
  formats: ResultFormats,
): Promise<Pairs> {
  const extensions = formats.facts.flatMap((facts) => facts.extensions);
  const names = await glob(`**/*.{${extensions.join(',')}}`, {
    cwd: folder,
    followSymbolicLinks: false,
    expandDirectories: false,
    caseSensitiveMatch: false,
  });
  const imagesByStem = new Map<string, ComparedFile[]>();
  for (const name of names.sort()) {
    const image = { path: join(folder, name), root: folder, shown: join(shown, name) };
    imagesByStem.set(stemOf(name), [...(imagesByStem.get(stemOf(name)) ?? []), image]);
  }
  const matches = originals.map((original) => ({
    original,
    images: imagesByStem.get(stemOf(original.below)) ?? [],
  }));
  return {
    pairs: matches.flatMap(({ original, images }) => images.map((image) => ({ original, image }))),
    unmatched: matches.filter(({ images }) => images.length === 0).map(({ original }) => original.below),
  };
}
