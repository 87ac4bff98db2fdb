// Collects the texts of the catalog from the sources: literal arguments of `t`, `html` and `count`; titles, labels and
// errors of the admin; errors of the login page; and the texts of the default theme.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isNoSubstitutionTemplateLiteral,
  isParenthesizedExpression,
  isStringLiteral,
  isTemplateExpression,
  SyntaxKind,
  type Node,
} from 'typescript/unstable/ast'
import type { Checker, Project, Type } from 'typescript/unstable/sync'
import { changeTexts } from '../../plugins/design/themes/translate-markup.ts'

/** The texts of the admin in English. */
export interface WordTexts {
  readonly texts: readonly string[]
  /** Singular texts by their plural texts. */
  readonly plurals: Readonly<Record<string, string>>
}

/** Properties of definitions whose texts are translated when they are shown. */
const DEFINED = new Set(['title', 'label'])
/** Properties whose texts are collected from their declarations. */
const PASSED_ON = new Set([...DEFINED, 'message', 'name', 'description'])
/** Functions that translate a text. */
const TRANSLATORS = new Set(['t', 'count'])
const ADMIN = 'plugins/site/admin'
/** Contexts of texts that are collected from theme files or from a running site. */
const COLLECTED_CONTEXTS = new Set(['theme|', 'pattern|', 'template|', 'block style|', 'view|'])
/** Folders with texts. */
const FOLDERS = 'plugins/{people,content,rendering,design,operations,site,compat}'
/** Files that use translations. */
const USES = /\b(?:translations|texts|Texts|Words|addPage|addPanel|AdminView|PageView)\b/
/** Messages that pages show to visitors. */
const SHOWN_ERRORS: Readonly<Record<string, RegExp>> = {
  'plugins/people/login/errors.ts': /^(?:login_|rest_confirmation_failed)/,
  'plugins/content/comments/errors.ts':
    /^(?:comment_|rest_comment_(?:closed|login_required|draft_post|trash_post|invalid_parent)|rest_cannot_read$)/,
}
/** Files that define parts of the admin. */
const ADMIN_PARTS = /\/(?:admin-links|admin-page|admin)\.ts$/
/** Translates texts that it receives as arguments, so it contains none. */
const BLOCK_TEXTS = 'plugins/rendering/core-blocks/texts.ts'
const THEMES = 'plugins/design/themes'

/**
 * Returns all texts in alphabetical order, and as `FILE:LINE` the calls whose text cannot be determined.
 * @param labels further texts: labels that a running site registers
 */
export function catalogTexts(
  project: Project,
  root: string,
  labels: readonly string[] = [],
): { words: WordTexts; mistakes: string[] } {
  const texts = new Set<string>([...labels, ...themeTexts(root)])
  const plurals = new Map<string, string>()
  const mistakes: string[] = []
  const { checker, program } = project
  for (const file of globSync(`${FOLDERS}/**/*.ts`, { cwd: root }).toSorted()) {
    const isAdmin = file.startsWith(ADMIN)
    const source = program.getSourceFile(join(root, file))
    if (source === undefined || file === BLOCK_TEXTS) continue
    const shown = SHOWN_ERRORS[file]
    if (!isAdmin && shown === undefined && !USES.test(source.text)) continue
    const reportMistake = (node: Node) => {
      const line = source.text.slice(0, node.getStart()).split('\n').length
      mistakes.push(`${file}:${line}: ${node.getText()}`)
    }
    const visit = (node: Node): void => {
      // The definitions of `t` and `count` receive texts as arguments.
      if (isPropertyDeclaration(node) && isIdentifier(node.name) && TRANSLATORS.has(node.name.text)) return
      if (isCallExpression(node)) {
        const name = calledName(node.expression)
        const [first, second, third] = node.arguments
        const isHtml =
          name === 'html' &&
          isPropertyAccessExpression(node.expression) &&
          calledName(node.expression.expression) === 'words'
        if ((name === 't' || isHtml) && first !== undefined) {
          const found = literalsOf(checker, first)
          if (found === null) reportMistake(first)
          for (const text of found ?? []) texts.add(text)
        }
        if (name === 'count' && second !== undefined && third !== undefined && node.arguments.length === 3) {
          const [one, many] = [literalsOf(checker, second), literalsOf(checker, third)]
          if (one?.length === 1 && many?.length === 1) plurals.set(many[0]!, one[0]!)
          else reportMistake(third)
        }
      }
      if (isPropertyAssignment(node) && isIdentifier(node.name) && DEFINED.has(node.name.text)) {
        if ((isAdmin || ADMIN_PARTS.test(file)) && isText(node.initializer)) texts.add(node.initializer.text)
      }
      if (shown !== undefined && isPropertyAssignment(node) && isIdentifier(node.name) && shown.test(node.name.text)) {
        const { initializer } = node
        if (isArrayLiteralExpression(initializer))
          for (const one of initializer.elements) if (isText(one)) texts.add(one.text)
      }
      // Error messages without values.
      if (isAdmin && file.endsWith('errors.ts') && isArrowFunction(node) && isText(node.body)) texts.add(node.body.text)
      node.forEachChild((child) => visit(child))
    }
    visit(source)
  }
  texts.delete('')
  const sorted = [...plurals].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { words: { texts: [...texts].toSorted(), plurals: Object.fromEntries(sorted) }, mistakes }
}

const isText = (node: Node) => isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)

/** Returns the last name of a callee: `t` of `view.t`. */
function calledName(callee: Node): string | null {
  if (isIdentifier(callee)) return callee.text
  return isPropertyAccessExpression(callee) && isIdentifier(callee.name) ? callee.name.text : null
}

/**
 * Returns the possible texts of an expression: an empty list if they are collected elsewhere, null if they are unknown.
 */
function literalsOf(checker: Checker, node: Node): string[] | null {
  if (isText(node)) return [node.text]
  // Texts of themes, collected from their files, and texts that a running site registers.
  if (isTemplateExpression(node) && COLLECTED_CONTEXTS.has(node.head.text)) return []
  if (isParenthesizedExpression(node)) return literalsOf(checker, node.expression)
  if (isConditionalExpression(node)) {
    const [yes, no] = [literalsOf(checker, node.whenTrue), literalsOf(checker, node.whenFalse)]
    return yes === null || no === null ? null : [...yes, ...no]
  }
  if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
    const [left, right] = [literalsOf(checker, node.left), literalsOf(checker, node.right)]
    return left === null || right === null ? null : [...left, ...right]
  }
  const type = checker.getTypeAtLocation(node)
  const found = type === undefined ? null : valuesOf(type)
  if (found !== null) return found
  const name = calledName(node)
  // Labels of content types and taxonomies come from the running site.
  const isLabel = isElementAccessExpression(node) && calledName(node.expression) === 'labels'
  return isLabel || (name !== null && PASSED_ON.has(name)) ? [] : null
}

function valuesOf(type: Type): string[] | null {
  if (type.isStringLiteralType()) return [type.value]
  if (!type.isUnionType()) return null
  const all = type.getTypes().map(valuesOf)
  return all.includes(null) ? null : all.flatMap((one) => one ?? [])
}

/** Returns the texts of the default theme: its markup, the titles of its patterns, and names in `theme.json`. */
function themeTexts(root: string): string[] {
  const texts: string[] = []
  const collect = (text: string) => {
    if (/\p{L}/u.test(text)) texts.push(`theme|${text}`)
    return text
  }
  const folder = join(root, THEMES)
  for (const file of globSync('*/{templates,parts,patterns}/*.html', { cwd: folder })) {
    const markup = readFileSync(join(folder, file), 'utf8')
    for (const [, text] of markup.matchAll(/^(?:Title|Description): (.+)$/gm)) collect(text!)
    changeTexts(markup, collect)
  }
  for (const file of globSync('*/{theme,styles/*}.json', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, name] of text.matchAll(/"(?:name|title)": "([A-Z][^"]*)"/g)) collect(name!)
  }
  return texts
}
