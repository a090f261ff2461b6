/** A git repository in a temporary folder, without user settings. */
import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { CLI, Workplace } from './command-line';

export class Repository extends Workplace {
  constructor() {
    super(Workplace.emptyFolderForCalls());
    this.git('init', '--quiet', '--initial-branch=main');
    this.install('.git/programs');
  }

  git(...args: string[]) {
    return this.program('git', args);
  }

  override program(name: string, args: readonly string[], options: SpawnSyncOptions = {}) {
    return super.program(name, args, { ...options, env: { ...this.environment(), ...options.env } });
  }

  override environment(): NodeJS.ProcessEnv {
    const identity = (role: string) => ({
      [`GIT_${role}_NAME`]: 'Test',
      [`GIT_${role}_EMAIL`]: 'test@example.com',
    });
    return {
      PATH: `${this.path('.git/programs')}:${process.env['PATH']}`,
      HOME: this.cache,
      XDG_CACHE_HOME: this.cache,
      WORKERS: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      ...identity('AUTHOR'),
      ...identity('COMMITTER'),
    };
  }

  staged(name: string): Buffer {
    return spawnSync('git', ['show', `:${name}`], { cwd: this.folder, env: this.environment() }).stdout;
  }

  /** Puts the program `ics` into a folder: that of the search path, or the one where npx looks. */
  install(folder: string) {
    const program = `${folder}/ics`;
    this.put(program, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
    chmodSync(this.path(program), 0o755);
  }
}
