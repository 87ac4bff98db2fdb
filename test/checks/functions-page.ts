// Generates docs/reference/functions.md from the exported functions and classes and their doc comments.
import { cell } from './table-cell.ts'

interface Source {
  file: string
  text: string
}

/** Section titles, by source file, in the order of the page. */
const PARTS: Readonly<Record<string, string>> = {
  'plugin.ts': 'Plugins',
  'hooks/hook.ts': 'Hooks',
  'hooks/run.ts': 'Running hooks',
  'hooks/tapable-hook.ts': 'Hook usage',
  'hooks/registry.ts': 'Hook registry',
  'awaitable.ts': 'Values or promises',
  'errors.ts': 'Errors',
  'outages.ts': 'Outages',
  'requests/arguments/check-arguments.ts': 'Arguments',
  'requests/arguments/size-limits.ts': 'Size limits',
  'requests/arguments/validate.ts': 'Validation',
  'requests/arguments/check-schema.ts': 'Schema checks',
  'requests/arguments/closed.ts': 'Closed schemas',
  'requests/arguments/mistakes.ts': 'Default values',
  'requests/arguments/timestamps.ts': 'Timestamps',
  'rest/request.ts': 'Requests',
  'rest/response.ts': 'Responses',
  'responses/envelope.ts': 'Envelopes',
  'requests/conditional/etag.ts': 'Entity tags',
  'http/headers.ts': 'Headers',
  'http/host.ts': 'Hosts',
  'http/query-string.ts': 'Query strings',
  'resources/field-set.ts': 'Fields',
  'rest/routes.ts': 'Routes',
  'rest/check-request.ts': 'Request checks',
  'rest/forbidden.ts': 'Permission errors',
  'rest/server.ts': 'Server',
  'responses/route-description.ts': 'Route descriptions',
  'resources/controller.ts': 'Controllers',
  'resources/collection-controller.ts': 'Collection controllers',
  'resources/resource-controller.ts': 'Resource controllers',
  'resources/registry-controller.ts': 'Registry controllers',
  'resources/allowed-methods.ts': 'Allowed methods',
  'resources/item-schema.ts': 'Item schemas',
  'resources/empty-as-lists.ts': 'Empty objects',
  'resources/selection.ts': 'Selections',
  'resources/list-arguments.ts': 'List arguments',
  'resources/list-cursor.ts': 'Cursors',
  'resources/dates.ts': 'Dates',
  'resources/slug.ts': 'Slugs',
  'resources/free-slug.ts': 'Unique slugs',
  'urls.ts': 'URLs',
  'content/permalinks/site-url.ts': 'URLs of pages',
  'rendering/html/plain-text.ts': 'Plain text',
  'rendering/core-blocks/dates.ts': 'Formatted dates',
  'storage/store/loaders.ts': 'Loaders',
  'text/clean-text.ts': 'Text sanitizing',
  'library/markup/clean-json.ts': 'JSON sanitizing',
  'library/markup/escape-html.ts': 'HTML escaping',
  'library/markup/page-html.ts': 'HTML of pages',
  'library/markup/inline-style.ts': 'Inline styles',
  'library/markup/normalize.ts': 'Unicode normalization',
  'library/php/serialize.ts': 'Values of PHP',
  'library/php/unserialize.ts': 'Values of PHP',
  'library/suggestions/suggest.ts': 'Suggestions',
  'text/trim.ts': 'Trimming',
  'work.ts': 'Work of a request',
  'deadline.ts': 'Deadlines',
  'library/long-work/time-slices.ts': 'Long work',
  'library/long-work/map-in-slices.ts': 'Long lists',
  'library/long-work/text-thread.ts': 'Text thread',
  'library/long-work/streamed-response.ts': 'Streamed responses',
  'library/long-work/semaphore.ts': 'Semaphores',
  'library/long-work/memoize.ts': 'Memoizing',
  'library/long-work/lazily.ts': 'Lazy values',
  'library/caching/dependencies.ts': 'Cache dependencies',
  'library/caching/versioned-cache.ts': 'Versioned caches',
  'library/caching/declared.ts': 'Cache declarations',
  'library/caching/left-out.ts': 'Omitted parts',
  'library/branding/index.ts': 'Branding',
  'resources/authors.ts': 'Authors of classes',
  'rest/request-cache.ts': 'Request cache',
  'ownership.ts': 'Ownership',
  'owned-map.ts': 'Owned lists and maps',
  'tracing.ts': 'Tracing',
  'operations/trace/listen-to.ts': 'Tracing subscriptions',
  'requests/limits/networks.ts': 'Networks',
  'site/admin/parts/fields.ts': 'Fields of admin pages',
  'site/admin/parts/media-picker.ts': 'Files on admin pages',
  'site/admin/parts/table.ts': 'Tables of admin pages',
  'worker-place.ts': 'Workers',
  'bin/config/config.ts': 'Config',
  'bin/config/config-keys.ts': 'Config keys',
  'bin/config/former-names.ts': 'Former names',
  'bin/config/secrets.ts': 'Secrets',
  'bin/config/commands.ts': 'Commands',
  'bin/config/check-port.ts': 'Ports',
  'bin/config/log.ts': 'Log',
  'bin/config/plugin-loader.ts': 'Plugin loader',
  'bin/config/import-module.ts': 'Module loader',
  'kernel.ts': 'Kernel',
  'bin/config/start-kernel.ts': 'Starting a site',
  'bin/config/declared-errors.ts': 'Declared errors',
  'library/site-config/revisions.ts': 'Revisions',
  'text/secret-names.ts': 'Names of secrets',
  'library/secrets/hide-secrets.ts': 'Hiding secrets',
  'library/advice/shapes.ts': 'Registration checks',
  'library/advice/find-promise.ts': 'Promises in responses',
  'library/advice/describe-hooks.ts': 'Hook descriptions',
  'library/advice/place.ts': 'Source positions',
}

/** Folders and files whose functions `svc-rest` and `svc-rest/host` export. */
const EXPORTED = [
  'kernel/',
  'bin/config/',
  'plugins/library/',
  'plugins/operations/trace/listen-to.ts',
  'plugins/requests/',
  'plugins/resources/',
  'plugins/responses/envelope.ts',
  'plugins/responses/route-description.ts',
  'plugins/content/permalinks/site-url.ts',
  'plugins/rendering/html/plain-text.ts',
  'plugins/rendering/core-blocks/dates.ts',
  'plugins/site/admin/parts/fields.ts',
  'plugins/site/admin/parts/media-picker.ts',
  'plugins/site/admin/parts/table.ts',
  'plugins/storage/store/loaders.ts',
]

/** Returns the key of a file in `PARTS`. */
const partOf = (file: string) => file.replace(/^(?:kernel|plugins)\//, '')

/** An exported function, class or constant, or a member of a class. */
interface Entry {
  name: string
  signature: string
  comment: Comment
  members: Entry[]
}

/** A parsed doc comment. */
interface Comment {
  text: string
  params: string[]
  returns: string
  throws: string
}

/**
 * Generates the page.
 * @param exported names that `svc-rest` exports
 * @param forHosts names that `svc-rest/host` exports
 * @param notice first line of generated pages
 */
export function functionsPage(
  sources: readonly Source[],
  exported: readonly string[],
  forHosts: readonly string[],
  notice: string,
): string {
  const byName = new Map<string, { entry: Entry; file: string }>()
  for (const { file, text } of sources) {
    if (!EXPORTED.some((path) => file.startsWith(path))) continue
    for (const entry of entriesOf(text)) {
      // The first overload of a function is documented.
      if (!byName.has(entry.name)) byName.set(entry.name, { entry, file })
    }
  }
  return `${notice}# Functions and classes

Functions and classes that plugins can import:

\`\`\`ts
import { definePlugin, RestResponse } from 'svc-rest'
\`\`\`

Functions throw a \`RestError\` with the listed code. Related pages: [types](types.md), [services](services.md),
[hooks](hooks.md), [errors](errors.md), and the guide to [arguments](../guides/arguments.md).

${partsOf(exported, byName)}
# For hosts

Programs that start a kernel themselves, as the commands do, import these from \`svc-rest/host\`. Plugins do not need them.

${partsOf(forHosts, byName)}`
}

/** Generates the sections of these names, grouped by source file. */
function partsOf(exported: readonly string[], byName: ReadonlyMap<string, { entry: Entry; file: string }>): string {
  const names = exported.filter((name) => byName.has(name)).toSorted()
  const files = [...new Set(names.map((name) => byName.get(name)!.file))]
  const order = Object.keys(PARTS)
  return files
    .toSorted((a, b) => order.indexOf(partOf(a)) - order.indexOf(partOf(b)))
    .map((file) => {
      const own = names.filter((name) => byName.get(name)!.file === file)
      const title = PARTS[partOf(file)] ?? file
      return `## ${title}\n\nSource: [${file}](../../${file})\n\n${own.map((name) => section(byName.get(name)!.entry)).join('\n')}`
    })
    .join('\n')
}

function section({ name, signature, comment, members }: Entry): string {
  const rows = members.map((member) => {
    const { text, throws } = member.comment
    return `| \`${cell(member.signature)}\` | ${cell(throws === '' ? text : `${text} Throws ${throws}.`)} |`
  })
  const table = rows.length === 0 ? '' : `\n| member | |\n|---|---|\n${rows.join('\n')}\n`
  const facts = [
    ...comment.params.map((param) => `- ${param}`),
    ...(comment.returns === '' ? [] : [`- Returns ${comment.returns}.`]),
    ...(comment.throws === '' ? [] : [`- Throws ${comment.throws}.`]),
  ]
  const list = facts.length === 0 ? '' : `\n${facts.join('\n')}\n`
  return `### \`${name}\`\n\n\`\`\`ts\n${signature}\n\`\`\`\n\n${comment.text}\n${list}${table}`
}

const EXPORT =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?(?:\/\/[^\n]*\n)?export ((?:async )?function|(?:abstract )?class|const) (\w+)/g
const MEMBER =
  /^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n((?:^ {2}\/\/[^\n]*\n)?)^ {2}(?!(?:readonly |async |static )*#|private |protected )/gm

function entriesOf(text: string): Entry[] {
  return [...text.matchAll(EXPORT)].map((found) => {
    const [whole, comment = '', kind = '', name = ''] = found
    const start = found.index + whole.indexOf('export ')
    const signature = signatureAt(text, start).replace(/^export /, '')
    const end = text.indexOf('\n}\n', start)
    const body = kind.endsWith('class') ? text.slice(start, end) : ''
    const current = [...body.matchAll(MEMBER)].filter(([, about = '']) => !about.includes('@deprecated'))
    const members = current.map((member): Entry => {
      const at = member.index + member[0].length
      const own = signatureAt(body, at).replace(/^(?:override |async |readonly |abstract )+/, '')
      return { name: own, signature: own, comment: readComment(member[1] ?? ''), members: [] }
    })
    return { name, signature, comment: readComment(comment), members }
  })
}

/** Returns a declaration on one line, without its body, and without its value unless that is a function. */
function signatureAt(text: string, start: number): string {
  let depth = 0
  let at = start
  let isArrow = false
  for (; at < text.length; at += 1) {
    const mark = text[at]!
    if ('([{<'.includes(mark)) {
      // A body starts here, unless the brace opens an object type.
      if (mark === '{' && depth === 0 && !/[:|]\s*$/.test(text.slice(start, at))) break
      depth += 1
    } else if (')]}'.includes(mark) || (mark === '>' && text[at - 1] !== '=')) depth -= 1
    else if (depth === 0 && mark === '\n') break
    else if (depth === 0 && mark === '=') {
      if (text[at + 1] === '>') break
      isArrow = /^= (?:async )?\(/.test(text.slice(at, at + 10))
      if (!isArrow) break
    }
  }
  const head = text.slice(start, at)
  return (isArrow ? head.replace(/ = (?:async )?/, '') : head)
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/,? ([)\]])/g, '$1')
    .trim()
}

function readComment(comment: string): Comment {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''))
  const [description = '', ...tags] = lines.join('\n').split(/\n?@(?=param|returns|throws)/)
  const tagged = (tag: string) => tags.filter((one) => one.startsWith(tag)).map((one) => flat(one.slice(tag.length)))
  const params = tagged('param').map((param) => param.replace(/^([\w.]+) /, '`$1`: '))
  return {
    text: paragraphs(description) || params.join('; '),
    params,
    returns: tagged('returns').join('; '),
    throws: tagged('throws').join('; ').replace(/\.$/, ''),
  }
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

const paragraphs = (text: string) =>
  text
    .split(/\n\s*\n/)
    .map(flat)
    .filter((one) => one !== '')
    .join('\n\n')
    .replace(/ \(specification[^)]*\)/g, '')
