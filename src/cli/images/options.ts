/** Options that the commands about images share: for the recipe, and for the output. */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { integer } from '../values';

export function addRecipeOptions(command: Command): Command {
  return command
    .option('-j, --jobs <n>', `images at a time (default: ${availableParallelism()}, one per core)`, integer)
    .option(
      '-q, --quality <level>',
      'low, medium, high, very-high, or a score such as 0.9914 (default: high)',
    )
    .option('--effort <level>', 'fast, balanced or max: more time for fewer bytes')
    .option('--png-mode <mode>', 'auto, palette (no other change of pixels) or lossless')
    .option('--png-depth <bits>', '8 rounds PNGs of 16 bits to 8 (default: keep)')
    .option('--max-dimension <px>', 'scale down images with a longer side than this')
    .option('--keep-metadata <what>', 'none, copyright (author and owner) or all')
    .option('--min-savings <percent>', 'leave a file unchanged if it would shrink by less than this')
    .option('-f, --force', 'compress images again even if an earlier run did');
}

export function addOutputOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON object per line, also for failures')
    .option('--color', 'colour the output (default: on a terminal, unless NO_COLOR is set)')
    .option('--no-color', 'do not colour the output');
}
