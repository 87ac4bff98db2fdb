import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkout, withTarball } from './checkout.ts'
import { DEFAULT_PLUGINS } from './default-plugins.ts'
import { fill, pluginName, version } from './fill.ts'
import { Mistake } from './mistake.ts'
import { findFolderMistake, nameMistake, placeOf, suggestedName } from './place.ts'
import { promptForKind, promptForName, isTerminal, type Kind } from './questions.ts'
import { nextSteps } from './next-steps.ts'
import { command, LICENSES, usage } from './usage.ts'

const OPTIONS = {
  site: { type: 'boolean' },
  plugin: { type: 'boolean' },
  name: { type: 'string' },
  license: { type: 'string' },
  author: { type: 'string' },
  tarball: { type: 'string' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean' },
} as const

/**
 * Runs `create-svc-rest`.
 * @param argv arguments after the command's name
 * @returns exit code: 1 for an error that the user can correct, with a message on stderr
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
    const target = positionals[0] ?? (isTerminal() ? await promptForName() : undefined)
    if (target === undefined) throw new Mistake(`Name the folder: ${command} my-site\n\n${usage}`)
    if (positionals.length > 1)
      throw new Mistake(`Name one folder, not ${positionals.length}: ${positionals.join(', ')}.`)
    const kind: Kind = isPlugin ? 'plugin' : isSite || !isTerminal() ? 'site' : await promptForKind()
    await create(kind, target, values)
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

/** Parses --site and --plugin. Without `--`, npm consumes them and passes them in the environment. */
function kindFlags({ site, plugin }: { site?: boolean; plugin?: boolean }): { isSite: boolean; isPlugin: boolean } {
  const isSite = site === true || process.env['npm_config_site'] === 'true'
  const isPlugin = plugin === true || process.env['npm_config_plugin'] === 'true'
  if (isSite && isPlugin) throw new Mistake('Pass only one of --site and --plugin.')
  return { isSite, isPlugin }
}

type Values = { name?: string; license?: string; author?: string; tarball?: string }

async function create(kind: Kind, target: string, values: Values): Promise<void> {
  const { folder, name } = placeOf(target, process.cwd(), values.name)
  const mistake = nameMistake(name)
  if (mistake !== null) {
    const better = suggestedName(name)
    const hint =
      better === null ? 'Choose another with --name NAME.' : `Try ${better}, or choose another with --name NAME.`
    throw new Mistake(`${name} cannot be the name of a package: ${mistake}. ${hint}`)
  }
  const plugin = pluginName(name)
  if (kind === 'plugin' && DEFAULT_PLUGINS.has(plugin))
    throw new Mistake(`Every site already has a plugin named ${plugin}. Choose another name, such as my-${plugin}.`)
  const license = values.license ?? LICENSES[0]!
  if (license !== 'none' && !LICENSES.includes(license)) {
    throw new Mistake(`--license takes ${LICENSES.join(', ')} or none, not ${license}.`)
  }
  const folderMistake = await findFolderMistake(folder)
  if (folderMistake !== null) throw new Mistake(folderMistake)
  const author = values.author ?? process.env['npm_config_init_author_name'] ?? ''
  const blanks = { name, license, author: author === '' ? `the authors of ${name}` : author }
  const files = await withSource(values.tarball, (tarball) => fill(kind, folder, { ...blanks, tarball }))
  console.log(`Created the ${kind} ${name}:\n`)
  for (const file of files) console.log(`  ${file}`)
  console.log(`\n${nextSteps(kind, folder, process.cwd(), name)}`)
}

/** Runs `use` with the tarball from which svc-rest will be installed, or null for the npm registry. */
async function withSource<T>(file: string | undefined, use: (tarball: string | null) => Promise<T>): Promise<T> {
  if (file !== undefined) {
    const tarball = resolve(file)
    if (!existsSync(tarball)) throw new Mistake(`--tarball: the file ${tarball} does not exist.`)
    if (!/^[\w.-]+\.tgz$/.test(basename(tarball))) {
      throw new Mistake(`--tarball takes a file that "npm pack" wrote, such as svc-rest-0.1.0.tgz, not ${file}.`)
    }
    return await use(tarball)
  }
  if (checkout === null) return await use(null)
  if (!existsSync(join(checkout, 'node_modules'))) {
    throw new Mistake(`Run "npm ci" in ${checkout} first: without it svc-rest cannot be compiled and packed.`)
  }
  console.log(`Packing svc-rest from ${checkout} …\n`)
  return await withTarball(checkout, use)
}
