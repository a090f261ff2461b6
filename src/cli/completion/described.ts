/** What shells complete, read from the description that commander parses by: commands, options and their values. */
import type { Command, Option } from 'commander';
import { RECIPE_OPTIONS } from '../images/options';

export interface DescribedCommand {
  /** Words after the name of the program; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly DescribedOption[];
  readonly commands: readonly DescribedCommand[];
  /** Whether its arguments are names of files. */
  readonly takesFiles: boolean;
  /** Values of its first argument, if they are a fixed list. */
  readonly values: readonly string[];
}

export interface DescribedOption {
  /** As typed: `--quality`, `-q`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** Values to suggest; empty if any text or a file may follow. */
  readonly values: readonly string[];
}

/** Values of options that also accept others, or that the settings check. */
const SUGGESTIONS = new Map(RECIPE_OPTIONS.map(({ option, words = [] }) => [option.long, words]));
/** Names of arguments that are files. */
const FILES = new Set(['images', 'paths', 'original']);

export function described(command: Command, path: readonly string[] = []): DescribedCommand {
  const [first] = command.registeredArguments;
  return {
    path,
    description: command.description(),
    options: command.createHelp().visibleOptions(command).map(describedOption),
    commands: command.commands.map((one) => described(one, [...path, one.name()])),
    takesFiles: command.registeredArguments.some((argument) => FILES.has(argument.name())),
    values: (first as typeof first | undefined)?.argChoices ?? [],
  };
}

function describedOption({ long, short, description, argChoices, ...option }: Option): DescribedOption {
  return {
    names: [long, short].filter((name) => name != null),
    description,
    takesValue: option.required || option.optional,
    values: argChoices ?? SUGGESTIONS.get(long) ?? [],
  };
}

/** Returns the command and all below it. */
export function allCommands(command: DescribedCommand): DescribedCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
