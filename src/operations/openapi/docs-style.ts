/** The look of /docs; small enough to travel in the page, where the policy knows it by its digest. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --dim: #55606b; --line: #d5dae0; --paper: #fff; --sunk: #f3f5f7; --accent: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaed; --dim: #a9b2bc; --line: #3a424b; --paper: #15181c; --sunk: #1f242a; --accent: #7db7f5; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
header, main, nav { max-width: 56rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2rem; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { margin-top: 2.5rem; }
h4 { margin: 1.5rem 0 .3rem; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
code { overflow-wrap: anywhere; }
pre { background: var(--sunk); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem; overflow-x: auto; }
nav ul { columns: 2; column-gap: 2rem; padding-left: 1.2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; padding: .6rem 0 .3rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
td p, th p { margin: 0; }
details { margin: .4rem 0; }
summary { cursor: pointer; }
.verb { font-weight: 700; color: var(--accent); }
.dim { color: var(--dim); }
@media (max-width: 40rem) { nav ul { columns: 1; } }
@media print { details > * { display: block; } }
`;
