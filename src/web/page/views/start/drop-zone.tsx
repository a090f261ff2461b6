import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { extensionOf } from '../../../../contract/formats';
import { facts, formats } from '../../api/facts';
import { isTrialOffered } from '../../state/credentials';
import { addFiles, jobs } from '../../state/jobs';
import { dropWords, type DraggedFiles } from '../../words/list';
import { countText } from '../../words/numbers';
import { FILE_INPUT } from '../parts/focus';
import { Icon } from '../parts/icons';

export function DropZone() {
  const dragged = useSignal<DraggedFiles | undefined>(undefined);
  const isEmpty = jobs.value.length === 0;
  // At once: the browser would open files that are dropped before.
  useLayoutEffect(() => takeFilesFromEverywhere((files) => (dragged.value = files)), [dragged]);
  const choose = (input: HTMLInputElement) => {
    void addFiles([...(input.files ?? [])]);
    // So that choosing the same file again is a change again.
    input.value = '';
  };
  return (
    <>
      <label class={isEmpty ? 'drop-zone' : 'drop-zone compact'}>
        <input
          id={FILE_INPUT}
          class="visually-hidden"
          type="file"
          multiple
          accept={formats.uploads.mediaTypes.join(',')}
          onChange={(event) => choose(event.currentTarget)}
        />
        <span class="drop-title row">
          <Icon name="upload" />
          Choose {formats.uploads.or} images
        </span>
        <span class="hint">or drop them, or a folder, anywhere on this page, or paste one</span>
        {isEmpty && isTrialOffered.value && (
          <span class="less">{countText(facts.trialImages, 'image')} free, without an account</span>
        )}
      </label>
      {dragged.value && (
        <div class="drop-over">
          <p>{dropWords(dragged.value, formats)}</p>
        </div>
      )}
    </>
  );
}

/** For good: the drop zone never leaves the page. */
function takeFilesFromEverywhere(onDrag: (files: DraggedFiles | undefined) => void) {
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    onDrag(draggedFiles(event.dataTransfer));
  });
  addEventListener('dragleave', (event) => event.relatedTarget === null && onDrag(undefined));
  addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    onDrag(undefined);
    // A number that was just typed counts.
    (document.activeElement as HTMLElement | null)?.blur();
    void droppedFiles(event.dataTransfer).then(addFiles);
  });
  addEventListener('paste', (event) => void addFiles([...(event.clipboardData?.files ?? [])]));
}

function fileItems(transfer: DataTransfer | null) {
  return [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file');
}

function draggedFiles(transfer: DataTransfer | null): DraggedFiles {
  const types = fileItems(transfer).map(({ type }) => type);
  const others = types.filter((type) => type !== '' && !formats.uploads.mediaTypes.includes(type));
  return { count: types.length, others: others.length };
}

/** Takes only images from a folder, because nobody chose the other files. */
const IMAGE_EXTENSIONS = [
  ...Object.values(facts.formats).flatMap(({ extensions }) => extensions),
  ...['bmp', 'gif', 'heic', 'heif', 'tif', 'tiff'],
];

async function droppedFiles(transfer: DataTransfer | null) {
  // The list is empty as soon as the event is over, so nothing is awaited before it has been read.
  const found = fileItems(transfer).map(async (item) => {
    const entry = item.webkitGetAsEntry();
    if (entry?.isDirectory) return filesIn(entry as FileSystemDirectoryEntry);
    return item.getAsFile() ?? [];
  });
  return (await Promise.all(found)).flat();
}

async function filesIn(folder: FileSystemDirectoryEntry) {
  const entries = await listEntries(folder);
  entries.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const files: File[] = [];
  for (const entry of entries) {
    if (entry.isDirectory) files.push(...(await filesIn(entry as FileSystemDirectoryEntry)));
    else if (IMAGE_EXTENSIONS.includes(extensionOf(entry.name)) && !entry.name.startsWith('.')) {
      const file = await openFile(entry as FileSystemFileEntry);
      if (file) files.push(file);
    }
  }
  return files;
}

async function listEntries(folder: FileSystemDirectoryEntry) {
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

function openFile(entry: FileSystemFileEntry): Promise<File | undefined> {
  return new Promise((resolve) => entry.file(resolve, () => resolve(undefined)));
}
