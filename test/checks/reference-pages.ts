// Generates the reference pages, the descriptions of plugins for the admin, and the list of translatable texts.
// Descriptions come from doc comments; kinds, arguments, taps, defaults, routes and errors from a kernel with all
// default plugins.
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pino } from 'pino'
import { usage as exportUsage } from '../../bin/commands/export.ts'
import { usage as importUsage } from '../../bin/commands/import.ts'
import { usage as serveUsage } from '../../bin/commands/serve.ts'
import { commandUsage } from '../../bin/commands/plugin-command.ts'
import { usage as svcUsage } from '../../bin/commands/svc.ts'
import * as hosts from '../../bin/config/index.ts'
import { TEMPLATE_PART_AREAS, TEMPLATE_TYPES } from '../../plugins/design/themes/template-types.ts'
import * as surface from '../../plugins/public.ts'
import { defaults } from '../../plugins/index.ts'
import { specificationPage } from '../spec/statements.ts'
import { functionsPage } from './functions-page.ts'
import { openProject } from './mentioned-types.ts'
import { servicePages } from './services-page.ts'
import { catalogTexts } from './words.ts'
import { cell } from './table-cell.ts'

const { completeConfig, configKeys, declaredErrors, startKernel } = hosts

interface Source {
  file: string
  text: string
}

/** Generates the pages. Returns their texts by path relative to the root of the repository. */
export async function referencePages(root: string): Promise<Map<string, string>> {
  const files = [
    ...globSync('{kernel,plugins}/**/*.ts', { cwd: root }).toSorted(),
    ...globSync('bin/config/*.ts', { cwd: root }),
  ]
  const sources = await Promise.all(
    files.map(async (file): Promise<Source> => ({ file, text: await readFile(join(root, file), 'utf8') })),
  )
  const ownerOf = ownersOf(sources)
  // Also declares the errors of files that the kernel loads only on demand.
  for (const { file, text } of sources) if (text.includes('defineErrors({')) await import(join(root, file))
  const plugins = Object.fromEntries(defaults.filter((plugin) => 'startsIf' in plugin).map(({ name }) => [name, true]))
  const config = completeConfig({ database: 'sqlite::memory:', log: 'silent', plugins }, tmpdir())
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
      notice: NOTICE,
      providerOf: providerIn(sources, ownerOf),
      ownerOf,
    }),
    ['docs/reference/specification.md', specificationPage()],
    ['docs/reference/functions.md', functionsPage(sources, Object.keys(surface), Object.keys(hosts), NOTICE)],
  ])
}

/**
 * Returns the labels of content types, taxonomies and roles, which the admin shows, and of patterns, templates, styles
 * and views, which the block editor shows.
 */
function labelsOf({ services }: hosts.Kernel): string[] {
  const { blockPatterns, blocks, contentTypes, roles, taxonomies, viewConfig } = services
  const styles = blocks.all().flatMap((type) => type.styles.map(({ label }) => label))
  const views = contentTypes.all().flatMap(({ name }) => viewConfig.get('postType', name).view_list ?? [])
  const types = [...contentTypes.all(), ...taxonomies.all()].filter(({ show_ui: isShown }) => isShown)
  return [
    ...types.flatMap(({ labels }) => [labels['name'] ?? [], labels['singular_name'] ?? []].flat()),
    ...roles.all().map(({ label }) => label),
    ...blockPatterns.categories().flatMap(({ label, description }) => inContext('pattern', [label, description])),
    ...TEMPLATE_TYPES.flatMap(({ title, description }) => inContext('template', [title, description])),
    ...TEMPLATE_PART_AREAS.flatMap(({ label, description }) => inContext('template', [label, description])),
    ...inContext('block style', styles),
    ...inContext(
      'view',
      views.map(({ title }) => title),
    ),
  ]
}

const inContext = (context: string, texts: readonly unknown[]) =>
  texts.flatMap((text) => (typeof text === 'string' && text !== '' ? [`${context}|${text}`] : []))

const NOTICE = '<!-- Written by `npm run docs` from the code: change it there. -->\n\n'

const oneLine = (comment: string) =>
  comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s*@since [\d.]+\s*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Returns the bodies of `interface NAME { … }` in a source, including nested braces. */
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

/** Parses the members with doc comments in the body of an interface. */
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

/** Formats a type on one line. Omits the pattern of a family, which is the name of the hook. */
function signature(type: string): string {
  const line = type
    .replace(/\s+/g, ' ')
    .replace(/([<[]) | (?=])/g, '$1')
    .replaceAll(/,? >/g, '>')
    .trim()
  return line.replace(/^Family<'[^']*', /, 'Family<')
}

/** Returns the types of hook families with items from `ItemTypes`, by the pattern of the family. */
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

/** Kernel hooks in the order in which a request of the REST API runs them. */
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
  const documented = new Map<string, Member>()
  for (const { text } of sources) {
    // Plugins declare their hooks in interfaces such as `CommentHooks`, which they merge into `Hooks`.
    for (const body of interfaceBodies(text, '\\w*Hooks'))
      for (const member of membersOf(body)) documented.set(member.name, member)
  }
  const itemTypes = itemMembers(sources)
  const listed = hosts.describeHooks(kernel.registry)
  const entries = listed
    .filter(({ family }) => family === null)
    .map(({ name, kind, args, owner, taps }) => {
      const family = familyOf(name)
      const member = documented.get(name) ?? (family === null ? undefined : documented.get(family))
      const members = listed.filter((one) => one.family === name)
      const ofMembers = members.flatMap((one) => one.taps.map((tap) => ({ ...tap, hook: one.name })))
      const all = [...taps.map((tap) => ({ ...tap, hook: name })), ...ofMembers]
      const at = REQUEST_ORDER.indexOf(name)
      const rows = [
        `| kind | ${kind} |`,
        `| arguments | ${args.length === 0 ? 'none' : args.map((arg) => `\`${arg}\``).join(', ')} |`,
        ...(member === undefined ? [] : [`| type | \`${cell(itemTypes.get(name) ?? member.type)}\` |`]),
        `| owner | ${owner} |`,
        ...(family === null ? [] : [`| access | \`hooks.${family}.for(name)\`, or by the full name |`]),
        ...(at < 0 ? [] : [`| previous | ${at === 0 ? 'reading of the URL' : `\`${REQUEST_ORDER[at - 1]}\``} |`]),
        ...(at < 0
          ? []
          : [
              `| next | ${at === REQUEST_ORDER.length - 1 ? 'sending of the response' : `\`${REQUEST_ORDER[at + 1]}\``} |`,
            ]),
        `| default taps | ${all.length === 0 ? 'none' : all.map((tap) => `${tap.plugin}${tap.hook === name ? '' : ` (\`${tap.hook}\`)`}${tap.stage === 0 ? '' : ` at stage ${tap.stage}`}`).join(', ')} |`,
        ...(member?.since ? [`| since | ${member.since} |`] : []),
      ]
      return `### \`${name}\`\n\n${member?.comment ?? ''}\n\n| | |\n|---|---|\n${rows.join('\n')}\n`
    })
  return `${NOTICE}# Hooks

All hooks of the kernel and the default plugins, in the order in which their plugins start. \`svc hooks\` lists the
hooks of your site, including the hooks of third-party plugins.

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

/** Returns the key of a family in `Hooks`: `rest_prepare` for `rest_prepare_*`. */
const familyOf = (name: string) => (name.includes('*') ? name.replace(/_?\*/, '') : null)

function errorsPage(sources: readonly Source[], ownerOf: OwnerOf): string {
  const rows = ownedErrors(sources, ownerOf)
    .toSorted((a, b) => a.owner.localeCompare(b.owner) || a.code.localeCompare(b.code))
    .map(({ owner, code, status, sentence }) => `| \`${code}\` | ${status} | ${owner} | ${cell(sentence)} |`)
  return `${NOTICE}# Errors

Clients receive an error as \`{ "code", "message", "data": { "status" } }\`, with further errors of the same request in
\`additional_errors\`. Codes stay the same across releases; messages can change. Codes in capitals are for operators: they appear in
the log or the output of a command, and clients receive \`rest_internal_error\` (500), \`rest_unavailable\` (503) or
\`rest_storage_full\` (507) instead.

For several invalid arguments there is one error: \`data.params\` contains a message for each argument, and \`data.details\` its code.
A status of 401 for visitors is 403 for logged-in users.

| code | status | owner | message |
|---|---|---|---|
${rows.join('\n')}
`
}

/**
 * Returns all declared errors with their owners. Matches the tables in the sources with the tables of the running
 * kernel by their codes.
 * @throws Error for a table without a counterpart
 */
function ownedErrors(sources: readonly Source[], ownerOf: OwnerOf): (hosts.DeclaredError & { owner: string })[] {
  const declared = Map.groupBy(declaredErrors(), (table) => table.map(({ code }) => code).join())
  const owned = sources.flatMap(({ file, text }) =>
    text
      .split(/\bdefineErrors\(|\bERROR_TEXTS = /)
      .slice(1)
      .flatMap((rest) => {
        const body = rest.split(/^\}?\)|^\} as const$/m)[0]!
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

/** Returns the plugin of a source file, or `kernel`. */
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

/** Returns a function that finds the plugin that provides a service. It throws if no plugin does. */
function providerIn(sources: readonly Source[], ownerOf: OwnerOf): (service: string) => string {
  return (service) => {
    const provider = sources.find(({ text }) => text.includes(`provide('${service}'`))
    if (provider === undefined) throw new Error(`No plugin provides the service ${service}.`)
    return ownerOf(provider.file)
  }
}

/** Matches the definition of a plugin with its name. */
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
  return `${NOTICE}# Config

The commands read \`svc.config.json\`, \`svc.config.js\` or \`svc.config.ts\` in the working directory, or the file passed as
\`--config\`. Environment variables override the file, and flags override both. \`PORT\` and \`DATABASE_URL\`, which
[hosting platforms](../guides/operating.md#hosting-platforms) set, also override the file. For an unknown key the start fails, and
the error suggests the most similar key. Relative paths are relative to the folder of the config file.

| key | description | default | variable | flag |
|---|---|---|---|---|
${rows.join('\n')}

## Limits

[Request limits](../guides/security.md#request-limits) describes each limit and the error beyond it. Sizes are in bytes, times in
milliseconds.

These keys are camelCase, and \`bodyLimit\`, \`requestTimeout\` and \`connectionTimeout\` are named after Fastify's options; all other
config keys and options are snake_case. Former names still work, with one warning per start.

| key | default | former name |
|---|---|---|
${limits.map(([key, { default: preset, formerName }]) => `| \`limits.${key}\` | ${preset} | ${formerName === undefined ? '' : `\`${formerName}\``} |`).join('\n')}

## Plugins

\`\`\`jsonc
"plugins": {
  "cors": { "origins": ["https://app.example"] },  // options of a default plugin
  "jsonp": { "enabled": true },
  "batch": false,                                   // switched off
  "fields": { "use": "./my-fields.ts" },            // replaced by another plugin, also for plugins that need "fields"
  "./plugins/hello.ts": { "greeting": "hi" },       // added from a file in the config's folder
  "svc-rest-sitemap": true                          // added from an installed package
}
\`\`\`

The [plugins page](plugins.md) lists all default plugins with their options. The start fails with an error if a name is not a default
plugin, file or package, an option is unknown, two plugins have the same name, a needed plugin is missing, or plugins need each
other in a circle.
`
}

function commandsPage({ commands }: hosts.Kernel): string {
  const ofPlugins = commands
    .list()
    .map((one) => `### svc ${one.name}\n\n\`\`\`text\n${commandUsage(one, { rest: '' })}\n\`\`\`\n`)
  return `${NOTICE}# Commands

Every command takes \`--help\`, and the flags of the [config](config.md).

## svc-serve

\`\`\`text
${serveUsage()}
\`\`\`

On SIGTERM and SIGINT the server stops accepting requests, finishes the requests in progress, closes the database, and exits with
code 0. If the site cannot start, the exit code is 1, and stderr contains the reason.

## svc-import

\`\`\`text
${importUsage()}
\`\`\`

The export is read as a stream, so memory does not depend on its size. The import is one transaction: a
truncated or malformed file leaves the database unchanged. On an empty site, or one with only the sample content of the first start,
the imported content keeps its IDs; otherwise it gets new IDs, and references are updated. A second run imports only new content.
URLs of the old home and its uploads are replaced by those of the new home. The report at the end lists the imported, existing and
skipped items with reasons.

## svc

\`\`\`text
${svcUsage()}
\`\`\`

## svc export

\`\`\`text
${exportUsage()}
\`\`\`

## Commands of plugins

Plugins [can add commands](../guides/commands-and-actions.md); \`svc --help\` lists all commands of a site.${
    ofPlugins.length === 0 ? '' : ` The default\nplugins add these:\n\n${ofPlugins.join('\n')}`
  }
`
}

/** Reads the doc comments of a default plugin and its options. */
function readDocs(plugin: (typeof defaults)[number], sources: readonly Source[], ownerOf: OwnerOf) {
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

/** Describes default plugins and their options, for the admin. */
function descriptionsOf(sources: readonly Source[], ownerOf: OwnerOf): string {
  const entries = defaults.map((plugin) => {
    const { about, options } = readDocs(plugin, sources, ownerOf)
    return [plugin.name, { about, options: Object.fromEntries(options.map((one) => [one.name, one.about])) }] as const
  })
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

function pluginsPage(kernel: hosts.Kernel, sources: readonly Source[], ownerOf: OwnerOf): string {
  const sections = defaults.map((plugin) => {
    const { own, about, options } = readDocs(plugin, sources, ownerOf)
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
        : `\n| option | description | default |\n|---|---|---|\n${options
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
  return `${NOTICE}# Plugins

The default plugins. Plugins outside of \`"preset": "core"\` come last. Each can be configured, switched off (\`"name": false\`) or replaced
(\`"name": { "use": … }\`) in the [config](config.md).

${sections.join('\n')}`
}
