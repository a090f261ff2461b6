import { examples } from '../examples';

/** What `compress --help` says below the options. */
export const EXPLANATION = `
Folders are searched with all folders in them, unless --no-recursive is given. Hidden files and folders, links, files
that are neither JPG nor PNG by their first bytes, and backups (photo.jpg.orig beside photo.jpg) are skipped;
files named like a JPG or PNG that are neither are listed.
Files keep their times, mode and owner. Every result is written to a temporary file, which is then renamed: Ctrl-C
leaves no half-written file.

A second run of the same command does only what is missing or changed. For that, digests of sources and results are
kept in your cache folder ($XDG_CACHE_HOME, else ~/.cache). --force compresses everything again.

A rewritten file loses its metadata (place, camera, comments), unless --keep-metadata says otherwise, and an image with
a longer side than MAX_DIMENSION_PX (default: 3840) is scaled down. --in-place does both to your originals, but scales
only with --max-dimension; --backup keeps a copy of each.
${examples(
  'ics compress photo.jpg -o smaller.jpg',
  'ics compress photos -o web              photos/a/b.jpg becomes web/a/b.jpg',
  'ics compress --in-place --backup .orig "photos/**/*.jpg"',
  'ics compress --dry-run photos',
  'ics compress - < photo.jpg > smaller.jpg',
)}`;
