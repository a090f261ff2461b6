/** What `--help` says below the options. Limits and defaults are those of the code, so they cannot be out of date. */
import { Formats, SHOWN_BY_BROWSERS, UPLOADS } from '../contract/formats';

/** What modern browsers show in the fewest bytes. */
const [SMALLEST] = SHOWN_BY_BROWSERS;

export function examples(...lines: readonly string[]): string {
  return [
    '',
    'Examples (in a checkout, write "npm run -s cli --" instead of "ics"):',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

export const COMPRESS_HELP = `
Folders are searched with their sub-folders, unless --no-recursive is given. Hidden files and folders, links, files that
are not ${UPLOADS.or} nor in a format that a --format-module reads, by their first bytes, and backups (photo.jpg.orig
beside photo.jpg) are skipped. Files named like such an image that are none are listed. Results in a folder are named by
their content: a PNG named a.jpg becomes a.png.
Files keep their times, mode and owner. Ctrl-C leaves no half-written file.

A second run of the same command compresses only what is missing or has changed, by digests in your cache folder
($XDG_CACHE_HOME, or else ~/.cache). --force compresses everything again.

A rewritten file loses its metadata (place, camera, comments), unless --keep-metadata says otherwise. An image with a
longer side than MAX_DIMENSION_PX (default: 3840) is scaled down. --in-place does both to your originals, but scales
only with --max-dimension, and leaves images with data that programs read (layers, measurements, depth, prompts)
alone unless --drop-layers is given;
--backup keeps a copy of each.
${examples(
  'ics compress photo.jpg -o smaller.jpg',
  'ics compress photos -o web              photos/a/b.jpg becomes web/a/b.jpg',
  'ics compress photos --suffix .min       photos/a.jpg becomes photos/a.min.jpg',
  'ics compress --in-place --backup .orig "photos/**/*.jpg"',
  'ics compress --dry-run photos',
  'ics compress - < photo.jpg > smaller.jpg',
)}`;

export const COMPARE_HELP = `
The original is a ${UPLOADS.or}; the image is a ${Formats.builtIn.recognisedOr} or a format of --format-module, by any
encoder. The original is turned upright and scaled down to the size of the image, then both are compared the way that
compressing compares its results. SSIM is the score that the reports state (0.9914 shows no difference side by side),
SSIMULACRA2 a second opinion. MAX ERROR is the largest difference of a channel, out of 255. WORST SPOT is the square that
differs most, as width x height + left + top.

Crops, animations, and images with different colour profiles cannot be compared.
${examples(
  `ics compare photo.jpg photo.${SMALLEST}`,
  `ics compare --density 2 --map differences.png photo.jpg photo.${SMALLEST}`,
  `ics compare --min 0.99 photo.jpg photo.${SMALLEST}   fails in CI if the image looks worse`,
)}`;

export const SET_HELP = `
Give --widths, for images that fill a part of the window, or --width and --densities, for images of a fixed size in a
page. Each file is judged at its own density. --format is a list: every size is made in each of its formats. Images are
never enlarged; sizes above an image are left out with a line.

The folder also gets set.json: for each image its files with sizes, dimensions and scores, the sizes that were left out,
and the markup. A format that is larger than a more widely shown one of the same width is left out of the markup. A
second run of the same command makes only what is missing or has changed.
${examples(
  `ics set photo.jpg -o web --widths 480,960,1920 --format ${SMALLEST},same`,
  `ics set photos -o web --width 480 --densities 1,2,3 --format ${SHOWN_BY_BROWSERS.join(',')},same`,
  'ics set photo.jpg -o web --widths 480,960 --html --placeholder blur',
)}`;

export const CHECK_HELP = `
Without paths it checks the current folder. Folders are searched with their sub-folders. In a git repository it checks
the files that git tracks or would add, so files that .gitignore names are left out. Elsewhere it checks everything
except hidden files and node_modules. Backups (photo.jpg.orig beside photo.jpg) are left out. Files that you name are
always checked. Links are never followed.

An image counts if it could be smaller by --min-savings (default: 2) percent or more. Images are scaled only with
--max-dimension. Images with data that programs read (layers, measurements, depth, prompts) are left alone unless
--drop-layers is given. A second run
after --fix finds nothing, because results carry a marker. Without --fix nothing is written except digests of checked
images, in your cache folder ($XDG_CACHE_HOME, or else ~/.cache).
${examples(
  'ics check                                    the whole repository',
  'ics check --site dist --html report.html     a built site: images as its pages show them',
  'ics check --threshold 500kB --exclude test/fixtures',
  'ics check --report github                    annotations in GitHub Actions',
  'ics check --report sarif > images.sarif      for code scanning',
)}`;

export const GUARD_HELP = `
Put it on the upload paths of an app, by a rule of nginx, Caddy or Traefik, or say the paths with --path. Every image in a
form, or sent as the body of a POST, is compressed and verified; it keeps its format, its dimensions and its metadata.
Everything else passes as it came, and so does an image that cannot become smaller, or is not done in time. Requests
with digests, signatures or announced lengths are not touched. It is no filter for privacy, and checks nobody's access.

It prints a JSON line for each upload, and its totals on SIGUSR2 and at the end. SIGTERM lets requests in progress end.
See docs/guard.md.
${examples(
  'ics guard --to http://127.0.0.1:8080 --path /wp-admin/async-upload.php /wp-json/wp/v2/media',
  'ics guard --to http://127.0.0.1:8080 --listen 0.0.0.0:3001 --trust-proxy --metrics-port 9465',
  'ics guard --to http://127.0.0.1:8080 --dry-run   what it would save',
)}`;
