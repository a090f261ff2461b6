/** Options that commands about images share: what the recipe may do, and how the output looks. */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { wholeNumber } from '../values';

export function addRecipeOptions(command: Command): Command {
  return command
    .option(
      '-j, --jobs <n>',
      `images at a time (default: ${availableParallelism()}, one a core)`,
      wholeNumber,
    )
    .option('-q, --quality <level>', 'low, medium, high, very-high, or a score such as 0.9914')
    .option('--effort <level>', 'fast, balanced, max: time against bytes')
    .option('--png-mode <mode>', 'auto, palette: no other change, or lossless')
    .option('--max-dimension <px>', 'scale down images with a longer side than this')
    .option('--keep-metadata <what>', 'none, copyright: who made and owns it, or all')
    .option('--min-savings <percent>', 'a smaller gain is not worth a rewrite')
    .option('-f, --force', 'compress images again even if an earlier run did');
}

export function addOutputOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON object a line, for failures too')
    .option('--color', 'colour the output (default: on a terminal, unless NO_COLOR is set)')
    .option('--no-color', 'do not colour the output');
}
