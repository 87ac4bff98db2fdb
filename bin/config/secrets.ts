import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { HIDDEN, hideCredentials, keepSecret } from '../../plugins/library/secrets/hide-secrets.ts'
import { isSecretName } from '../../kernel/text/secret-names.ts'
import { errors } from './errors.ts'

/** A schema. Values are secret if their schema has `secret: true`. */
type Declared = Readonly<Record<string, unknown>>

/** A reference to a secret outside of the config: `{ "env": "NAME" }` or `{ "file": "PATH" }`. */
type Source = { readonly env: string } | { readonly file: string }

/**
 * Returns a config value with references to secrets replaced by the secrets. Registers all its secrets, so that logs and
 * errors hide them.
 * @param label the name of the value in errors
 * @param folder base folder of relative paths
 * @throws SECRET_MISSING
 */
export function withSecrets(
  schema: Declared,
  value: unknown,
  label: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): unknown {
  return mapSecrets(schema, value, label, (secret, name) => {
    const text = isSource(secret) ? read(secret, name, folder, env) : secret
    if (typeof text === 'string') keepSecret(text)
    return text
  })
}

/** Returns a config value with secrets hidden: values that are declared secret, or have the name of a secret. */
export function withoutSecrets(schema: Declared, value: unknown): unknown {
  const shown = mapSecrets(schema, value, '', (secret) => (secret === '' || secret === null ? secret : HIDDEN))
  return JSON.parse(
    JSON.stringify(shown ?? null, (name, inner: unknown) => {
      if (typeof inner !== 'string' || inner === '') return inner
      return isSecretName(name) ? HIDDEN : hideCredentials(inner)
    }),
  ) as unknown
}

/** Returns a copy with each value that the schema declares secret replaced by the result of `change`. */
function mapSecrets(
  schema: Declared,
  value: unknown,
  label: string,
  change: (secret: unknown, label: string) => unknown,
): unknown {
  if (schema['secret'] === true) return value === undefined ? value : change(value, label)
  if (typeof value !== 'object' || value === null) return value
  // Class instances come from code, and schemas do not describe their properties.
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
    typeof part === 'object' && part !== null ? mapSecrets(part as Declared, inner, `${label}.${name}`, change) : inner
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
  label: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if ('env' in source) {
    const text = env[source.env]
    if (text === undefined) throw errors.SECRET_MISSING(label, `the variable ${source.env} is not set`)
    return text
  }
  const file = resolve(folder, source.file)
  try {
    // Editors end files with a line break.
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw errors.SECRET_MISSING(label, `the file ${file} cannot be read (${code})`, { cause })
  }
}
