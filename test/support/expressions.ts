/** The regular expressions of a source file, from its syntax tree, and texts that their parts match. */
import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';
import ts from 'typescript';

interface FoundExpression {
  readonly place: string;
  readonly expression: RegExp;
}

/** What a part stands for that is only known when the program runs, such as a parameter. */
const ANY_NAME = 'dc:rights';

/** Returns literals and calls of RegExp. @throws SyntaxError when a pattern that is put together cannot be understood */
export function expressionsIn(name: string, text: string) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  for (const statement of file.statements.filter(ts.isVariableStatement)) {
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer) constants.set(name.text, initializer);
    }
  }
  const found: FoundExpression[] = [];
  const add = (node: ts.Node, pattern: string, flags: string) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push({ place: `${name}:${line + 1}`, expression: new RegExp(pattern, flags) });
  };
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [pattern, flags = ''] = (node.arguments ?? []).map((part) => String(valueOf(part, constants)));
      add(node, pattern, flags);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function valueOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string | number {
  const value = (part: ts.Expression) => valueOf(part, constants);
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce(
      (sum, span) => `${sum}${value(span.expression)}${span.literal.text}`,
      node.head.text,
    );
  }
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [value(node.left), value(node.right)];
    return typeof left === 'number' && typeof right === 'number' ? left + right : `${left}${right}`;
  }
  const constant = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
  return constant ? value(constant) : ANY_NAME;
}

/** One of each kind that expressions distinguish. */
const CHARACTERS = Array.from('a0_ -./:"=#%\t\n\u0001\u202e');

/** Texts that the parts of the expression match: all of its parts, and what may stand before one. */
export function partsOf({ source, flags }: RegExp) {
  const beginnings = new Set(['']);
  const parts = new Set(CHARACTERS);
  const add = (node: AST.Node) => parts.add(matchOf(node, flags));
  const onAlternativeEnter = (node: AST.Alternative) => {
    add(node);
    let beginning = '';
    for (const element of node.elements) beginnings.add((beginning += matchOf(element, flags)));
  };
  const onEnter = { onAlternativeEnter, onQuantifierEnter: add, onCharacterClassEnter: add };
  visitRegExpAST(
    new RegExpParser().parsePattern(source, 0, source.length, { unicode: flags.includes('u') }),
    onEnter,
  );
  parts.delete('');
  return { beginnings, parts };
}

/** A short text that the node matches; empty for assertions. */
function matchOf(node: AST.Node, flags: string): string {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return matchOf(node.alternatives[0], flags);
    case 'Alternative':
      return node.elements.map((element) => matchOf(element, flags)).join('');
    case 'Quantifier':
      return matchOf(node.element, flags).repeat(Math.max(1, node.min));
    case 'Character':
      return String.fromCodePoint(node.value);
    case 'CharacterSet':
    case 'CharacterClass': {
      const one = new RegExp(`^${node.raw}$`, flags.replace(/[gy]/g, ''));
      return CHARACTERS.find((character) => one.test(character)) ?? 'z';
    }
    default:
      return '';
  }
}
