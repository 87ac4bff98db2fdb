// npm run compat [-- PLUGIN…] [--all] [--verbose]: for each recorded plugin of WordPress, imports the recorded site into a new
// site with the plugin that stands in for it, sends the recorded requests in order, and compares the responses. The
// recordings are not part of this repository: SVC_SHARED names their folder, ../shared by default. SVC_DATABASE selects a
// PostgreSQL database.
//
// Fails if fewer than 95 of 100 answers are equal, or if a different answer has no reason in test/compat-known.txt. --all prints
// known differences too, --verbose every difference of an answer.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { defaults } from '../../plugins/index.ts'
import { emptyPostgresPlace } from '../helpers/stores.ts'
import { AnswerPlayer, APPLICATION_PASSWORD, JWT_SECRET, PASSWORD, type Answer } from './compat-answers.ts'
import { root, shared } from './recorded-site.ts'
import { prepareSite, run, startServer } from './server.ts'

/** The plugins that stand in for each recorded one. */
const STANDINS: Readonly<Record<string, readonly string[]>> = {
  acf: ['custom-fields', 'custom-types'],
  'acf-to-rest-api': ['custom-fields', 'custom-field-routes', 'custom-types'],
  'better-featured-image': ['featured-image-fields'],
  'contact-form-7': ['forms'],
  'custom-post-type-ui': ['custom-types'],
  'jwt-auth': ['jwt'],
  polylang: ['languages', 'menu-routes'],
  'rank-math': ['seo'],
  redirection: ['redirects'],
  'rest-filter': ['filter-parameter'],
  'wp-api-menus': ['menu-routes'],
  'wp-rest-api-v2-menus': ['menu-routes'],
}
/** Further settings of plugins. */
const SETTINGS: Readonly<Record<string, object>> = { 'jwt-auth': { jwt: { secret: JWT_SECRET } } }
/** Recorded answers of a site that differs: those whose names match are played on a separate site. */
const VARIANTS: Readonly<Record<string, readonly Variant[]>> = {
  'jwt-auth': [
    { names: /^no secret configured/, settings: { jwt: true } },
    { names: /site without any application password/, withoutApplicationPasswords: true },
  ],
  redirection: [{ names: /seeded state|^visit |^import / }],
}
/** Names of the optional plugins. */
const OPTIONAL = defaults.filter((plugin) => 'startsIf' in plugin).map(({ name }) => name)
/** Share of the answers that must be equal. */
const REQUIRED_SHARE = 0.95

/** A site whose answers are recorded next to those of the usual one. */
interface Variant {
  readonly names: RegExp
  readonly settings?: object
  readonly withoutApplicationPasswords?: boolean
}

const folderOf = (name: string) => join(shared, 'conformance', 'plugins', name)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, verbose: { type: 'boolean' } },
})
const known = await readKnown(join(root, 'test', 'compat-known.txt'))
const names = positionals.length > 0 ? positionals : Object.keys(STANDINS)
let equal = 0
let different = 0
let unexplained = 0
for (const name of names) {
  const results = await replay(name)
  const bad = results.filter(({ differences }) => differences.length > 0)
  equal += results.length - bad.length
  different += bad.length
  console.log(`\n${name}: ${results.length - bad.length} of ${results.length} equal`)
  for (const { answer, differences } of bad) {
    const reason = known.get(`${name}: ${answer.name}`)
    if (reason === undefined) unexplained += 1
    else if (values.all !== true) continue
    console.log(`  ${answer.method} ${answer.path} (${answer.name})${reason === undefined ? '' : ` known: ${reason}`}`)
    for (const line of values.verbose === true ? differences : differences.slice(0, 3)) console.log(`      ${line}`)
  }
}
console.log(`\ncompat: ${equal} equal, ${different} different, ${unexplained} without a reason`)
if (unexplained > 0 || equal < REQUIRED_SHARE * (equal + different)) process.exitCode = 1

/** Imports the recorded site, serves it with the plugins that stand in for a recorded one, and plays its answers. */
async function replay(name: string) {
  const standins = STANDINS[name]
  if (standins === undefined)
    throw new Error(`"${name}" is not a recorded plugin: ${Object.keys(STANDINS).join(', ')}.`)
  const answers = JSON.parse(await readFile(join(folderOf(name), 'answers.json'), 'utf8')) as Answer[]
  const playable = answers.filter(({ status }) => status !== 0)
  const variants = VARIANTS[name] ?? []
  const results = await playOn(
    name,
    standins,
    playable.filter((answer) => !variants.some(({ names }) => names.test(answer.name))),
  )
  for (const variant of variants) {
    const chosen = playable.filter((answer) => variant.names.test(answer.name))
    if (chosen.length > 0) results.push(...(await playOn(name, standins, chosen, variant)))
  }
  return results
}

/** Plays answers on a new site. */
async function playOn(
  name: string,
  standins: readonly string[],
  answers: readonly Answer[],
  { settings = SETTINGS[name], withoutApplicationPasswords = false }: Partial<Variant> = {},
) {
  const databases = process.env['SVC_DATABASE']
  const folder = await mkdtemp(join(tmpdir(), 'svc-compat-'))
  await using place = databases === undefined ? null : await emptyPostgresPlace(databases)
  const env = { ...process.env, ...(place !== null && { SVC_DATABASE: place.url }) }
  try {
    // Each plugin was recorded alone, so the import must not switch on others.
    const plugins = { ...Object.fromEntries(OPTIONAL.map((one) => [one, standins.includes(one)])), ...settings }
    const config = { word: 'wp', plugins, log: 'silent' }
    const { home } = await prepareSite(folder, config)
    const siteFile = join(folder, 'site.json')
    await writeFile(siteFile, JSON.stringify(await recordedSiteFile(withoutApplicationPasswords)))
    const flags = ['--uploads', folderOf('uploads.tar.gz'), '--site', siteFile, '--trust-html']
    await run(process.execPath, [join(root, 'bin', 'svc-import'), folderOf('site.wxr.xml'), ...flags], folder, env)
    const site = await prepareSite(folder, { ...config, port: Number(new URL(home).port) })
    await using _server = await startServer(join(root, 'bin', 'svc-serve'), site, { env })
    const player = new AnswerPlayer(home)
    const results = []
    for (const answer of answers) results.push({ answer, differences: await player.play(answer) })
    return results
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The recorded options as a site file, with an application password for each account if the site has them. */
async function recordedSiteFile(withoutApplicationPasswords: boolean): Promise<object> {
  const recorded = JSON.parse(await readFile(folderOf('site-options.json'), 'utf8')) as {
    home: string
    users: { login: string }[]
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
  return { ...recorded, users }
}

/** Reads lines `PLUGIN: NAME OF THE ANSWER # reason`. */
async function readKnown(file: string): Promise<ReadonlyMap<string, string>> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' # ')
      return [line.slice(0, at), line.slice(at + 3)] as const
    }),
  )
}
