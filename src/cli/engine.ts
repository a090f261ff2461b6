#!/usr/bin/env node
/** `ics` of the engine's package, which has no service and no accounts. */
import type { Command } from 'commander';
import { UsageFault } from './outcome';
import { runCommandLine } from './program';

/** Says where a command is that this package leaves out. */
function addAbsentCommands(program: Command): void {
  for (const name of ['serve', 'account', 'key']) {
    program
      .command(`${name} [words...]`, { hidden: true })
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new UsageFault(`"ics ${name}" is in the package image-compression-server.`);
      });
  }
}

runCommandLine('Compress images, make sets of them, and check those of a repository.', [addAbsentCommands]);
