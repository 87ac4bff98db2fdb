// Which types the hooks and services mention, and which of them nobody can import: read with TypeScript's own API, so that
// aliases, generics and inherited members are those that an editor sees.
import { relative } from 'node:path'
import { SyntaxKind, type Node } from 'typescript/unstable/ast'
import {
  API,
  SymbolFlags,
  type Checker,
  type NodeHandle,
  type Project,
  type Symbol as Declared,
  type Type,
} from 'typescript/unstable/sync'

/** A project of TypeScript, opened until its scope ends. */
export function openProject(configFile: string): Project & Disposable {
  const api = new API()
  const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile)
  if (project === undefined) throw new Error(`There is no project ${configFile}.`)
  return Object.assign(project, { [Symbol.dispose]: () => api.close() })
}

/** What a module exports, wherever that is declared. */
export function exportsOf({ checker, program }: Project, entry: string): Declared[] {
  const file = program.getSourceFile(entry)
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) throw new Error(`${entry} is no module of the project.`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
}

/**
 * The types that `entry` does not export although the members of these interfaces of it mention them, or what they mention
 * does; each with its place and with what mentions it first.
 */
export function unexportedTypes(
  project: Project,
  entry: string,
  root: string,
  interfaces: readonly string[],
): string[] {
  const { checker } = project
  const exported = exportsOf(project, entry)
  const walk = new Walk(project, exported, root)
  for (const name of interfaces) {
    const found = exported.find((symbol) => symbol.name === name)
    if (found === undefined) throw new Error(`${entry} has no ${name}.`)
    for (const member of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(found)))
      walk.enter(member, member.name)
  }
  return [...walk.missing].map(([type, place]) => `${relative(root, type)}, mentioned by ${place}`).toSorted()
}

class Walk {
  /** What mentions them by `FILE: NAME` of the types that are not exported. */
  readonly missing = new Map<string, string>()
  readonly #checker: Checker
  readonly #root: string
  readonly #exported: ReadonlySet<string>
  readonly #seen = new Set<string>()

  constructor({ checker }: Project, exported: readonly Declared[], root: string) {
    this.#root = root.replaceAll('\\', '/')
    this.#checker = checker
    this.#exported = new Set(exported.flatMap(({ declarations }) => declarations.map(placeOf)))
  }

  /** Looks at the declarations of what is mentioned. `isNamed`: whether somebody may want to name it. */
  enter(mentioned: Declared, by: string, isNamed = true): void {
    const symbol = this.#resolved(mentioned)
    for (const handle of symbol.declarations) {
      const place = placeOf(handle)
      // What other packages declare they export themselves, or not.
      if (this.#seen.has(place) || this.#isForeign(handle.path)) continue
      this.#seen.add(place)
      const node = handle.resolve()!
      const isMissing = isNamed && standsAlone(node) && !this.#exported.has(place)
      if (isMissing && !isAny(node)) this.missing.set(`${node.getSourceFile().fileName}: ${symbol.name}`, by)
      this.#visit(node, symbol.name)
    }
  }

  #isForeign(path: string): boolean {
    // TypeScript compares paths in lower case where the disk does.
    const own = path.toLowerCase().startsWith(`${this.#root.toLowerCase()}/`)
    return !own || path.slice(this.#root.length).includes('/node_modules/')
  }

  #resolved(symbol: Declared): Declared {
    return symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }

  /** What a declaration says to those who use it: neither bodies nor what is private. */
  #visit(node: Node, place: string): void {
    if (isHidden(node)) return
    if (node.kind === SyntaxKind.Identifier) {
      const symbol = this.#checker.getSymbolAtLocation(node)
      // The members of what it extends are its own.
      if (symbol !== undefined) this.enter(symbol, place, node.parent.kind !== SyntaxKind.ExpressionWithTypeArguments)
      return
    }
    const { body, initializer, name, type } = node as Node &
      Partial<Record<'body' | 'initializer' | 'name' | 'type', Node>>
    // What is not written down is as the compiler infers it.
    if (type === undefined && (body !== undefined || initializer !== undefined)) {
      const signature = isFunction(node) ? this.#checker.getSignatureFromDeclaration(node) : undefined
      const inferred = signature
        ? this.#checker.getReturnTypeOfSignature(signature)
        : this.#checker.getTypeAtLocation(node)
      if (inferred !== undefined) this.#enterType(inferred, place)
    }
    node.forEachChild((child) => {
      if (child !== body && child !== initializer && child !== name) this.#visit(child, place)
    })
  }

  #enterType(type: Type, place: string, depth = 0): void {
    if (depth > 4) return
    const symbol = type.getAliasSymbol() ?? type.getSymbol()
    if (symbol !== undefined) this.enter(symbol, place)
    for (const part of [...partsOf(type), ...type.getAliasTypeArguments()]) this.#enterType(part, place, depth + 1)
    if (type.isTypeReference())
      for (const part of this.#checker.getTypeArguments(type)) this.#enterType(part, place, depth + 1)
  }
}

/** The same for a declaration, wherever it is met: symbols are merged, and are others then. */
const placeOf = ({ path, index }: NodeHandle) => `${path}#${index}`

/**
 * Whether somebody may want to name what is declared: a type, unlike a type parameter; and not an alias that computes one,
 * which its own file keeps to itself.
 */
function standsAlone(node: Node): boolean {
  const { modifiers, typeParameters } = node as Node & Partial<Record<'modifiers' | 'typeParameters', readonly Node[]>>
  if (node.kind === SyntaxKind.TypeAliasDeclaration) {
    return typeParameters === undefined || (modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ExportKeyword)
  }
  return node.kind === SyntaxKind.InterfaceDeclaration || node.kind === SyntaxKind.ClassDeclaration
}

/** Whether it is `any` by another name. */
const isAny = (node: Node) => (node as Node & { type?: Node }).type?.kind === SyntaxKind.AnyKeyword

const isFunction = ({ kind }: Node) =>
  [
    SyntaxKind.FunctionDeclaration,
    SyntaxKind.MethodDeclaration,
    SyntaxKind.GetAccessor,
    SyntaxKind.FunctionExpression,
    SyntaxKind.ArrowFunction,
  ].includes(kind)

const partsOf = (type: Type) => (type.isUnionType() || type.isIntersectionType() ? type.getTypes() : [])

/** Whether a member is not for others: it is private, or marked `@internal`. */
export function isHidden(node: Node): boolean {
  const { jsDoc = [], modifiers, name } = node as Node & { modifiers?: readonly Node[]; name?: Node }
  // What is the kernel's own business the build leaves out of the package's types.
  if (jsDoc.some((comment) => comment.getText().includes('@internal'))) return true
  if (name?.kind === SyntaxKind.PrivateIdentifier) return true
  return (modifiers ?? []).some(({ kind }) => kind === SyntaxKind.PrivateKeyword)
}
