// The texts that the admin is written in, as they stand in its sources: literal arguments of `t` and `count`, the titles and
// labels of its pages, panels and columns, and the sentences of its errors.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import {
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
  SyntaxKind,
  type Node,
} from 'typescript/unstable/ast'
import type { Checker, Project, Type } from 'typescript/unstable/sync'

/** The texts of the admin in English. */
export interface WordTexts {
  readonly texts: readonly string[]
  /** Texts about a number of things: that of one, by that of many. */
  readonly plurals: Readonly<Record<string, string>>
}

/** What plugins and lists say in their definitions, and others translate. */
const DEFINED = new Set(['title', 'label'])
/** Texts that are known by where they are declared: they are passed on from there. */
const PASSED_ON = new Set([...DEFINED, 'message', 'name', 'description'])
/** Functions that translate a text. */
const TRANSLATORS = new Set(['t', 'count'])
const FOLDER = 'plugins/site/admin'

/** All texts, in the order of the alphabet, and where a text is passed that nobody can find: `FILE:LINE`. */
export function adminTexts(project: Project, root: string): { words: WordTexts; mistakes: string[] } {
  const texts = new Set<string>()
  const plurals = new Map<string, string>()
  const mistakes: string[] = []
  const { checker, program } = project
  for (const file of globSync(`${FOLDER}/**/*.ts`, { cwd: root }).toSorted()) {
    const source = program.getSourceFile(join(root, file))
    if (source === undefined) continue
    const wrong = (node: Node) => {
      const line = source.text.slice(0, node.getStart()).split('\n').length
      mistakes.push(`${file}:${line}: ${node.getText()}`)
    }
    const visit = (node: Node): void => {
      // The definitions of `t` and `count` pass on the texts that they are given.
      if (isPropertyDeclaration(node) && isIdentifier(node.name) && TRANSLATORS.has(node.name.text)) return
      if (isCallExpression(node)) {
        const name = calledName(node.expression)
        const [first, second, third] = node.arguments
        if (name === 't' && first !== undefined) {
          const found = literalsOf(checker, first)
          if (found === null) wrong(first)
          for (const text of found ?? []) texts.add(text)
        }
        if (name === 'count' && second !== undefined && third !== undefined) {
          const [one, many] = [literalsOf(checker, second), literalsOf(checker, third)]
          if (one?.length === 1 && many?.length === 1) plurals.set(many[0]!, one[0]!)
          else wrong(third)
        }
      }
      if (isPropertyAssignment(node) && isIdentifier(node.name) && DEFINED.has(node.name.text)) {
        if (isText(node.initializer)) texts.add(node.initializer.text)
      }
      // Sentences of errors without values.
      if (file.endsWith('errors.ts') && isArrowFunction(node) && isText(node.body)) texts.add(node.body.text)
      node.forEachChild((child) => visit(child))
    }
    visit(source)
  }
  texts.delete('')
  const sorted = [...plurals].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { words: { texts: [...texts].toSorted(), plurals: Object.fromEntries(sorted) }, mistakes }
}

const isText = (node: Node) => isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)

/** The last name of what is called: `t` of `view.t`. */
function calledName(callee: Node): string | null {
  if (isIdentifier(callee)) return callee.text
  return isPropertyAccessExpression(callee) && isIdentifier(callee.name) ? callee.name.text : null
}

/** The texts that an expression may be; an empty list for what is declared elsewhere, null where nobody knows. */
function literalsOf(checker: Checker, node: Node): string[] | null {
  if (isText(node)) return [node.text]
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
  // Labels of content types and taxonomies are those of the site.
  const isLabel = isElementAccessExpression(node) && calledName(node.expression) === 'labels'
  return isLabel || (name !== null && PASSED_ON.has(name)) ? [] : null
}

function valuesOf(type: Type): string[] | null {
  if (type.isStringLiteralType()) return [type.value]
  if (!type.isUnionType()) return null
  const all = type.getTypes().map(valuesOf)
  return all.includes(null) ? null : all.flatMap((one) => one ?? [])
}
