// Builds the sites on which the recorded answers of plugins are played.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defaults } from '../../plugins/index.ts'
import { emptyPostgresPlace } from '../helpers/stores.ts'
import { APPLICATION_PASSWORD, JWT_SECRET, PASSWORD } from './compat-answers.ts'
import { root, shared } from './recorded-site.ts'
import { prepareSite, startServer } from './server.ts'

/** A site on which some recorded answers are played. */
export interface CompatSite {
  /** Names of the answers; without it the site plays all answers that no other site of the plugin plays. */
  readonly names?: RegExp
  /** The optional plugins that are switched on. */
  readonly plugins: readonly string[]
  /** Further entries of `plugins` in the config. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly withoutApplicationPasswords?: boolean
  /** Whether the recorded site was itself an import of the WXR, without options and values of users. */
  readonly isImported?: boolean
}

/** Recorded plugins that define types. Their definitions are imported only if the recorded site had them switched on. */
type TypePlugin = 'acf' | 'custom-post-type-ui'

/** Optional plugins that stand in for the recorded ones. */
const ACF = ['custom-fields', 'custom-types']
const JWT = { jwt: { secret: JWT_SECRET } }
/** Makes all mails of forms fail. */
const FAILING_MAIL = join(root, 'test', 'fixtures', 'failing-form-mail.ts')

/** The sites of each folder of recordings. */
export const SITES: Readonly<Record<string, readonly CompatSite[]>> = {
  acf: [{ plugins: ACF }],
  'acf-to-rest-api': [{ plugins: [...ACF, 'custom-field-routes'] }],
  'better-featured-image': [{ plugins: ['featured-image-fields'] }],
  'contact-form-7': [
    { plugins: ['forms'] },
    { names: /mail fails/, plugins: ['forms'], settings: { [FAILING_MAIL]: {} } },
    { names: /^page without scripts/, plugins: ['forms'] },
  ],
  'custom-post-type-ui': [{ plugins: ['custom-types'] }],
  'jwt-auth': [
    { plugins: ['jwt'], settings: JWT },
    { names: /^no secret configured/, plugins: ['jwt'] },
    {
      names: /site without any application password/,
      plugins: ['jwt'],
      settings: JWT,
      withoutApplicationPasswords: true,
    },
  ],
  polylang: [{ plugins: ['languages', 'menu-routes'] }],
  'rank-math': [{ plugins: ['seo'] }],
  redirection: [{ plugins: ['redirects'] }, { names: /seeded state|^visit |^import /, plugins: ['redirects'] }],
  'rest-filter': [{ plugins: ['filter-parameter'] }],
  'wp-api-menus': [{ plugins: ['menu-routes'] }],
  'wp-rest-api-v2-menus': [
    { plugins: ['menu-routes'] },
    { names: /^with ACF and CPT UI active/, plugins: ['menu-routes', ...ACF] },
  ],
  'after-import': [
    { names: /^ACF/, plugins: ACF, isImported: true },
    { names: /^(?:CF7|CPT UI|menus)/, plugins: ['forms', 'menu-routes', 'custom-types'], isImported: true },
    { names: /^Polylang/, plugins: ['languages'], isImported: true },
  ],
}

/** Names of the optional plugins. */
const OPTIONAL = defaults.filter((plugin) => 'startsIf' in plugin).map(({ name }) => name)
/** Post ID of a revision that the recorded site had, and that the export lacks. Its post has the same content. */
const REVISION = { id: 94, post: 6 }

/** Returns the path of a file or folder of the recordings. */
export const recordedPath = (name: string) => join(shared, 'conformance', 'plugins', name)

/**
 * Imports the recorded site into a new one, serves it, and passes its URL to `use`.
 * @param folder folder of the recordings
 * @returns the result of `use`
 */
export async function withCompatSite<T>(
  folder: string,
  site: CompatSite,
  use: (home: string) => Promise<T>,
): Promise<T> {
  const databases = process.env['SVC_DATABASE']
  const place = await mkdtemp(join(tmpdir(), 'svc-compat-'))
  await using database = databases === undefined ? null : await emptyPostgresPlace(databases)
  const env = { ...process.env, ...(database !== null && { SVC_DATABASE: database.url }) }
  try {
    // The import must not switch on plugins that the recorded site did not have.
    const plugins = {
      ...Object.fromEntries(OPTIONAL.map((one) => [one, site.plugins.includes(one)])),
      ...site.settings,
    }
    const config = { word: 'wp', plugins, log: 'silent' }
    const { home } = await prepareSite(place, config)
    const types = typePluginsOf(folder, site)
    const [wxr, options] = [join(place, 'site.wxr.xml'), join(place, 'site.json')]
    await writeFile(wxr, await recordedExport(types))
    await writeFile(options, JSON.stringify(await recordedOptions(site, types)))
    const flags = ['--uploads', recordedPath('uploads.tar.gz'), '--site', options, '--trust-html']
    await promisify(execFile)(process.execPath, [join(root, 'bin', 'svc-import'), wxr, ...flags], { cwd: place, env })
    const served = await prepareSite(place, { ...config, port: Number(new URL(home).port) })
    await using _server = await startServer(join(root, 'bin', 'svc-serve'), served, { env })
    return await use(home)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** Returns the recorded plugins of a site that define types. */
function typePluginsOf(folder: string, { plugins }: CompatSite): readonly TypePlugin[] {
  if (folder === 'custom-post-type-ui') return ['custom-post-type-ui']
  if (folder === 'acf' || folder === 'acf-to-rest-api') return ['acf']
  return plugins.includes('custom-types') ? ['acf', 'custom-post-type-ui'] : []
}

/** Returns the export with the revision that it lacks, and without definitions of types that the site did not have. */
async function recordedExport(types: readonly TypePlugin[]): Promise<string> {
  const text = await readFile(recordedPath('site.wxr.xml'), 'utf8')
  const items = text.match(/<item>.*?<\/item>/gs) ?? []
  const typeOf = (item: string) => /<wp:post_type><!\[CDATA\[(.*?)\]\]>/.exec(item)?.[1] ?? ''
  const post = items.find((item) => item.includes(`<wp:post_id>${REVISION.post}</wp:post_id>`))!
  const revision = post
    .replace(/<wp:post_id>\d+/, `<wp:post_id>${REVISION.id}`)
    .replace(/<wp:post_parent>\d+/, `<wp:post_parent>${REVISION.post}`)
    .replace(/<wp:post_type>.*?<\/wp:post_type>/s, '<wp:post_type><![CDATA[revision]]></wp:post_type>')
    .replace(/<wp:status>.*?<\/wp:status>/s, '<wp:status><![CDATA[inherit]]></wp:status>')
    .replace(/<wp:post_name>.*?<\/wp:post_name>/s, `<wp:post_name>${REVISION.post}-revision-v1</wp:post_name>`)
    .replaceAll(/<(wp:postmeta|category)\b.*?<\/\1>\s*/gs, '')
  const withRevision = text.replace('</channel>', () => `${revision}\n</channel>`)
  if (types.includes('acf')) return withRevision
  const definitions = items.filter((item) => ['acf-post-type', 'acf-taxonomy'].includes(typeOf(item)))
  return definitions.reduce((result, item) => result.replace(item, ''), withRevision)
}

/** Returns the recorded options as a site file, with an application password for each account if the site has them. */
async function recordedOptions(
  { isImported = false, withoutApplicationPasswords = false }: CompatSite,
  types: readonly TypePlugin[],
): Promise<object> {
  const recorded = JSON.parse(await readFile(recordedPath('site-options.json'), 'utf8')) as {
    home: string
    options: Record<string, unknown>
    users: { login: string; email: string }[]
  }
  const users = recorded.users.map((user, index) => ({
    ...user,
    // Responses show that the recorded site set the web address of the first account, which the file lacks.
    ...(index === 0 && { url: recorded.home }),
    password: PASSWORD,
    ...(!withoutApplicationPasswords && {
      application_passwords: [{ name: 'recorded', uuid: `recorded-${index}`, password: APPLICATION_PASSWORD }],
    }),
  }))
  const chosen = Object.entries(recorded.options).filter(([name]) => {
    if (name.startsWith('cptui_')) return types.includes('custom-post-type-ui')
    return !isImported || !name.startsWith('theme_mods_')
  })
  // Responses show that the first account's email address was that of the site, which the file lacks, too.
  const options: Record<string, unknown> = { ...Object.fromEntries(chosen), admin_email: recorded.users[0]!.email }
  if (isImported) options['polylang'] = { ...(options['polylang'] as object), nav_menus: [] }
  return isImported ? { home: recorded.home, options, users } : { ...recorded, options, users }
}
