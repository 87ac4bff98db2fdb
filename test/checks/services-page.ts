// Makes docs/reference/services.md: what plugins provide to each other, as TypeScript understands the sources.
import { SyntaxKind, type Node } from 'typescript/unstable/ast'
import { NodeBuilderFlags, type Checker, type Project, type Symbol as Declared } from 'typescript/unstable/sync'
import { exportsOf, isHidden as isHiddenNode } from './mentioned-types.ts'

/** The text of the page. @param ownerOf the plugin that provides a service */
export function servicesPage(project: Project, entry: string, ownerOf: (name: string) => string, made: string): string {
  const { checker } = project
  const services = exportsOf(project, entry).find(({ name }) => name === 'Services')!
  const sections = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(services))
    // The tests of types declare one of their own.
    .filter(({ declarations }) => !declarations.some(({ path }) => path.includes('/test/types/')))
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((service) => sectionOf(checker, service, ownerOf(service.name)))
  return `${made}# Services

What plugins provide to each other: \`services.posts\` in \`apply\`. Name the plugin in \`needs\`, in \`after\` or in \`uses\`
([which one](../guides/writing-plugins.md#other-plugins)). Every type that is mentioned here can be imported from
\`svc-rest\`. What is thrown is a \`RestError\` of the [code](errors.md) named; what the database refuses comes from the
[store](#store) whichever service runs the statement.

\`scope\` is \`request.scope\`: what one request reads of many items comes from one statement.

| service | plugin | |
|---|---|---|
${sections.map(({ row }) => row).join('\n')}

${sections.map(({ text }) => text).join('\n')}`
}

function sectionOf(checker: Checker, service: Declared, owner: string): { row: string; text: string } {
  const { name } = service
  const type = checker.getTypeOfSymbol(service)!
  const ofService = documentationOf(checker, service)
  const ofType = documentationOf(checker, type.getAliasSymbol() ?? type.getSymbol())
  const members = checker.getPropertiesOfType(type).filter((member) => !isHidden(member))
  const written = typeOf(service) ?? checker.typeToString(type)
  const text = [
    `## ${name}`,
    ofService.text,
    `Type \`${written}\`, provided by [${owner}](plugins.md#${owner}).`,
    // Where a type has one member more than a sentence, the sentence is about the service.
    ...(ofType.text === '' || ofType.text === ofService.text ? [] : [ofType.text]),
    ...ofService.examples.map(codeBlock),
    ...members.map((member) => memberText(checker, name, member)),
  ]
  return {
    row: `| [\`${name}\`](#${name.toLowerCase()}) | ${owner} | ${ofService.text.replaceAll('|', '\\|')} |`,
    text: `${text.join('\n\n')}\n`,
  }
}

function memberText(checker: Checker, service: string, member: Declared): string {
  const { text, params, returns, throws, examples } = documentationOf(checker, member)
  const facts = [
    ...params.map((param) => `- ${param}`),
    ...(returns === '' ? [] : [`- Returns ${returns}.`]),
    ...(throws === '' ? [] : [`- Throws ${throws}.`]),
  ]
  return [
    `### \`${service}.${member.name}\``,
    codeBlock(signaturesOf(checker, member)),
    text,
    ...(facts.length === 0 ? [] : [facts.join('\n')]),
    ...examples.map(codeBlock),
  ].join('\n\n')
}

const codeBlock = (code: string) => `\`\`\`ts\n${code}\n\`\`\``

/** Whether callers do not see a member: it is private, or the kernel's own business. */
const isHidden = ({ name, declarations }: Declared) =>
  // Private ones, and symbols.
  name.includes('#') ||
  name.startsWith('__@') ||
  declarations.some((handle) => {
    const node = handle.resolve() as Node & Parts
    return isHiddenNode(node) || (node.modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ProtectedKeyword)
  })

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
}

const typeOf = ({ declarations }: Declared) => (declarations[0]?.resolve() as Parts | undefined)?.type?.getText()

/** How a member is used, in the words of its declaration; what is not written there, as the compiler infers it. */
function signaturesOf(checker: Checker, member: Declared): string {
  const nodes = member.declarations.map((handle) => handle.resolve() as Node & Parts)
  // Of a method with several signatures the body's own is none.
  const callable = nodes.length > 1 ? nodes.filter(({ body }) => body === undefined) : nodes
  return callable.map((node) => signatureOf(checker, member, node)).join('\n')
}

function signatureOf(checker: Checker, member: Declared, node: Node & Parts): string {
  const { initializer } = node
  const isArrow = initializer?.kind === SyntaxKind.ArrowFunction && node.type === undefined
  const { parameters, typeParameters, type } = (isArrow ? initializer : node) as Parts
  const readonly = (node.modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ReadonlyKeyword) ? 'readonly ' : ''
  const optional = node.questionToken === undefined ? '' : '?'
  if (node.kind === SyntaxKind.GetAccessor || parameters === undefined) {
    const written = type?.getText() ?? inferred(checker, member)
    return oneLine(
      `${node.kind === SyntaxKind.GetAccessor ? 'readonly ' : readonly}${member.name}${optional}: ${written}`,
    )
  }
  const generics = typeParameters?.length ? `<${typeParameters.map((one) => one.getText()).join(', ')}>` : ''
  const given = parameters.map((one) => parameterOf(checker, one)).filter((one) => !one.startsWith('this:'))
  const signature = checker.getSignatureFromDeclaration(isArrow ? initializer : node)
  const result = signature && checker.getReturnTypeOfSignature(signature)
  const returned =
    type?.getText() ??
    (result === undefined ? 'void' : checker.typeToString(result, node, NodeBuilderFlags.NoTruncation))
  return oneLine(`${member.name}${optional}${generics}(${given.join(', ')}): ${returned}`)
}

/** A parameter without its default, which makes it optional. */
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

/** Without the line breaks and comments that it has in the source. */
const oneLine = (code: string) =>
  code
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/,? ([)\]])/g, '$1')
    .trim()
