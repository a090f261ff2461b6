/** Markup that is already safe: what the tag below has made. */
export class Html {
  constructor(readonly text: string) {}
}

type Piece = string | number | Html | readonly Html[];

/** Puts texts into markup; whatever is not markup itself is escaped. */
export function html(markup: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(markup.map((text, i) => text + (i < pieces.length ? render(pieces[i]) : '')).join(''));
}

/** Prose of the document: paragraphs, and code in backticks. */
export function prose(text: string): Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

/** The same within a line. */
export function inline(text: string): Html[] {
  return text.split('`').map((piece, i) => (i % 2 ? html`<code>${piece}</code>` : html`${piece}`));
}

/** A table whose first cells name the rows; nothing when there are none. */
export function table(caption: string, rows: readonly (readonly [Html, Html])[]): Html {
  if (rows.length === 0) return html``;
  return html`<div class="scroll">
    <table>
      <caption>
        ${caption}
      </caption>
      <tbody>
        ${rows.map(
          ([name, meaning]) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>${meaning}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function render(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece));
  return piece.map(({ text }) => text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
