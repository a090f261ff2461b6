import { examples } from '../examples';

/** What `check --help` says below the options. */
export const EXPLANATION = `
Without paths it checks the current folder. Folders are searched with all folders in them. In a git repository it checks
the files that git tracks or would add, so files that .gitignore names are left out. Elsewhere it checks everything
except hidden files and node_modules. Files that you name are always checked. Links are never followed.

An image counts if it could be smaller by --min-savings (default: 2) percent or more. Images are scaled only with
--max-dimension. A second run after --fix finds nothing, because results carry a marker. Without --fix nothing is
written except digests of checked images, in your cache folder ($XDG_CACHE_HOME, else ~/.cache).
${examples(
  'ics check                                    the whole repository',
  'ics check --fix docs/logo.png                one file, made smaller',
  'ics check --threshold 500kB --exclude test/fixtures',
  'ics check --format github                    annotations in GitHub Actions',
)}`;
