import { isSecretName } from '../../../kernel/text/secret-names.ts'

/** Replaces secrets in texts. */
export const HIDDEN = '[hidden]'

/** Hides the passwords in URLs of a text. Linear time. */
export function hideCredentials(text: string): string {
  return text.includes('://') ? text.replace(URL_PASSWORD, `$1:${HIDDEN}@`) : text
}

const URL_PASSWORD = /(:\/\/[^\s"'<>/:@\\]{0,200}):[^\s"'<>/@\\]{1,1000}@/g

/** Secrets of the config in all encodings, longest first, because one can contain another. */
let secrets: readonly string[] = []
/** Limit of stored encodings: tests start many sites in one process. */
const MAX_FORMS = 1000

/**
 * Stores a secret, so that `hideConfigSecrets` hides it. Very short secrets are ignored, because they would match parts
 * of ordinary text.
 */
export function keepSecret(secret: string): void {
  if (secret.length < (/^\d*$/.test(secret) ? 6 : 4) || secrets.includes(secret)) return
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
  secrets = [...new Set([...forms, ...secrets])].slice(0, MAX_FORMS).sort((one, other) => other.length - one.length)
}

/** Removes all stored secrets. For tests: a process that runs several test files would hide words of later ones. */
export function forgetSecrets(): void {
  secrets = []
}

/** Hides the secrets of the config in a text. */
export function hideConfigSecrets(text: string): string {
  let hidden = text
  for (const secret of secrets) if (hidden.includes(secret)) hidden = hidden.replaceAll(secret, HIDDEN)
  return hidden
}

/**
 * Serializes a value to JSON and hides the values of secret names, also inside of texts and in pairs: `["password",
 * "…"]`, `{ "name": "password", "value": "…" }`.
 */
export function stringifyWithoutSecrets(value: unknown): string | undefined {
  return JSON.stringify(value, function (this: unknown, name, inner: unknown) {
    if (isSecretName(name) || isNamedSecret(this, name)) return HIDDEN
    return typeof inner === 'string' ? hideSecrets(inner) : inner
  })
}

/** Returns whether a member is the value of a pair with a secret name. */
function isNamedSecret(pair: unknown, member: string): boolean {
  if (member === '1') return Array.isArray(pair) && pair.length === 2 && isSecret(pair[0])
  if (member !== 'value') return false
  const { name, key } = pair as { name?: unknown; key?: unknown }
  return isSecret(name) || isSecret(key)
}

const isSecret = (name: unknown) => typeof name === 'string' && isSecretName(name)

/** Hides secrets in a text such as an error message. */
export function hideSecretsIn(text: string): string {
  return hideSecrets(text, TEXT_END)
}

/** Hides secrets in a URL or in a path. */
export function hideSecretsInUrl(url: string): string {
  return hideSecrets(url, URL_END)
}

/** Credentials of the header `Authorization`. */
const CREDENTIALS = /\b(Basic|Bearer|Digest)(\s+)[\w.~+/=-]{3,}/gi
/** A pair in JSON text, even if the text is truncated. */
const JSON_PAIR = /"([^"\\]{1,100})"(\s*:\s*)"(?:[^"\\]|\\.)*(?:"|\\?$)/g
/** A pair in JSON text inside of a JSON string. */
const INNER_PAIR = /(?<!\\)(\\{1,7})"([^"\\]{1,100})\1"(\s*:\s*)\1"[^"]*/g
/** Separator between the name and the value of a parameter, plain or encoded. */
const EQUALS = /=|%(?:25){0,5}3d/gi
/** Separators before a name; the name begins after the last one. */
const BEFORE = /[\s"'<>?&;#/,]|%(?:25){0,5}(?:3f|26|3b|23|2f)/gi
/** End of a parameter's value, in a URL and in a text with a URL. */
const URL_END = /[&#]|$/g
const TEXT_END = /[\s"'<>&#\\]|$/g

/** A text that begins with a slash is a URL, even if it is decoded and contains spaces. */
const endOf = (text: string) => (/\s/.test(text) && !text.startsWith('/') ? TEXT_END : URL_END)

/** Hides the secrets in a text. Linear time. */
function hideSecrets(text: string, ending = endOf(text)): string {
  const plain = hideCredentials(hideConfigSecrets(text))
    .replace(CREDENTIALS, `$1$2${HIDDEN}`)
    .replace(JSON_PAIR, (all, name: string, colon: string) =>
      isSecretName(name) ? `"${name}"${colon}"${HIDDEN}"` : all,
    )
    .replace(INNER_PAIR, (all, slash: string, name: string, colon: string) =>
      isSecretName(name) ? `${slash}"${name}${slash}"${colon}${slash}"${HIDDEN}${slash}` : all,
    )
  let hidden = ''
  /** Positions up to which the text has been scanned and copied. */
  let [scanned, copied] = [0, 0]
  for (const { index, 0: equals } of plain.matchAll(EQUALS)) {
    if (index < scanned) continue
    const before = plain.slice(Math.max(scanned, index - MAX_NAME_LENGTH), index)
    const name = before.split(BEFORE).at(-1)!
    scanned = index + equals.length
    if (!isSecretName(decode(name))) continue
    ending.lastIndex = scanned
    const end = ending.exec(plain)!.index
    hidden += `${plain.slice(copied, scanned)}${HIDDEN}`
    scanned = copied = end
  }
  return hidden + plain.slice(copied)
}

const MAX_NAME_LENGTH = 200

/** Decodes the name of a parameter, up to six levels deep. */
function decode(name: string): string {
  let plain = name
  for (let times = 0; times < 6 && plain.includes('%'); times += 1) {
    plain = plain.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return plain
}
