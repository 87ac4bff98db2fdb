// Finds types in the declarations of hooks and services that the package does not export. Reads them with the API of
// TypeScript, which resolves aliases, generics and inherited members as editors do.
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

/** Opens a TypeScript project until its scope ends. */
export function openProject(configFile: string): Project & Disposable {
  const api = new API()
  const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile)
  if (project === undefined) throw new Error(`TypeScript found no project at ${configFile}.`)
  return Object.assign(project, { [Symbol.dispose]: () => api.close() })
}

/** Returns the exports of a module, including re-exports. */
export function exportsOf({ checker, program }: Project, entry: string): Declared[] {
  const file = program.getSourceFile(entry)
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) throw new Error(`${entry} is not a module of the project.`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
}

/**
 * Returns types that the members of these interfaces mention directly or through other types, but that `entry` does not
 * export. Each has its file and the name of the first declaration that mentions it.
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
    if (found === undefined) throw new Error(`${entry} does not export ${name}.`)
    for (const member of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(found)))
      walk.enter(member, member.name)
  }
  return [...walk.missing].map(([type, place]) => `${relative(root, type)}, mentioned by ${place}`).toSorted()
}

class Walk {
  /** Names of the declarations that mention unexported types, by `FILE: NAME` of the type. */
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

  /** Visits the declarations of a mentioned symbol. @param isNamed whether its type must be exported */
  enter(mentioned: Declared, by: string, isNamed = true): void {
    const symbol = this.#resolved(mentioned)
    for (const handle of symbol.declarations) {
      const place = placeOf(handle)
      // Other packages decide about the export of their types.
      if (this.#seen.has(place) || this.#isForeign(handle.path)) continue
      this.#seen.add(place)
      const node = handle.resolve()!
      const isMissing = isNamed && isNameable(node) && !this.#exported.has(place)
      if (isMissing && !isAny(node)) this.missing.set(`${node.getSourceFile().fileName}: ${symbol.name}`, by)
      this.#visit(node, symbol.name)
    }
  }

  #isForeign(path: string): boolean {
    // On case-insensitive file systems TypeScript returns paths in lower case.
    const own = path.toLowerCase().startsWith(`${this.#root.toLowerCase()}/`)
    return !own || path.slice(this.#root.length).includes('/node_modules/')
  }

  #resolved(symbol: Declared): Declared {
    return symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }

  /** Visits the visible part of a declaration: no function bodies, initial values or private members. */
  #visit(node: Node, place: string): void {
    if (isHidden(node)) return
    if (node.kind === SyntaxKind.Identifier) {
      const symbol = this.#checker.getSymbolAtLocation(node)
      // A base class needs no export: its members appear as members of the subclass.
      if (symbol !== undefined) this.enter(symbol, place, node.parent.kind !== SyntaxKind.ExpressionWithTypeArguments)
      return
    }
    const { body, initializer, name, type } = node as Node &
      Partial<Record<'body' | 'initializer' | 'name' | 'type', Node>>
    // Without a type annotation, the compiler infers the type.
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

/** Identifies a declaration. Symbols do not: merging creates new ones. */
const placeOf = ({ path, index }: NodeHandle) => `${path}#${index}`

/**
 * Whether plugin authors could need the name of a declaration: interfaces, classes and type aliases, but not type
 * parameters or unexported generic aliases.
 */
function isNameable(node: Node): boolean {
  const { modifiers, typeParameters } = node as Node & Partial<Record<'modifiers' | 'typeParameters', readonly Node[]>>
  if (node.kind === SyntaxKind.TypeAliasDeclaration) {
    return typeParameters === undefined || (modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ExportKeyword)
  }
  return node.kind === SyntaxKind.InterfaceDeclaration || node.kind === SyntaxKind.ClassDeclaration
}

/** Whether a declaration is an alias of `any`. */
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

/** Whether a member is private or marked `@internal`. */
export function isHidden(node: Node): boolean {
  const { jsDoc = [], modifiers, name } = node as Node & { modifiers?: readonly Node[]; name?: Node }
  // The build omits internal members from the types of the package.
  if (jsDoc.some((comment) => comment.getText().includes('@internal'))) return true
  if (name?.kind === SyntaxKind.PrivateIdentifier) return true
  return (modifiers ?? []).some(({ kind }) => kind === SyntaxKind.PrivateKeyword)
}
