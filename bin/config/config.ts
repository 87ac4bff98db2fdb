import { access, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as AjvModule from 'ajv'
import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import { hideCredentials } from '../../plugins/library/secrets/index.ts'
import type { OptionSchema, SecretKey, SiteConfig } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import { configKeys, secretKeys, type ConfigKeySchema } from './config-keys.ts'
import { formerLimitsIn, rememberFormerLimits, renameLimits, type FormerLimit } from './former-limits.ts'
import { importWithinSeconds } from './import-module.ts'
import { errors } from './errors.ts'
import { parseHost } from '../../kernel/http/host.ts'
import { loadFailure } from './load-failure.ts'
import { hideConfigSecrets, keepSecret } from '../../plugins/library/secrets/hide-secrets.ts'
import { withSecrets } from './secrets.ts'

const require = createRequire(import.meta.url)

/** Maximum number of schemas that one validator compiles before it is replaced: Ajv never releases compiled schemas. */
const MAX_SCHEMAS_PER_VALIDATOR = 100

/** Returns a function that returns a validator and loads Ajv on the first call. */
export const ajvWith = (options: Options): (() => AjvModule.Ajv) => {
  let ajv: AjvModule.Ajv | undefined
  let remaining = 0
  return () => {
    if (ajv === undefined || remaining === 0) {
      const { Ajv } = require('ajv') as typeof AjvModule
      ajv = new Ajv(options)
      remaining = MAX_SCHEMAS_PER_VALIDATOR
    }
    remaining -= 1
    return ajv
  }
}

// Does not validate the schemas, which are part of this package: that would take as long as all checks of values.
const ownSchemas = ajvWith({ useDefaults: true, strict: false, meta: false, validateSchema: false, verbose: true })
const checks = new WeakMap<OptionSchema<unknown>, ValidateFunction>()

/** Returns the compiled check of `{ value }` for a config key or an option of a plugin. Compiles it on first use. */
export function checkOf(declared: OptionSchema<unknown>, compiler = ownSchemas): ValidateFunction {
  let check = checks.get(declared)
  if (check === undefined) {
    const { default: _, description: __, ...schema } = declared
    check = compiler().compile({ type: 'object', properties: { value: schema } })
    checks.set(declared, check)
  }
  return check
}

/** Rewords a JSON Schema error as a clause that follows the name of a config key or an option. */
export function invalidReason(error: ErrorObject): string {
  const location = error.instancePath.split('/').slice(2).join('.')
  const inside = location === '' ? '' : `has an invalid value at ${location}: it `
  if (error.keyword === 'enum')
    return `${inside}must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`
  if (error.keyword === 'additionalProperties') {
    const name = String(error.params['additionalProperty'])
    // `parentSchema` needs the option `verbose`, which only `ownSchemas` sets.
    const near = suggest(name, Object.keys((error.parentSchema?.['properties'] ?? {}) as object))
    return `${inside}has no entry ${name}${near === '' ? '' : ` (did you mean ${near}?)`}`
  }
  if (error.keyword === 'type')
    return `${inside}must be ${[error.params['type'] as string | string[]].flat().join(' or ')}`
  return `${inside}${error.message ?? 'is not valid'}`
}

const NAMES = ['svc.config.json', 'svc.config.js', 'svc.config.ts']

/**
 * Returns the path of `file`, which need not exist. Without `file`, returns the first that exists of `svc.config.json`,
 * `svc.config.js` and `svc.config.ts` in `folder`; null if there is no config file.
 */
export async function findConfig(file: string | undefined, folder = process.cwd()): Promise<string | null> {
  return file === undefined ? await firstThere(folder) : resolve(folder, file)
}

/**
 * Loads the config of a site from `options.file`, or else the first of `svc.config.{json,js,ts}` in the working
 * directory. For each key, the last of these sources wins: the default, the file, `PORT` or `DATABASE_URL`, the `SVC_*`
 * variable, the flag. Empty variables are ignored.
 * @param options.env environment variables; without it, only references to secrets read the environment of the process
 * @param options.flags values of command-line flags by key
 * @throws CONFIG_NOT_FOUND, CONFIG_ABOVE, CONFIG_UNREADABLE, and the errors of `completeConfig`
 */
export async function loadConfig(
  options: {
    file?: string | undefined
    env?: Readonly<Record<string, string | undefined>>
    flags?: Readonly<Record<string, unknown>>
    folder?: string
  } = {},
): Promise<SiteConfig> {
  const start = options.folder ?? process.cwd()
  const file = await findConfig(options.file, start)
  if (file === null) {
    const above = await firstAbove(start)
    if (above !== null) throw errors.CONFIG_ABOVE(start, above)
  }
  const fileValues = file === null ? {} : await readConfig(file)
  const values: Record<string, unknown> = { ...fileValues }
  const sources: Record<string, string> = {}
  if (file !== null) for (const key of Object.keys(fileValues)) sources[key] = file
  for (const [key, { platformVariable, variable }] of Object.entries(configKeys)) {
    for (const name of [platformVariable, variable]) {
      const text = name === undefined ? undefined : options.env?.[name]
      if (name === undefined || text === undefined || text === '') continue
      values[key] = fromText(key, text)
      sources[key] = name
    }
  }
  for (const [key, value] of Object.entries(options.flags ?? {})) {
    if (value === undefined) continue
    values[key] = typeof value === 'string' ? fromText(key, value) : value
    sources[key] = `--${key.replaceAll('_', '-')}`
  }
  return completeConfig(values, file === null ? start : dirname(file), options.env, sources)
}

/**
 * Validates config values and adds the defaults of `configKeys` for keys that are missing or null, and for missing
 * limits. Makes the paths of the uploads and of an SQLite database absolute.
 * @param folder base folder of relative paths
 * @param env environment variables that secrets can refer to
 * @param sources the file, variable or flag that each value comes from, by key, for error messages
 * @throws CONFIG_UNKNOWN_KEY, SECRET_MISSING, and CONFIG_INVALID, also for a limit that is set by both its current and
 *   its former name
 */
export function completeConfig(
  values: Readonly<Record<string, unknown>>,
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  sources: Readonly<Record<string, string>> = {},
): SiteConfig {
  const config: Record<string, unknown> = { folder }
  for (const key of Object.keys(values)) {
    if (!Object.hasOwn(configKeys, key)) throw errors.CONFIG_UNKNOWN_KEY(key, suggest(key, Object.keys(configKeys)))
  }
  const formerLimits = formerLimitsIn(values['limits'])
  for (const { former, current: name } of formerLimits) {
    if (!Object.hasOwn(values['limits'] as object, name)) continue
    const origin = originOf('limits', values['limits'], sources['limits'])
    throw errors.CONFIG_INVALID('limits', `has both ${name} and its former name ${former}${origin}. Remove ${former}`)
  }
  const current: typeof values = { ...values, limits: renameLimits(values['limits'], formerLimits) }
  for (const [key, schema] of Object.entries(configKeys)) {
    const rawValue = current[key] ?? defaultOf(schema)
    const holder = { value: structuredClone(isSecretKey(key) ? secretOf(key, rawValue, folder, env) : rawValue) }
    // Defaults are not validated.
    if ((current[key] ?? null) !== null && !fits(schema, holder.value)) {
      const check = checkOf(schema)
      if (!check(holder)) {
        const first = withFormerName(key, check.errors![0]!, formerLimits)
        const origin = originOf(key, rawValue, sources[key])
        // The description helps more than the regular expression.
        const form = `is not valid${origin}. ${schema.description.replace(/\.$/, '')}`
        throw errors.CONFIG_INVALID(key, first.keyword === 'pattern' ? form : `${invalidReason(first)}${origin}`)
      }
    }
    config[key] = holder.value
  }
  const complete = config as unknown as SiteConfig
  rememberFormerLimits(complete.limits, formerLimits)
  const origin = (key: 'home' | 'host') => originOf(key, complete[key], sources[key])
  if (complete.home !== null && !URL.canParse(complete.home))
    throw errors.CONFIG_INVALID('home', `is not a URL${origin('home')}. Set a URL such as https://example.com`)
  const host = parseHost(complete.host)
  if (host === null) {
    const advice = 'Set one without scheme and port, such as 127.0.0.1, ::1 or localhost'
    throw errors.CONFIG_INVALID('host', `is not a host name or IP address${origin('host')}. ${advice}`)
  }
  complete.host = host
  complete.uploads = below(folder, complete.uploads)
  const path = /^sqlite:(?!:memory:)(.+)$/.exec(complete.database)?.[1]
  if (path !== undefined) complete.database = `sqlite:${below(folder, path)}`
  return complete
}

/** Returns an error of the key `limits` with the former name of the limit in its path, if the config uses that name. */
function withFormerName(key: string, error: ErrorObject, formerLimits: readonly FormerLimit[]): ErrorObject {
  const found = formerLimits.find(({ current }) => key === 'limits' && error.instancePath === `/value/${current}`)
  return found === undefined ? error : { ...error, instancePath: `/value/${found.former}` }
}

/** Maximum characters of a value in an error message. */
const MAX_SHOWN_CHARS = 100

/** Returns the source of an invalid value and the value: `: --port is "abc"`. Secrets and objects are not shown. */
function originOf(key: string, value: unknown, source: string | undefined): string {
  const isFile = source !== undefined && isAbsolute(source)
  if (isSecretKey(key) || typeof value === 'object') return source === undefined ? '' : ` (${source})`
  const text = JSON.stringify(value)
  const shown = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text
  return `: ${isFile ? `${source} has` : `${source ?? 'it'} is`} ${shown}`
}

/** Returns the default of a config key, including the defaults of its properties. */
function defaultOf(schema: ConfigKeySchema): unknown {
  if (schema['properties'] === undefined) return schema.default
  const parts = Object.entries(schema['properties'] as Record<string, { default?: unknown }>)
  return { ...Object.fromEntries(parts.map(([name, part]) => [name, part.default])), ...(schema.default as object) }
}

/**
 * Whether a scalar value certainly matches a schema; if false, Ajv must decide. Loading Ajv takes a tenth of the start
 * time.
 */
function fits(schema: ConfigKeySchema, value: unknown): boolean {
  const { default: _, description: __, variable: ___, platformVariable: ____, ...keywords } = schema
  const { type, minimum, maximum, pattern, enum: listed, ...others }: PlainKeywords = keywords
  if (Object.keys(others).length > 0) return false
  if (listed !== undefined) return listed.includes(value)
  const types = [type].flat()
  if (typeof value === 'boolean') return types.includes('boolean')
  if (typeof value === 'string') return types.includes('string') && new RegExp(pattern ?? '', 'u').test(value)
  if (!types.includes('integer') || !Number.isInteger(value)) return false
  return Number(value) >= (minimum ?? -Infinity) && Number(value) <= (maximum ?? Infinity)
}

/** The keywords of JSON Schema that `fits` checks. */
interface PlainKeywords {
  type?: string | readonly string[]
  minimum?: number
  maximum?: number
  pattern?: string
  enum?: readonly unknown[]
}

const isSecretKey = (key: string): key is SecretKey => (secretKeys as readonly string[]).includes(key)

/** Resolves the value of a secret key, from the config, a variable or a file. Hides the password of a database URL. */
function secretOf(
  key: SecretKey,
  rawValue: unknown,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
) {
  const source = typeof rawValue === 'object'
  const value = source ? withSecrets(configKeys[key], rawValue, `the config key ${key}`, folder, env) : rawValue
  if (typeof value !== 'string' || !URL.canParse(value)) return value
  const { password, searchParams } = new URL(value)
  for (const secret of [password, searchParams.get('password') ?? '', searchParams.get('sslpassword') ?? '']) {
    keepSecret(secret)
    keepSecret(decoded(secret))
  }
  return value
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the config as plugins see it: without secrets, and without options of plugins, which can contain secrets. */
export function withoutSecretKeys(config: SiteConfig): SiteConfig {
  const plugins = Object.entries(config.plugins).map(([name, setting]) => [name, setting !== false] as const)
  return Object.freeze({
    ...config,
    database: hideCredentials(hideConfigSecrets(config.database)),
    plugins: Object.freeze(Object.fromEntries(plugins)),
  })
}

const below = (folder: string, path: string) => (isAbsolute(path) ? path : join(folder, path))

function fromText(key: string, text: string): unknown {
  const type = [(configKeys as Record<string, ConfigKeySchema>)[key]?.['type']].flat()[0]
  if (type === 'integer') return /^\d+$/.test(text) ? Number(text) : text
  if (type === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
  return text
}

/** Finds the nearest config file in the folders above `folder`. Stops at a folder with a package.json, a separate project. */
async function firstAbove(folder: string): Promise<string | null> {
  for (let at = folder; dirname(at) !== at && !(await isThere(join(at, 'package.json')));) {
    at = dirname(at)
    const file = await firstThere(at)
    if (file !== null) return file
  }
  return null
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

async function firstThere(folder: string): Promise<string | null> {
  for (const name of NAMES) {
    const file = join(folder, name)
    if (await isThere(file)) return file
  }
  return null
}

async function readConfig(file: string): Promise<Record<string, unknown>> {
  const { href: url } = pathToFileURL(file)
  let read: unknown
  try {
    read = file.endsWith('.json') ? parsed(await readFile(file, 'utf8')) : (await importWithinSeconds(url))['default']
  } catch (cause) {
    const { code, url: missing } = (cause ?? {}) as NodeJS.ErrnoException & { url?: string }
    if (code === 'ENOENT' || (code === 'ERR_MODULE_NOT_FOUND' && missing === url)) {
      throw errors.CONFIG_NOT_FOUND(file, { cause })
    }
    throw errors.CONFIG_UNREADABLE(file, loadFailure(cause, url), { cause })
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw errors.CONFIG_UNREADABLE(file, 'it does not contain an object of config keys')
  }
  return read as Record<string, unknown>
}

/** Parses JSON. The error contains only the place, because the content can be a secret. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const message = (error as Error).message
    const [, position] = /at position (\d+)/.exec(message) ?? []
    // An error without a position quotes the text around it, starting ten characters before.
    const [, token = '', cut, context] = /token '(.)', (\.\.\.)?"(.*?)"(?:\.\.\.)? is not/s.exec(message) ?? []
    let at = text.length
    if (position !== undefined) at = Number(position)
    else if (context !== undefined) at = cut === undefined ? text.lastIndexOf(token, 10) : text.indexOf(context) + 10
    const before = text.slice(0, at).split('\n')
    // Without the original error as cause, because its message quotes the text.
    throw new Error(`it is not valid JSON at line ${before.length}, column ${before.at(-1)!.length + 1}`)
  }
}
