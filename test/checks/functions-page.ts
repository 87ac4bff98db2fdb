// Makes docs/reference/functions.md: what a plugin imports from the kernel, from the comments beside it.
interface Source {
  file: string
  text: string
}

/** Titles of the page's parts, by the file that each part comes from, in order. */
const PARTS: Readonly<Record<string, string>> = {
  'plugin.ts': 'Plugins',
  'hooks/hook.ts': 'Hooks',
  'hooks/run.ts': 'Running hooks',
  'hooks/registry.ts': 'The registry of hooks',
  'awaitable.ts': 'Values that may come later',
  'errors.ts': 'Errors',
  'requests/arguments/check-arguments.ts': 'Arguments',
  'requests/arguments/size-limits.ts': 'Size limits',
  'requests/arguments/validate.ts': 'Values',
  'rest/request.ts': 'Requests',
  'rest/response.ts': 'Responses',
  'http/headers.ts': 'Headers',
  'http/query-string.ts': 'Queries',
  'resources/field-set.ts': 'Fields',
  'rest/routes.ts': 'Routes',
  'rest/check-request.ts': 'Checking a request',
  'rest/forbidden.ts': 'Refusals',
  'rest/server.ts': 'The server',
  'responses/route-description.ts': 'Descriptions',
  'resources/controller.ts': 'Controllers',
  'resources/collection-controller.ts': 'Controllers of lists',
  'resources/resource-controller.ts': 'Controllers of resources',
  'resources/registry-controller.ts': 'Controllers of registries',
  'resources/item-schema.ts': 'Schemas of items',
  'resources/selection.ts': 'Selections',
  'resources/list-arguments.ts': 'Arguments of lists',
  'resources/dates.ts': 'Dates',
  'urls.ts': 'URLs',
  'text/clean-text.ts': 'Clean texts',
  'library/markup/clean-json.ts': 'Clean JSON',
  'library/markup/escape-html.ts': 'HTML',
  'library/markup/normalize.ts': 'Unicode',
  'library/suggestions/suggest.ts': 'Suggestions',
  'text/trim.ts': 'Trimming',
  'work.ts': 'The work of a request',
  'library/long-work/time-slices.ts': 'Work that takes long',
  'library/long-work/map-in-slices.ts': 'Lists in slices',
  'library/long-work/text-thread.ts': 'Long texts in a thread',
  'library/long-work/semaphore.ts': 'Queues',
  'short-lived-cache.ts': 'Short-lived caches',
  'library/branding/index.ts': 'Branding',
  'resources/authors.ts': 'Authors of classes',
  'rest/request-cache.ts': 'What a request shares',
  'library/long-work/memoize.ts': 'Memoizing',
  'ownership.ts': 'Ownership',
  'bin/config/secrets.ts': 'Secrets',
  'private-files.ts': 'Private files',
  'requests/limits/networks.ts': 'Networks',
  'bin/config/config-keys.ts': 'Config keys',
  'bin/config/config.ts': 'Config',
  'bin/config/plugin-loader.ts': 'Loading plugins',
  'kernel.ts': 'The kernel',
  'bin/config/start-kernel.ts': 'Starting a site',
  'library/site-config/revisions.ts': 'Revisions',
  'text/secret-names.ts': 'Secrets',
  'library/secrets/hide-secrets.ts': 'Hidden secrets',
  'library/advice/shapes.ts': 'Checks of registrations',
  'library/advice/find-promise.ts': 'Promises in responses',
}

/** Folders and files that `svc-rest` and `svc-rest/host` export functions from. */
const EXPORTED = [
  'kernel/',
  'bin/config/',
  'plugins/library/',
  'plugins/operations/trace/listen-to.ts',
  'plugins/requests/',
  'plugins/resources/',
  'plugins/responses/envelope.ts',
  'plugins/responses/route-description.ts',
]

/** Key in `PARTS` of a file. */
const partOf = (file: string) => file.replace(/^(?:kernel|plugins)\//, '')

/** Something that the kernel exports, or a member of it. */
interface Entry {
  name: string
  signature: string
  comment: Comment
  members: Entry[]
}

/** A comment with its tags taken apart. */
interface Comment {
  text: string
  params: string[]
  returns: string
  throws: string
}

/** The text of the page. The lists name what `svc-rest` and `svc-rest/host` really export. */
export function functionsPage(
  sources: readonly Source[],
  exported: readonly string[],
  forHosts: readonly string[],
  made: string,
): string {
  const byName = new Map<string, { entry: Entry; file: string }>()
  for (const { file, text } of sources) {
    if (!EXPORTED.some((path) => file.startsWith(path))) continue
    for (const entry of entriesOf(text)) {
      // Of a function with several signatures the first is the one that callers see.
      if (!byName.has(entry.name)) byName.set(entry.name, { entry, file })
    }
  }
  return `${made}# Functions and classes

What \`import { … } from 'svc-rest'\` gives beside types. The rules that arguments are checked by stand in
[arguments](../guides/arguments.md), errors by code in [errors](errors.md), hooks in [hooks](hooks.md). What is thrown is
a \`RestError\` of the code named.

${partsOf(exported, byName)}
# For hosts

What \`import { … } from 'svc-rest/host'\` gives: for programs that start a kernel themselves, as the commands do. Plugins
need none of it.

${partsOf(forHosts, byName)}`
}

/** The entries of these names, by the file that each comes from. */
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

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')

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

/** The head of a declaration: up to its body, or its value unless that is a function, on one line. */
function signatureAt(text: string, start: number): string {
  let depth = 0
  let at = start
  let isArrow = false
  for (; at < text.length; at += 1) {
    const mark = text[at]!
    if ('([{<'.includes(mark)) {
      // A body, unless it is the type of an object.
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
  const [told = '', ...tags] = lines.join('\n').split(/\n?@(?=param|returns|throws)/)
  const tagged = (tag: string) => tags.filter((one) => one.startsWith(tag)).map((one) => flat(one.slice(tag.length)))
  const params = tagged('param').map((param) => param.replace(/^([\w.]+) /, '`$1`: '))
  return {
    text: paragraphs(told) || params.join('; '),
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
