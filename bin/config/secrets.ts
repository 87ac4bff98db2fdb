import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { HIDDEN, hideCredentials, keepSecret } from '../../plugins/library/secrets/hide-secrets.ts'
import { isSecretName } from '../../kernel/text/secret-names.ts'
import { errors } from './errors.ts'

/** A part of a schema that says which values are secret: those whose schema has `secret: true`. */
type Declared = Readonly<Record<string, unknown>>

/** Where a secret comes from when the config does not hold it: `{ "env": "NAME" }`, `{ "file": "PATH" }`. */
type Source = { readonly env: string } | { readonly file: string }

/**
 * A value of the config with its secrets in place: those that an environment variable or a file holds are read. From now
 * on none of them is shown in a log or an error.
 * @param where the name of the value in errors
 * @param folder the folder of relative paths
 * @throws SECRET_MISSING
 */
export function withSecrets(
  schema: Declared,
  value: unknown,
  where: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): unknown {
  return mapSecrets(schema, value, where, (secret, name) => {
    const text = isSource(secret) ? read(secret, name, folder, env) : secret
    if (typeof text === 'string') keepSecret(text)
    return text
  })
}

/** A value of the config as it may be shown: what is declared secret is hidden, and so is what its name says is one. */
export function withoutSecrets(schema: Declared, value: unknown): unknown {
  const shown = mapSecrets(schema, value, '', (secret) => (secret === '' || secret === null ? secret : HIDDEN))
  return JSON.parse(
    JSON.stringify(shown ?? null, (name, inner: unknown) => {
      if (typeof inner !== 'string' || inner === '') return inner
      return isSecretName(name) ? HIDDEN : hideCredentials(inner)
    }),
  ) as unknown
}

/** Calls `change` for each value that the schema declares secret, and returns a copy with the results. */
function mapSecrets(
  schema: Declared,
  value: unknown,
  where: string,
  change: (secret: unknown, where: string) => unknown,
): unknown {
  if (schema['secret'] === true) return value === undefined ? value : change(value, where)
  if (typeof value !== 'object' || value === null) return value
  // What is neither a list nor a map is not read from a file: nothing in it is declared.
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value
  const {
    properties = {},
    additionalProperties,
    items,
  } = schema as {
    properties?: Record<string, Declared>
    additionalProperties?: unknown
    items?: unknown
  }
  const inside = (part: unknown, inner: unknown, name: string) =>
    typeof part === 'object' && part !== null ? mapSecrets(part as Declared, inner, `${where}.${name}`, change) : inner
  if (Array.isArray(value)) return value.map((inner: unknown, index) => inside(items, inner, String(index)))
  const entries = Object.entries(value).map(([name, inner]) => {
    const part = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    return [name, inside(part, inner, name)] as const
  })
  return Object.fromEntries(entries)
}

function isSource(value: unknown): value is Source {
  if (typeof value !== 'object' || value === null) return false
  const [[name, text] = [], ...others] = Object.entries(value)
  return others.length === 0 && (name === 'env' || name === 'file') && typeof text === 'string'
}

function read(
  source: Source,
  where: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if ('env' in source) {
    const text = env[source.env]
    if (text === undefined) throw errors.SECRET_MISSING(where, `the variable ${source.env} is not set`)
    return text
  }
  const file = resolve(folder, source.file)
  try {
    // Editors end files with a line break.
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw errors.SECRET_MISSING(where, `the file ${file} cannot be read (${code})`, { cause })
  }
}
