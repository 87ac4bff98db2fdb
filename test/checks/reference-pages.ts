// Makes the reference pages, and what the admin knows of plugins and of its own texts. What a hook, an option or a plugin is for is read from the comment beside its declaration;
// kinds, arguments, taps, defaults, routes and errors are those of a kernel that runs with every default.
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pino } from 'pino'
import { usage as importUsage } from '../../bin/commands/import.ts'
import { usage as serveUsage } from '../../bin/commands/serve.ts'
import { commandUsage } from '../../bin/commands/plugin-command.ts'
import { usage as svcUsage } from '../../bin/commands/svc.ts'
import * as hosts from '../../bin/config/index.ts'
import * as surface from '../../plugins/public.ts'
import { defaults } from '../../plugins/index.ts'
import { functionsPage } from './functions-page.ts'
import { openProject } from './mentioned-types.ts'
import { servicePages } from './services-page.ts'
import { catalogTexts } from './words.ts'

const { completeConfig, configKeys, declaredErrors, startKernel } = hosts

interface Source {
  file: string
  text: string
}

/** The reference pages by path below the root of the repository. */
export async function referencePages(root: string): Promise<Map<string, string>> {
  const files = [
    ...globSync('{kernel,plugins}/**/*.ts', { cwd: root }).toSorted(),
    ...globSync('bin/config/*.ts', { cwd: root }),
  ]
  const sources = await Promise.all(
    files.map(async (file): Promise<Source> => ({ file, text: await readFile(join(root, file), 'utf8') })),
  )
  const ownerOf = ownersOf(sources)
  // Those of code that is loaded when somebody asks for it are declared as well.
  for (const { file, text } of sources) if (text.includes('defineErrors({')) await import(join(root, file))
  const config = completeConfig({ database: 'sqlite::memory:', log: 'silent' }, tmpdir())
  await using kernel = await startKernel({ config, defaults, log: pino({ level: 'silent' }) })
  using project = openProject(join(root, 'tsconfig.json'))
  return new Map([
    ['docs/reference/hooks.md', hooksPage(kernel, sources)],
    ['docs/reference/errors.md', errorsPage(sources, ownerOf)],
    ['docs/reference/config.md', configPage()],
    ['docs/reference/commands.md', commandsPage(kernel)],
    ['docs/reference/plugins.md', pluginsPage(kernel, sources, ownerOf)],
    [
      'plugins/foundation/translations/texts.json',
      `${JSON.stringify(catalogTexts(project, root, labelsOf(kernel)).words, null, 2)}\n`,
    ],
    ['plugins/site/admin/pages/plugins/descriptions.json', descriptionsOf(sources, ownerOf)],
    ...servicePages(project, {
      root,
      entry: join(root, 'plugins/public.ts'),
      notice: MADE,
      providerOf: providerIn(sources, ownerOf),
      ownerOf,
    }),
    ['docs/reference/functions.md', functionsPage(sources, Object.keys(surface), Object.keys(hosts), MADE)],
  ])
}

/** Labels that the admin shows: those of content types, taxonomies and roles. */
function labelsOf({ services }: hosts.Kernel): string[] {
  const { contentTypes, taxonomies, roles } = services
  const types = [...contentTypes.all(), ...taxonomies.all()].filter(({ show_ui: isShown }) => isShown)
  return [
    ...types.flatMap(({ labels }) => [labels['name'] ?? [], labels['singular_name'] ?? []].flat()),
    ...roles.all().map(({ label }) => label),
  ]
}

const MADE = '<!-- Written by `npm run docs` from the code: change it there. -->\n\n'

/** Text inside a cell of a table. */
const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')

const oneLine = (comment: string) =>
  comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s*@since [\d.]+\s*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** The bodies of `interface NAME { … }` in a source; braces inside are followed. */
function interfaceBodies(text: string, name: string): string[] {
  const bodies: string[] = []
  for (const found of text.matchAll(new RegExp(`interface ${name}\\b[^{]*\\{`, 'g'))) {
    const start = found.index + found[0].length
    let depth = 1
    let at = start
    while (depth > 0 && at < text.length) {
      if (text[at] === '{') depth += 1
      else if (text[at] === '}') depth -= 1
      at += 1
    }
    bodies.push(text.slice(start, at - 1))
  }
  return bodies
}

interface Member {
  name: string
  comment: string
  type: string
  since: string
}

/** The commented members of an interface's body. */
function membersOf(body: string): Member[] {
  const members: Member[] = []
  const pattern =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:readonly )?(?:(\w+)\??|\[\w+: `([^`]+)`\]):\s*([\s\S]*?)(?=\n\s*(?:\/\*\*|\/\/|\[\w+: `|\w+\??:|$)|$)/g
  for (const [, comment = '', plain, template, type = ''] of body.matchAll(pattern)) {
    const since = /@since ([\d.]+)/.exec(comment)?.[1] ?? ''
    const name = plain ?? template!.replace('${string}', '*')
    members.push({ name, comment: oneLine(comment), type: signature(type), since })
  }
  return members
}

/** A type on one line; of a family without its pattern, which is the name of the hook. */
function signature(type: string): string {
  const line = type
    .replace(/\s+/g, ' ')
    .replace(/([<[]) | (?=])/g, '$1')
    .replaceAll(/,? >/g, '>')
    .trim()
  return line.replace(/^Family<'[^']*', /, 'Family<')
}

/** The types of members of families whose items `ItemTypes` has, by the pattern of the family. */
function itemMembers(sources: readonly Source[]): Map<string, string> {
  const pattern = /\[N in keyof ItemTypes as [^`]*`([^`]+)`[^\]]*\]: ([\s\S]*?)\n\}/g
  const found = sources.flatMap(({ text }) => [...text.matchAll(pattern)])
  return new Map(
    found.map(([, name = '', type = '']) => [
      name.replace('${N}', '*'),
      `Family<${signature(type).replace(/Known<N, ('\w+')>/, 'ItemTypes[name][$1]')}>`,
    ]),
  )
}

/** The order in which a request of the REST API meets the kernel's hooks. */
const REQUEST_ORDER = [
  'rest_route_of_address',
  'determine_current_user',
  'rest_authentication_errors',
  'rest_pre_dispatch',
  'rest_path_to_match',
  'rest_request_before_callbacks',
  'rest_dispatch_request',
  'rest_additional_fields',
  'rest_prepare_*',
  'rest_request_after_callbacks',
  'rest_post_dispatch',
  'rest_pre_serve_request',
  'rest_response_link_curies',
  'rest_pre_echo_response',
  'rest_encoded_response',
]

function hooksPage(kernel: hosts.Kernel, sources: readonly Source[]): string {
  const told = new Map<string, Member>()
  for (const { text } of sources) {
    // Those of an owner stand in an interface of its own, `CommentHooks`, which it merges into `Hooks`.
    for (const body of interfaceBodies(text, '\\w*Hooks'))
      for (const member of membersOf(body)) told.set(member.name, member)
  }
  const known = itemMembers(sources)
  const listed = hosts.describeHooks(kernel.registry)
  const entries = listed
    .filter(({ family }) => family === null)
    .map(({ name, kind, args, owner, taps }) => {
      const family = familyOf(name)
      const member = told.get(name) ?? (family === null ? undefined : told.get(family))
      const members = listed.filter((one) => one.family === name)
      const ofMembers = members.flatMap((one) => one.taps.map((tap) => ({ ...tap, hook: one.name })))
      const all = [...taps.map((tap) => ({ ...tap, hook: name })), ...ofMembers]
      const at = REQUEST_ORDER.indexOf(name)
      const rows = [
        `| kind | ${kind} |`,
        `| arguments | ${args.length === 0 ? 'none' : args.map((arg) => `\`${arg}\``).join(', ')} |`,
        ...(member === undefined ? [] : [`| type | \`${cell(known.get(name) ?? member.type)}\` |`]),
        `| owner | ${owner} |`,
        ...(family === null ? [] : [`| reached as | \`hooks.${family}.for(name)\`, or by the full name |`]),
        ...(at < 0 ? [] : [`| before it | ${at === 0 ? 'reading of the URL' : `\`${REQUEST_ORDER[at - 1]}\``} |`]),
        ...(at < 0
          ? []
          : [
              `| after it | ${at === REQUEST_ORDER.length - 1 ? 'sending of the response' : `\`${REQUEST_ORDER[at + 1]}\``} |`,
            ]),
        `| default taps | ${all.length === 0 ? 'none' : all.map((tap) => `${tap.plugin}${tap.hook === name ? '' : ` (\`${tap.hook}\`)`}${tap.stage === 0 ? '' : ` at stage ${tap.stage}`}`).join(', ')} |`,
        ...(member?.since ? [`| since | ${member.since} |`] : []),
      ]
      return `### \`${name}\`\n\n${member?.comment ?? ''}\n\n| | |\n|---|---|\n${rows.join('\n')}\n`
    })
  return `${MADE}# Hooks

All hooks of the kernel and the default plugins, ordered by the start of the plugin that owns them. \`svc hooks\` lists the
hooks of your site, with those of third-party plugins.

A **filter** passes a value through its taps; a tap that returns \`undefined\` leaves the value unchanged. An **action**
announces an event. Hooks accept \`tap\` (synchronous), \`tapPromise\` and \`tapAsync\`; hooks marked *sync* accept \`tap\` only.
Taps run in order of \`stage\` (0 by default, also for most default taps), then in order of registration; \`before\` names a
tap to run before. If a tap throws a \`RestError\`, that error is the response. Any other error is a 500, and the log names the
plugin; in a list, the item is shown without the tap's change. Call \`tap\` in \`apply\`: taps are removed with their plugin.

\`\`\`ts
export default definePlugin({
  name: 'reading-time',
  needs: ['posts'],
  apply({ hooks }) {
    hooks.rest_prepare.for('post').tap({ name: 'reading-time', fields: 'minutes' }, (response, post) => {
      // Optional in the type: a list loads no texts unless its response or a tap for it needs them.
      const { length } = post.content ?? ''
      Object.assign(response.data as object, { minutes: Math.ceil(length / 1200) })
      return response
    })
  },
})
\`\`\`

${entries.join('\n')}`
}

/** The key under which a family stands in \`Hooks\`: \`rest_prepare\` for \`rest_prepare_*\`. */
const familyOf = (name: string) => (name.includes('*') ? name.replace(/_?\*/, '') : null)

function errorsPage(sources: readonly Source[], ownerOf: OwnerOf): string {
  const rows = ownedErrors(sources, ownerOf)
    .toSorted((a, b) => a.owner.localeCompare(b.owner) || a.code.localeCompare(b.code))
    .map(({ owner, code, status, sentence }) => `| \`${code}\` | ${status} | ${owner} | ${cell(sentence)} |`)
  return `${MADE}# Errors

What a client reads of an error is \`{ "code", "message", "data": { "status" } }\`; further errors of the same request stand
in \`additional_errors\`. Codes stay the same across releases, sentences may get better. Codes in capitals are for those
who run a site: they stand in the log, or end a command, and a client learns of them as \`rest_internal_error\` (500),
\`rest_unavailable\` (503) or \`rest_storage_full\` (507).

Several bad arguments are told at once: \`data.params\` has a sentence for each, \`data.details\` its code. Where the status
is 401 for a visitor, it is 403 for somebody who is logged in.

| code | status | owner | sentence |
|---|---|---|---|
${rows.join('\n')}
`
}

/**
 * Every declared error with its owner. A table that the sources declare is the one of the running kernel that has the
 * same codes.
 * @throws Error for a table of which only one of both is there
 */
function ownedErrors(sources: readonly Source[], ownerOf: OwnerOf): (hosts.DeclaredError & { owner: string })[] {
  const declared = Map.groupBy(declaredErrors(), (table) => table.map(({ code }) => code).join())
  const owned = sources.flatMap(({ file, text }) =>
    text
      .split(/\bdefineErrors\(/)
      .slice(1)
      .flatMap((rest) => {
        const body = rest.split(/^\}?\)/m)[0]!
        const indent = /^ +(?=\w+:\s)/m.exec(body)?.[0] ?? '  '
        const codes = [...body.matchAll(new RegExp(`(?:^${indent}|^\\{ )(\\w+):\\s`, 'gm'))]
          .map(([, code]) => code)
          .join()
        const table = declared.get(codes)?.shift()
        if (codes !== '' && table === undefined) throw new Error(`The errors of ${file} are not declared: ${codes}`)
        return (table ?? []).map((error) => ({ ...error, owner: ownerOf(file) }))
      }),
  )
  const left = [...declared.values()].flat(2)
  if (left.length > 0) throw new Error(`No source declares ${left.map(({ code }) => code).join(', ')}.`)
  return owned
}

/** The plugin that a source file belongs to, or the kernel. */
type OwnerOf = (file: string) => string

function ownersOf(sources: readonly Source[]): OwnerOf {
  const plugins = new Map(sources.flatMap(({ file, text }) => (NAME.test(text) ? [[file, NAME.exec(text)![1]!]] : [])))
  return (file) => {
    if (file.startsWith('kernel/')) return 'kernel'
    const own = plugins.get(file)
    if (own !== undefined) return own
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      const name = plugins.get(`${folder}/index.ts`)
      if (name !== undefined) return name
    }
    return basename(dirname(file))
  }
}

/** The plugin that provides a service. @throws Error for a service that nobody provides */
function providerIn(sources: readonly Source[], ownerOf: OwnerOf): (service: string) => string {
  return (service) => {
    const provider = sources.find(({ text }) => text.includes(`provide('${service}'`))
    if (provider === undefined) throw new Error(`Nobody provides ${service}.`)
    return ownerOf(provider.file)
  }
}

/** What a plugin is called where it is defined. */
const NAME = /definePlugin(?:<[^>]*>)?\(\{\n  name: '([\w-]+)'/

function configPage(): string {
  const rows = Object.entries(configKeys).map(([key, { description, default: preset, variable, platformVariable }]) => {
    const flag = key === 'plugins' || key === 'limits' ? '' : `\`--${key.replaceAll('_', '-')}\``
    return `| \`${key}\` | ${cell(description)} | \`${JSON.stringify(preset)}\` | ${[variable, platformVariable].flatMap((name) => (name === undefined ? [] : [`\`${name}\``])).join(', else ')} | ${flag} |`
  })
  const limits = Object.entries(
    (configKeys.limits as unknown as { properties: Record<string, { default: number; formerName?: string }> })
      .properties,
  )
  return `${MADE}# Config

\`svc.config.json\`, \`svc.config.js\` or \`svc.config.ts\` in the working directory, or the file that \`--config\` names. A
variable of the environment overrides the file, a flag overrides both. \`PORT\` and \`DATABASE_URL\`, which
[hosting platforms](../guides/operating.md#hosting-platforms) set, override the file too. An unknown key is an error that names the nearest
known one. Relative paths are below the folder of the config file.

| key | what it sets | default | variable | flag |
|---|---|---|---|---|
${rows.join('\n')}

## Limits

Each has a clear error when a request goes beyond it: \`rest_body_too_large\` (413), \`rest_header_too_large\` (431),
\`rest_body_too_deep\` (400), \`rest_request_timeout\` (408) and \`rest_handler_timeout\` (503).

These keys are camelCase, and \`bodyLimit\`, \`requestTimeout\` and \`connectionTimeout\` have the names of Fastify's options; all other
config keys and options are snake_case. Former names keep working, with one warning per start.

| key | default | former name |
|---|---|---|
${limits.map(([key, { default: preset, formerName }]) => `| \`limits.${key}\` | ${preset} | ${formerName === undefined ? '' : `\`${formerName}\``} |`).join('\n')}

## Plugins

\`\`\`jsonc
"plugins": {
  "cors": { "origins": ["https://app.example"] },  // options of a default
  "jsonp": { "enabled": true },
  "batch": false,                                   // switched off
  "fields": { "use": "./my-fields.ts" },            // replaced by another, which others still need as "fields"
  "./plugins/hello.ts": { "greeting": "hi" },       // added, from a file below the config's folder
  "svc-rest-sitemap": true                          // added, from an installed package
}
\`\`\`

The [plugins page](plugins.md) lists every default with its options. A name that is no default, no file and no package, an
option that a plugin does not have, two plugins of one name, a need that is not there and needs in a circle end the start
with a sentence that says what to do.
`
}

function commandsPage({ commands }: hosts.Kernel): string {
  const ofPlugins = commands
    .list()
    .map((one) => `### svc ${one.name}\n\n\`\`\`text\n${commandUsage(one, { rest: '' })}\n\`\`\`\n`)
  return `${MADE}# Commands

Every command takes \`--help\`, and the flags of the [config](config.md).

## svc-serve

\`\`\`text
${serveUsage()}
\`\`\`

Ends in good order on SIGTERM and SIGINT: no new requests, those under way are answered, then the database is closed.
The exit code is 0 then, and 1 when the site could not start; one paragraph on stderr says why.

## svc-import

\`\`\`text
${importUsage()}
\`\`\`

The export is read as a stream: memory does not depend on its size. Everything goes in within one transaction, so that a
file that is cut off or malformed leaves the database as it was. On an empty site (the sample of a first run counts as
empty) ids are kept; otherwise they are mapped, and what refers to them with them. A second run brings only what is new.
URLs of the old home and its uploads become those of the new home. The report at the end tells what came over, what
was there already and what was left out, with the reason.

## svc

\`\`\`text
${svcUsage()}
\`\`\`

## Commands of plugins

Plugins [add further commands](../guides/commands-and-actions.md); \`svc --help\` lists those of a site.${
    ofPlugins.length === 0 ? '' : ` These are of the\ndefaults:\n\n${ofPlugins.join('\n')}`
  }
`
}

/** What the sources say of a default plugin and of its options. */
function saidOf(plugin: (typeof defaults)[number], sources: readonly Source[], ownerOf: OwnerOf) {
  const own = sources.filter(({ file }) => ownerOf(file) === plugin.name)
  const main = own.find(({ text }) => NAME.exec(text)?.[1] === plugin.name)?.text ?? ''
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export default definePlugin/.exec(main)?.[1] ?? ''
  const members = own.flatMap(({ text }) =>
    [...text.matchAll(/interface (\w*Options)\b/g)].flatMap(([, name]) =>
      interfaceBodies(text, name!).flatMap(membersOf),
    ),
  )
  const declared = (plugin.options ?? {}) as Record<string, { default: unknown; description?: string }>
  const options = Object.entries(declared).map(([name, { default: preset, description }]) => ({
    name,
    preset,
    about: description ?? members.find((member) => member.name === name)?.comment ?? '',
  }))
  return { own, about: oneLine(comment), options }
}

/** What default plugins and their options are for, as the admin shows it. */
function descriptionsOf(sources: readonly Source[], ownerOf: OwnerOf): string {
  const entries = defaults.map((plugin) => {
    const { about, options } = saidOf(plugin, sources, ownerOf)
    return [plugin.name, { about, options: Object.fromEntries(options.map((one) => [one.name, one.about])) }] as const
  })
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

function pluginsPage(kernel: hosts.Kernel, sources: readonly Source[], ownerOf: OwnerOf): string {
  const sections = defaults.map((plugin) => {
    const { own, about, options } = saidOf(plugin, sources, ownerOf)
    const services = own.flatMap(({ text }) =>
      [...text.matchAll(/\bprovide\('(\w+)'/g)].map(([, name]) => `\`${name}\``),
    )
    const routes = [...kernel.server.routes.values()].filter(({ owner }) => owner === plugin.name)
    const facts = [
      ...(plugin.needs?.length ? [`Needs ${plugin.needs.join(', ')}.`] : []),
      ...(services.length > 0 ? [`Provides ${[...new Set(services)].join(', ')} ([services](services.md)).`] : []),
      ...(Object.keys(plugin.hooks ?? {}).length > 0
        ? [
            `Owns the hooks ${Object.keys(plugin.hooks!)
              .map((name) => `\`${name}\``)
              .join(', ')}.`,
          ]
        : []),
    ]
    const optionTable =
      options.length === 0
        ? ''
        : `\n| option | what it sets | default |\n|---|---|---|\n${options
            .map((one) => `| \`${one.name}\` | ${cell(one.about)} | \`${JSON.stringify(one.preset)}\` |`)
            .join('\n')}\n`
    const routeTable =
      routes.length === 0
        ? ''
        : `\n| route | methods |\n|---|---|\n${routes
            .map(
              ({ pattern, endpoints }) =>
                `| \`${cell(pattern)}\` | ${[...new Set(endpoints.flatMap(({ methods }) => methods))].join(', ')} |`,
            )
            .join('\n')}\n`
    return `## ${plugin.name}\n\n${about}\n${facts.length > 0 ? `\n${facts.join(' ')}\n` : ''}${optionTable}${routeTable}`
  })
  return `${MADE}# Plugins

The defaults, in the order of their list. Each can be configured, switched off (\`"name": false\`) or replaced
(\`"name": { "use": … }\`) in the [config](config.md).

${sections.join('\n')}`
}
