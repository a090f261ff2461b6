/**
 * The files that a worker reads: the compiled code of this package, its dependencies, and the modules that
 * add formats. Nothing else of their folders, which may hold a database, a `.env` or a home. A sandbox shows
 * them at neutral paths, because names of folders may be private.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/** Above `dist/compression/infrastructure/sandbox`. */
const OWN_PACKAGE = join(__dirname, '..', '..', '..', '..');

/** A symbolic link between packages, as pnpm and npm workspaces make them. */
interface Link {
  readonly path: string;
  readonly target: string;
}

interface Manifest {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

/** Files and folders with a common parent, which the sandbox shows as one folder. */
class FileGroup {
  readonly paths = new Set<string>();
  readonly links: Link[] = [];

  addOwnPackage() {
    this.paths.add(join(OWN_PACKAGE, 'package.json')).add(join(OWN_PACKAGE, 'dist'));
    this.addDependencies(OWN_PACKAGE);
  }

  /** Adds the package of a module with its dependencies; a file outside of packages alone. */
  addModule(path: string) {
    const folder = statSync(path).isDirectory() ? path : findPackageFolder(path);
    if (folder === undefined) this.paths.add(path);
    else this.addPackage(folder);
  }

  private addPackage(folder: string) {
    if (this.paths.has(folder)) return;
    this.paths.add(folder);
    this.addDependencies(folder);
  }

  private addDependencies(folder: string) {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) return;
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const folders = nodeModulesAbove(folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const path = folders.map((each) => join(each, name)).find((each) => existsSync(each));
      if (path === undefined) continue;
      const target = realpathSync(path);
      if (target !== path) this.links.push({ path, target });
      this.addPackage(target);
    }
  }

  /** The folder above all paths, and above the outermost `node_modules` among their folders. */
  get folder(): string {
    const paths = [...this.paths, ...this.links.map(({ path }) => path)];
    let folder = dirname(paths[0]);
    while (!paths.every((path) => isWithin(path, folder))) folder = dirname(folder);
    const end = `${folder}${sep}`.indexOf(`${sep}node_modules${sep}`);
    return end < 0 ? folder : folder.slice(0, end) || sep;
  }
}

export class WorkerFiles {
  private readonly groups: readonly {
    readonly folder: string;
    readonly path: string;
    readonly files: FileGroup;
  }[];

  /** @param modules absolute paths; see readablePaths */
  constructor(modules: readonly string[]) {
    const own = new FileGroup();
    own.addOwnPackage();
    const others: FileGroup[] = [];
    for (const module of modules) {
      const path = realpathSync(existsSync(module) ? module : require.resolve(module));
      const files = isWithin(path, own.folder) ? own : new FileGroup();
      files.addModule(path);
      if (files !== own) others.push(files);
    }
    this.groups = [own, ...others].map((files, i) => ({
      files,
      folder: files.folder,
      path: i === 0 ? '/app' : `/modules/${i}`,
    }));
  }

  /** The outermost files and folders, and their paths in the sandbox. */
  get bound() {
    return this.groups.flatMap(({ files: { paths } }) => {
      const all = [...paths];
      const outermost = all.filter((path) => !all.some((other) => other !== path && isWithin(path, other)));
      return outermost.map((source) => ({ source, path: this.mapPath(source) }));
    });
  }

  /** Targets by the path of the link: packages share links, and bubblewrap makes none twice. */
  get links(): ReadonlyMap<string, string> {
    const { bound } = this;
    const outside = this.groups.flatMap(({ files: { links } }) =>
      links.filter(({ path }) => !bound.some(({ source }) => isWithin(path, source))),
    );
    return new Map(outside.map(({ path, target }) => [this.mapPath(path), this.mapPath(target)]));
  }

  /** Whether a worker reads this file. */
  includes(file: string): boolean {
    const path = realpathSync(file);
    return this.bound.some(({ source }) => isWithin(path, source));
  }

  /** Returns an argument of a worker as it is in the sandbox: paths are translated, other texts stay. */
  inside(argument: string): string {
    if (!isAbsolute(argument)) return argument;
    return this.mapPath(existsSync(argument) ? realpathSync(argument) : argument);
  }

  private mapPath(path: string) {
    const group = this.groups.find(({ folder }) => isWithin(path, folder));
    return group ? join(group.path, relative(group.folder, path)) : path;
  }
}

/** The nearest first. */
function nodeModulesAbove(folder: string): readonly string[] {
  const all = createRequire(join(folder, 'package.json')).resolve.paths('a-package') ?? [];
  // The others are global folders.
  return all.filter((path) => isWithin(folder, dirname(path)));
}

/** Undefined outside of `node_modules`. */
function findPackageFolder(file: string) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];
}

function isWithin(path: string, folder: string) {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
