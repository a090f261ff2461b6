/** The files of a drop, those in folders included. */

/** Takes only images from a folder, because nobody chose the other files. */
const IMAGE_NAME = /\.(avif|bmp|gif|heic|heif|jpe?g|jxl|png|tiff?|webp)$/i;

export async function droppedFiles(transfer: DataTransfer | null): Promise<File[]> {
  // The list is empty as soon as the event is over.
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found = await Promise.all(
    dropped.map(async ({ entry, file }) => {
      if (entry?.isDirectory) return filesIn(entry as FileSystemDirectoryEntry);
      return file ? [file] : [];
    }),
  );
  return found.flat();
}

/** In the order of their names. */
async function filesIn(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const entries = await entriesOf(folder);
  entries.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const files: File[] = [];
  for (const entry of entries) {
    if (entry.isDirectory) files.push(...(await filesIn(entry as FileSystemDirectoryEntry)));
    else if (IMAGE_NAME.test(entry.name) && !entry.name.startsWith('.')) {
      const file = await fileOf(entry as FileSystemFileEntry);
      if (file) files.push(file);
    }
  }
  return files;
}

/** Browsers give a hundred at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File | undefined> {
  return new Promise((resolve) => entry.file(resolve, () => resolve(undefined)));
}
