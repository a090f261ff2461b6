import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { bytesText } from '../../../../contract/units';
import type { SetFile } from '../../api/make-set';
import type { DoneJob } from '../../state/jobs';
import { saveSet, type MadeSet } from '../../state/sets';
import { formatLabel, largerWords, setTable, sizeWords } from '../../words/sets';
import { Icon } from '../parts/icons';

/** The sizes by format and width, the markup, and the archive. */
export function SetResult({ job, set }: { readonly job: DoneJob; readonly set: MadeSet }) {
  const { files, failed, markup } = set.description;
  const { formats, rows } = setTable(set.description, set.wish.kind);
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [set]);
  return (
    <section ref={section} class="set-result stack" aria-label="The set">
      <table class="less numbers">
        <thead>
          <tr>
            <th scope="col">Width</th>
            {formats.map((format) => (
              <th key={format} scope="col">
                {formatLabel(format)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ size, cells }) => (
            <tr key={size.width}>
              <th scope="row">{sizeWords(size)}</th>
              {cells.map((file, i) => (
                <td key={formats[i]}>{file ? <Size file={file} files={files} /> : 'failed'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {failed.map(({ name, message }) => (
        <p key={name} class="trouble">
          {name}: {message}
        </p>
      ))}
      <Markup markup={markup} />
      <div class="actions">
        <button class="primary" onClick={() => void saveSet(job, set)}>
          <Icon name="download" />
          Download ZIP
        </button>
      </div>
    </section>
  );
}

function Size({ file, files }: { readonly file: SetFile; readonly files: readonly SetFile[] }) {
  const larger = largerWords(file, files);
  return (
    <>
      {bytesText(file.bytes)}
      {larger && <span class="set-larger muted small">{larger}</span>}
    </>
  );
}

/** Other contexts have no clipboard; there the text can be selected. */
const canCopyText = isSecureContext;

function Markup({ markup }: { readonly markup: string }) {
  const copied = useSignal('');
  const text = useRef<HTMLPreElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(markup);
      copied.value = markup;
    } catch {
      // The browser may refuse it; then the text is selected, for Ctrl+C.
      if (text.current) getSelection()?.selectAllChildren(text.current);
    }
  };
  const isCopied = copied.value === markup;
  return (
    <div class="set-markup stack">
      <div class="set-head row between">
        <h3>Markup</h3>
        {canCopyText && (
          <button onClick={() => void copy()}>
            <Icon name={isCopied ? 'check' : 'copy'} />
            {isCopied ? 'Copied' : 'Copy markup'}
          </button>
        )}
      </div>
      <pre ref={text} tabIndex={0} role="region" aria-label="Markup">
        <code>{markup}</code>
      </pre>
    </div>
  );
}
