// Generates docs/reference/services.md, a page for each service in docs/reference/services/, and
// docs/reference/types.md with the other public types. Reads the declarations through the compiler.
import { relative } from 'node:path'
import { SyntaxKind, type Node } from 'typescript/unstable/ast'
import {
  NodeBuilderFlags,
  SymbolFlags,
  type Checker,
  type Project,
  type Symbol as Declared,
} from 'typescript/unstable/sync'
import { exportsOf, isHidden as isHiddenNode } from './mentioned-types.ts'
import { cell } from './table-cell.ts'

export interface ServicePagesOptions {
  readonly root: string
  /** Module whose exports are public. */
  readonly entry: string
  /** Comment at the top of a generated page. */
  readonly notice: string
  /** Returns the plugin that provides a service. */
  readonly providerOf: (service: string) => string
  /** Returns the plugin of a source file, or `kernel`. */
  readonly ownerOf: (file: string) => string
}

/** A public type, and the text that describes it. */
interface PublicType {
  readonly name: string
  /** Plugin that declares it, or `kernel`. */
  readonly owner: string
  readonly text: string
  /** Names of other public types in its declaration. */
  readonly mentions: ReadonlySet<string>
}

/** Public interfaces with separate pages. */
const SEPARATELY_DOCUMENTED = new Set(['Hooks', 'HookFamilies', 'ItemTypes', 'Services'])

/** Returns the texts of the pages by path relative to the root of the repository. */
export function servicePages(project: Project, options: ServicePagesOptions): Map<string, string> {
  const { notice, providerOf } = options
  const { checker } = project
  const exported = exportsOf(project, options.entry)
  const types = publicTypes(checker, exported, options)
  const services = exported.find(({ name }) => name === 'Services')!
  const members = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(services))
    // Type tests also declare services.
    .filter(({ declarations }) => !declarations.some(({ path }) => path.includes('/test/types/')))
    .toSorted((a, b) => a.name.localeCompare(b.name))
  const pages = new Map<string, string>()
  const rows: string[] = []
  // A type is described on the first page of its plugin whose service mentions it.
  const placed = new Set<string>()
  for (const service of members) {
    const provider = providerOf(service.name)
    const { summary, text } = serviceText(checker, service, provider)
    const own = typesOf(text, provider, types).filter(({ name }) => !placed.has(name))
    for (const { name } of own) placed.add(name)
    pages.set(
      `docs/reference/services/${service.name}.md`,
      `${notice}# ${service.name}\n\n${text}${own.length === 0 ? '' : `\n## Types\n\n${own.map((type) => type.text).join('\n')}`}`,
    )
    rows.push(`| [\`${service.name}\`](services/${service.name}.md) | ${provider} | ${cell(summary)} |`)
  }
  const others = [...types.values()].filter(({ name }) => !placed.has(name))
  pages.set('docs/reference/services.md', `${notice}${INDEX}${rows.join('\n')}\n`)
  pages.set('docs/reference/types.md', `${notice}${TYPES}${others.map(({ text }) => text).join('\n')}`)
  return pages
}

const INDEX = `# Services

The services that plugins provide to each other: \`services.posts\` in \`apply\`. List the plugin of a service in \`needs\`,
\`after\` or \`uses\` ([which one](../guides/writing-plugins.md#other-plugins)). All types on these pages can be imported from
\`svc-rest\`.

Methods throw a \`RestError\` with a [code](errors.md) of their page. Errors of the database have the codes of the
[store](services/store.md), whichever service runs the statement.

Methods with the parameter \`scope\` expect \`request.scope\`: it combines the reads of many items of a request into one statement.

| service | plugin | |
|---|---|---|
`

const TYPES = `# Types

Public types that no page of a [service](services.md) describes. Import them from \`svc-rest\`. Classes are in
[functions and classes](functions.md).

`

function serviceText(checker: Checker, service: Declared, provider: string): { summary: string; text: string } {
  const type = checker.getTypeOfSymbol(service)!
  const ofService = documentationOf(checker, service)
  const symbol = type.getAliasSymbol() ?? type.getSymbol()
  // Omits doc comments of the standard library, such as that of `Pick`.
  const ofType = documentationOf(checker, isForeign(symbol) ? undefined : symbol)
  const members = checker.getPropertiesOfType(type).filter((member) => !isHidden(member))
  const written = typeOf(service) ?? checker.typeToString(type)
  const text = [
    ofService.text,
    `Type \`${written}\`, provided by [${provider}](../plugins.md#${provider}).`,
    // The doc comment of a type that other services share.
    ...(ofType.text === '' || ofType.text === ofService.text ? [] : [ofType.text]),
    ...ofService.examples.map(codeBlock),
    ...members.map((member) => memberText(checker, service.name, member)),
  ]
  return { summary: ofService.text, text: `${text.join('\n\n')}\n` }
}

/** Describes all exported interfaces and type aliases, by name. */
function publicTypes(
  checker: Checker,
  exported: readonly Declared[],
  { root, ownerOf }: ServicePagesOptions,
): Map<string, PublicType> {
  const symbols = exported.filter(
    ({ flags, name }) =>
      (flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias)) !== 0 &&
      (flags & SymbolFlags.Class) === 0 &&
      !SEPARATELY_DOCUMENTED.has(name),
  )
  const names = new Set(symbols.map(({ name }) => name))
  return new Map(
    symbols
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map((symbol) => {
        const { name } = symbol
        const declarations = symbol.declarations.map((handle) => handle.resolve() as Node & Parts)
        const source = declarations.map((node) => node.getText()).join('\n')
        const mentions = new Set(
          [...source.matchAll(/\b[A-Z]\w+/g)].map(([word]) => word).filter((word) => names.has(word)),
        )
        const owner = ownerOf(relative(root, declarations[0]!.getSourceFile().fileName).replaceAll('\\', '/'))
        return [name, { name, owner, mentions, text: typeText(checker, symbol, declarations[0]!) }] as const
      }),
  )
}

/**
 * Returns the types of a plugin that the page of its service mentions, directly or through other types of the plugin.
 */
function typesOf(text: string, plugin: string, types: ReadonlyMap<string, PublicType>): PublicType[] {
  const found = new Map<string, PublicType>()
  const visit = (names: Iterable<string>): void => {
    for (const name of names) {
      const type = types.get(name)
      if (type === undefined || type.owner !== plugin || found.has(name)) continue
      found.set(name, type)
      visit(type.mentions)
    }
  }
  visit([...text.matchAll(/\b[A-Z]\w+/g)].map(([word]) => word))
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** Describes a type: a table of the properties of an interface, or the definition of an alias. */
function typeText(checker: Checker, symbol: Declared, node: Node & Parts): string {
  const { text, examples } = documentationOf(checker, symbol)
  const parts = [`### \`${symbol.name}\``]
  const about = text === '' ? [] : [text]
  if ((symbol.flags & SymbolFlags.Interface) === 0) {
    // The definition comes first, as the signature of a method does: other code blocks are examples.
    const definition = node
      .getText()
      .replace(/^\/\*\*[\s\S]*?\*\/\s*/, '')
      .replace(/^export /, '')
    parts.push(codeBlock(oneLine(definition)), ...about)
  } else {
    parts.push(...about)
    const properties = checker
      .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
      .filter(
        (property) => !isHidden(property) && !property.declarations.some(({ path }) => path.includes('/node_modules/')),
      )
    const rows = properties.map((property) => {
      const { text: summary, params, returns, throws } = documentationOf(checker, property)
      const facts = [
        summary,
        ...params.map((param) => `${param}.`),
        ...(returns === '' ? [] : [`Returns ${returns}.`]),
        ...(throws === '' ? [] : [`Throws ${throws}.`]),
      ]
      const signature = signaturesOf(checker, property).replace(/^readonly /, '')
      return `| \`${cell(signature)}\` | ${cell(facts.filter((fact) => fact !== '').join(' '))} |`
    })
    if (rows.length > 0) parts.push(`| property | |\n|---|---|\n${rows.join('\n')}`)
  }
  return `${[...parts, ...examples.map(codeBlock)].join('\n\n')}\n`
}

/** Whether another package, or the standard library, declares a symbol. */
const isForeign = (symbol: Declared | undefined) =>
  symbol?.declarations.some(({ path }) => path.includes('/node_modules/') || /\/lib\.[\w.]+\.d\.ts$/.test(path)) ===
  true

function memberText(checker: Checker, service: string, member: Declared): string {
  const { text, params, returns, throws, examples } = documentationOf(checker, member)
  const facts = [
    ...params.map((param) => `- ${param}`),
    ...(returns === '' ? [] : [`- Returns ${returns}.`]),
    ...(throws === '' ? [] : [`- Throws ${throws}.`]),
  ]
  return [
    `## \`${service}.${member.name}\``,
    codeBlock(signaturesOf(checker, member)),
    text,
    ...(facts.length === 0 ? [] : [facts.join('\n')]),
    ...examples.map(codeBlock),
  ].join('\n\n')
}

const codeBlock = (code: string) => `\`\`\`ts\n${code}\n\`\`\``

/** Whether a member is private, internal or deprecated. */
const isHidden = ({ name, declarations }: Declared) =>
  // Private members and symbols.
  name.includes('#') ||
  name.startsWith('__@') ||
  declarations.some((handle) => {
    const node = handle.resolve() as Node & Parts
    return (
      isHiddenNode(node) ||
      isDeprecated(node) ||
      (node.modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ProtectedKeyword)
    )
  })

/** Whether a declaration is the alias of a renamed one, which the pages omit. */
const isDeprecated = ({ jsDoc = [] }: Node) => jsDoc.some((comment) => comment.getText().includes('@deprecated'))

interface Documentation {
  text: string
  params: string[]
  returns: string
  throws: string
  examples: string[]
}

function documentationOf(checker: Checker, symbol: Declared | undefined): Documentation {
  const tags = symbol?.getJsDocTags(checker) ?? []
  const textsOf = (tag: string) => tags.flatMap(({ name, text }) => (name === tag && text !== undefined ? [text] : []))
  const sentence = (tag: string) => textsOf(tag).map(flat).join('; ').replace(/\.$/, '')
  return {
    text: (symbol?.getDocumentationComment(checker) ?? '')
      .split(/\n\s*\n/)
      .map(flat)
      .join('\n\n'),
    params: textsOf('param').map((param) => flat(param).replace(/^([\w.]+) /, '`$1`: ')),
    returns: sentence('returns'),
    throws: sentence('throws'),
    examples: textsOf('example').map((code) => code.trim()),
  }
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

interface Parts {
  name?: Node
  type?: Node
  initializer?: Node
  typeParameters?: readonly Node[]
  parameters?: readonly Node[]
  body?: Node
  modifiers?: readonly Node[]
  questionToken?: Node
  /** `?` after the name of a property. */
  postfixToken?: Node
}

const typeOf = ({ declarations }: Declared) => (declarations[0]?.resolve() as Parts | undefined)?.type?.getText()

/** Returns the signature of a member as declared. Types that are not annotated are inferred by the compiler. */
function signaturesOf(checker: Checker, member: Declared): string {
  const nodes = member.declarations.map((handle) => handle.resolve() as Node & Parts)
  // The implementation of an overloaded method is not one of its signatures.
  const callable = nodes.length > 1 ? nodes.filter(({ body }) => body === undefined) : nodes
  return callable.map((node) => signatureOf(checker, member, node)).join('\n')
}

function signatureOf(checker: Checker, member: Declared, node: Node & Parts): string {
  const { initializer } = node
  const isArrow = initializer?.kind === SyntaxKind.ArrowFunction && node.type === undefined
  const { parameters, typeParameters, type } = (isArrow ? initializer : node) as Parts
  const readonly = (node.modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ReadonlyKeyword) ? 'readonly ' : ''
  const optional = (node.questionToken ?? node.postfixToken)?.kind === SyntaxKind.QuestionToken ? '?' : ''
  if (node.kind === SyntaxKind.GetAccessor || parameters === undefined) {
    const written = type?.getText() ?? inferred(checker, member)
    return oneLine(
      `${node.kind === SyntaxKind.GetAccessor ? 'readonly ' : readonly}${member.name}${optional}: ${written}`,
    )
  }
  const generics = typeParameters?.length ? `<${typeParameters.map((one) => one.getText()).join(', ')}>` : ''
  const parameterTexts = parameters.map((one) => parameterOf(checker, one)).filter((one) => !one.startsWith('this:'))
  const signature = checker.getSignatureFromDeclaration(isArrow ? initializer : node)
  const result = signature && checker.getReturnTypeOfSignature(signature)
  const returned =
    type?.getText() ??
    (result === undefined ? 'void' : checker.typeToString(result, node, NodeBuilderFlags.NoTruncation))
  return oneLine(`${member.name}${optional}${generics}(${parameterTexts.join(', ')}): ${returned}`)
}

/** Formats a parameter without its default value, and marks it as optional. */
function parameterOf(checker: Checker, node: Node & Parts & { dotDotDotToken?: Node }): string {
  const { dotDotDotToken, initializer, name, questionToken, type } = node
  const elements = (name as Node & { elements?: readonly (Parts & { propertyName?: Node })[] }).elements
  const written = elements && `{ ${elements.map((one) => (one.propertyName ?? one.name)!.getText()).join(', ')} }`
  const isOptional = questionToken !== undefined || initializer !== undefined
  const typed = type?.getText() ?? checker.typeToString(checker.getTypeAtLocation(node)!)
  return `${dotDotDotToken ? '...' : ''}${written ?? name!.getText()}${isOptional ? '?' : ''}: ${typed}`
}

function inferred(checker: Checker, member: Declared): string {
  return checker.typeToString(checker.getTypeOfSymbol(member)!, undefined, NodeBuilderFlags.NoTruncation)
}

/** Removes line breaks and comments of the source. */
const oneLine = (code: string) =>
  code
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/,? ([)\]])/g, '$1')
    .replace(/: \| /g, ': ')
    .trim()
