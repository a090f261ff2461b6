#!/usr/bin/env node
/** `ics` of the engine's package, which has no service and no accounts. */
import { addRefusal, runCommandLine } from './program';

runCommandLine('Compress images, make sets of them, and check those of a repository.', [
  (program) => {
    for (const name of ['serve', 'account', 'key'])
      addRefusal(program, name, `"ics ${name}" is in the package image-compression-server.`);
  },
]);
