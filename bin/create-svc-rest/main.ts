import { parseArgs } from 'node:util'
import { DEFAULT_PLUGINS } from './default-plugins.ts'
import { fill, pluginName, version } from './fill.ts'
import { keptFrom, nameMistake, placeOf, suggestedName } from './place.ts'
import { askKind, askName, isTerminal, type Kind } from './questions.ts'
import { nextSteps } from './next-steps.ts'

/** Licences that a plugin may get, beside none. */
const LICENSES = ['MIT', 'ISC']

const OPTIONS = {
  site: { type: 'boolean' },
  plugin: { type: 'boolean' },
  name: { type: 'string' },
  license: { type: 'string' },
  author: { type: 'string' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean' },
} as const

export const usage = `Usage: npm create svc-rest FOLDER
       npm create svc-rest -- FOLDER --plugin [FLAGS]

Makes a site of svc-rest in a new or empty folder, or a plugin for others to install.

  --site               A site: config, a first plugin and its test. Nothing is asked.
  --plugin             A plugin as a package of its own: TypeScript, test, build, README.
  --name NAME          Name of the package, where it is not that of the folder.
  --license LICENSE    Of a plugin: ${LICENSES.join(', ')} or none. ${LICENSES[0]} unless you say otherwise.
  --author NAME        Who has the rights in a plugin.
  --version, -v        Prints the version of create-svc-rest.
  --help               This text.

Flags stand behind --, which keeps them from npm. Without --site and --plugin you are asked; where nobody can be asked,
it is a site.`

/**
 * Runs `create-svc-rest`.
 * @param argv arguments after the command's name
 * @returns exit code: 1 for a mistake, of which a sentence on stderr says what to do
 */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true })
    if (values.help === true) {
      console.log(usage)
      return 0
    }
    if (values.version === true) {
      console.log(version)
      return 0
    }
    const { isSite, isPlugin } = kindFlags(values)
    const asked = positionals[0] ?? (isTerminal() ? await askName() : undefined)
    if (asked === undefined) throw new Mistake(`Say which folder: npm create svc-rest my-site\n\n${usage}`)
    if (positionals.length > 1) throw new Mistake(`One folder at a time, and not ${positionals.join(' and ')}.`)
    const kind: Kind = isPlugin ? 'plugin' : isSite || !isTerminal() ? 'site' : await askKind()
    await make(kind, asked, values)
    return 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { code } = error as NodeJS.ErrnoException
    const isOurs = error instanceof Mistake || code !== undefined
    if (!isOurs) throw error
    console.error(
      code?.startsWith('ERR_PARSE_ARGS') === true ? `${error.message}\n--help lists the flags.` : error.message,
    )
    return 1
  }
}

/** A mistake of who called the command, told without a stack. */
class Mistake extends Error {}

/** Where `--` was left out, npm has taken the flag for one of its own, and says so in the environment. */
function kindFlags({ site, plugin }: { site?: boolean; plugin?: boolean }): { isSite: boolean; isPlugin: boolean } {
  const isSite = site === true || process.env['npm_config_site'] === 'true'
  const isPlugin = plugin === true || process.env['npm_config_plugin'] === 'true'
  if (isSite && isPlugin) throw new Mistake('A site or a plugin: leave out --site or --plugin.')
  return { isSite, isPlugin }
}

type Values = { name?: string; license?: string; author?: string }

async function make(kind: Kind, asked: string, values: Values): Promise<void> {
  const { folder, name } = placeOf(asked, process.cwd(), values.name)
  const mistake = nameMistake(name)
  if (mistake !== null) {
    const better = suggestedName(name)
    const hint = better === null ? 'Give another with --name NAME.' : `Try ${better}, or give another with --name NAME.`
    throw new Mistake(`${name} cannot be the name of a package: ${mistake}. ${hint}`)
  }
  const plugin = pluginName(name)
  if (kind === 'plugin' && DEFAULT_PLUGINS.has(plugin))
    throw new Mistake(`Every site has a plugin named ${plugin} already: take another name, such as my-${plugin}.`)
  const license = values.license ?? LICENSES[0]!
  if (license !== 'none' && !LICENSES.includes(license)) {
    throw new Mistake(`--license takes ${LICENSES.join(', ')} or none, and not ${license}.`)
  }
  const kept = await keptFrom(folder)
  if (kept !== null) throw new Mistake(kept)
  const author = values.author ?? process.env['npm_config_init_author_name'] ?? ''
  const files = await fill(kind, folder, { name, license, author: author === '' ? `the authors of ${name}` : author })
  console.log(`Made ${kind === 'site' ? 'the site' : 'the plugin'} ${name}:\n`)
  for (const file of files) console.log(`  ${file}`)
  console.log(`\n${nextSteps(kind, folder, process.cwd(), name)}`)
}
