// Finds functions that can take superlinear time for a text, with the API of TypeScript.
import { SyntaxKind, type Node, type SourceFile } from 'typescript/unstable/ast'
import type { Project } from 'typescript/unstable/sync'

/** An exported function or a public method of an exported class. */
export interface TextFunction {
  /** Path below the root, as `kernel/urls.ts`. */
  readonly file: string
  /** `name`, or `Class.method`; `*` for a whole module. */
  readonly name: string
  /** The constructs that can be slow. */
  readonly reasons: readonly string[]
}

/** Packages that parse, compare or search texts. */
const TEXT_PACKAGES: ReadonlySet<string> = new Set([
  '@fastify/busboy',
  'cookie',
  'diff',
  'fastest-levenshtein',
  'htmlparser2',
  'markdown-it',
  'mime',
  'qs',
  're2js',
  'saxes',
  'secure-json-parse',
  'tar-stream',
])
/** Methods that a loop calls to scan a text. */
const SCANS: ReadonlySet<string> = new Set([
  'charAt',
  'charCodeAt',
  'codePointAt',
  'endsWith',
  'exec',
  'indexOf',
  'lastIndexOf',
  'match',
  'replace',
  'search',
  'slice',
  'startsWith',
  'substring',
  'test',
])
const LOOPS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
  SyntaxKind.ForStatement,
  SyntaxKind.ForOfStatement,
])

type Parts = Partial<
  Record<'body' | 'expression' | 'initializer' | 'name' | 'type' | 'moduleSpecifier' | 'importClause', Node>
> &
  Partial<Record<'modifiers' | 'parameters' | 'members' | 'statements', readonly Node[]>> & { text?: string }
const partsOf = (node: Node) => node as Node & Parts

/**
 * Finds exported functions with a string or bytes as a parameter that use, directly or through declarations of their module, a
 * regular expression with an unbounded quantifier, a loop over a text, or a package of `TEXT_PACKAGES`. A module that imports
 * such a package without such a function is listed as `*`.
 * @param root folder with a trailing slash; `folders` are relative to it
 */
export function textFunctions(project: Project, root: string, folders: readonly string[]): TextFunction[] {
  return project.program
    .getSourceFileNames()
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .filter((name) => folders.some((folder) => name.startsWith(`${root}${folder}/`)))
    .toSorted()
    .flatMap((name) => {
      const file = name.slice(root.length)
      const module = new Module(project.program.getSourceFile(name)!)
      const functions = module.functions()
      const found =
        functions.length === 0 && module.parsers.length > 0 ? [{ name: '*', reasons: module.parsers }] : functions
      return found.map((one) => ({ file, ...one }))
    })
}

class Module {
  readonly #source: SourceFile
  /** Top-level declarations by name. */
  readonly #declared = new Map<string, Node>()
  /** Names that are imported from `TEXT_PACKAGES`, with their package. */
  readonly #parsers = new Map<string, string>()

  constructor(source: SourceFile) {
    this.#source = source
    source.forEachChild((statement) => this.#declare(statement))
  }

  /** The imported packages of `TEXT_PACKAGES`. */
  get parsers(): string[] {
    return [...new Set(this.#parsers.values())]
  }

  functions(): Omit<TextFunction, 'file'>[] {
    return [...this.#declared].flatMap(([name, node]) => {
      if (!this.#isExported(node)) return []
      const candidates: [string, Node][] =
        node.kind === SyntaxKind.ClassDeclaration
          ? (partsOf(node).members ?? []).map((member) => [`${name}.${this.#nameOf(member)}`, member])
          : [[name, node]]
      return candidates
        .filter(([label, candidate]) => !label.includes('#') && this.#acceptsText(candidate))
        .map(([label, candidate]) => ({ name: label, reasons: [...this.#reasons(candidate)].toSorted() }))
        .filter(({ reasons }) => reasons.length > 0)
    })
  }

  #declare(statement: Node): void {
    const { name, importClause, moduleSpecifier } = partsOf(statement)
    if (statement.kind === SyntaxKind.ImportDeclaration) {
      const from = this.#textOf(moduleSpecifier!).slice(1, -1)
      if (!TEXT_PACKAGES.has(from) || importClause === undefined) return
      for (const [imported] of this.#textOf(importClause).matchAll(/[\w$]+/g)) this.#parsers.set(imported, from)
    } else if (statement.kind === SyntaxKind.VariableStatement) {
      this.#visit(statement, (node) => {
        if (node.kind === SyntaxKind.VariableDeclaration && node.parent.parent === statement)
          this.#declared.set(this.#nameOf(node), node)
      })
    } else if (name !== undefined) this.#declared.set(this.#nameOf(statement), statement)
  }

  #isExported(node: Node): boolean {
    const statement = node.kind === SyntaxKind.VariableDeclaration ? node.parent.parent : node
    return (partsOf(statement).modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ExportKeyword)
  }

  #acceptsText(node: Node): boolean {
    const { initializer, parameters = initializer === undefined ? [] : partsOf(initializer).parameters } = partsOf(node)
    return (parameters ?? []).some((parameter) => {
      const { type } = partsOf(parameter)
      return type === undefined || /\b(?:string|unknown|Buffer|Uint8Array)\b/.test(this.#textOf(type))
    })
  }

  /** Returns the constructs that can be slow in a declaration and in the declarations of its module that it uses. */
  #reasons(start: Node): Set<string> {
    const reasons = new Set<string>()
    const seen = new Set<Node>()
    const queue = [start]
    const members = new Map((partsOf(start.parent).members ?? []).map((member) => [this.#nameOf(member), member]))
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      if (seen.has(node)) continue
      seen.add(node)
      this.#visit(node, (child) => {
        const reason = this.#reason(child)
        if (reason !== null) reasons.add(reason)
        const isName = child.kind === SyntaxKind.Identifier || child.kind === SyntaxKind.PrivateIdentifier
        const used = isName ? (this.#declared.get(this.#textOf(child)) ?? members.get(this.#textOf(child))) : undefined
        if (used !== undefined && !isType(used)) queue.push(used)
      })
    }
    return reasons
  }

  #reason(node: Node): string | null {
    if (node.kind === SyntaxKind.RegularExpressionLiteral)
      return hasQuantifier(this.#textOf(node)) ? 'regular expression' : null
    if (node.kind === SyntaxKind.NewExpression && this.#textOf(partsOf(node).expression!) === 'RegExp')
      return 'regular expression'
    if (node.kind === SyntaxKind.Identifier) return this.#parsers.get(this.#textOf(node)) ?? null
    return LOOPS.has(node.kind) && this.#scans(node) ? 'loop' : null
  }

  #scans(loop: Node): boolean {
    let found = false
    this.#visit(loop, (node) => {
      const { expression } = partsOf(node)
      if (node.kind !== SyntaxKind.CallExpression || expression === undefined) return
      const { name } = partsOf(expression)
      found ||= name !== undefined && SCANS.has(this.#textOf(name))
    })
    return found
  }

  #visit(node: Node, callback: (node: Node) => void): void {
    callback(node)
    node.forEachChild((child) => this.#visit(child, callback))
  }

  #nameOf(node: Node): string {
    const { name } = partsOf(node)
    return name === undefined ? 'constructor' : this.#textOf(name)
  }

  #textOf({ pos, end }: Node): string {
    return this.#source.text.slice(pos, end).replace(/^(?:\s|\/\*[^]*?\*\/|\/\/.*)+/, '')
  }
}

const isType = ({ kind }: Node) => kind === SyntaxKind.InterfaceDeclaration || kind === SyntaxKind.TypeAliasDeclaration

/** Whether a regular expression has an unbounded quantifier. */
function hasQuantifier(literal: string): boolean {
  return /[*+]|\{\d+,\}/.test(literal.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x'))
}
