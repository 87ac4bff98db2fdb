import { isSecretName } from '../../../kernel/text/secret-names.ts'

/** Shown in place of a secret. */
export const HIDDEN = '[hidden]'

/** A URL, or a text with URLs, without the passwords in front of the host. In linear time. */
export function hideCredentials(text: string): string {
  return text.includes('://') ? text.replace(URL_PASSWORD, `$1:${HIDDEN}@`) : text
}

const URL_PASSWORD = /(:\/\/[^\s"'<>/:@\\]{0,200}):[^\s"'<>/@\\]{1,1000}@/g

/** Secrets of the config in every form, the longest first: one may hold another. */
let kept: readonly string[] = []
/** How many forms are kept: tests start many sites in one process. */
const MAX_FORMS = 1000

/** Remembers a secret, so that `hideConfigSecrets` hides it wherever it stands. Very short ones would hide half of every text. */
export function keepSecret(secret: string): void {
  if (secret.length < (/^\d*$/.test(secret) ? 6 : 4) || kept.includes(secret)) return
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
  kept = [...new Set([...forms, ...kept])].slice(0, MAX_FORMS).sort((one, other) => other.length - one.length)
}

/** Forgets what was kept: a process that runs one test file after another would hide words of later ones. */
export function forgetSecrets(): void {
  kept = []
}

/** A text without the secrets of the config. */
export function hideConfigSecrets(text: string): string {
  let hidden = text
  for (const secret of kept) if (hidden.includes(secret)) hidden = hidden.replaceAll(secret, HIDDEN)
  return hidden
}

/**
 * A value as JSON text, with the values of secret names hidden, also those that stand in texts, and behind their name in a
 * list of pairs: `["password", "…"]`, `{ "name": "password", "value": "…" }`.
 */
export function stringifyWithoutSecrets(value: unknown): string | undefined {
  return JSON.stringify(value, function (this: unknown, name, inner: unknown) {
    if (isSecretName(name) || isNamedSecret(this, name)) return HIDDEN
    return typeof inner === 'string' ? hideSecrets(inner) : inner
  })
}

/** Whether a member is the value of a pair that has a secret name. */
function isNamedSecret(pair: unknown, member: string): boolean {
  if (member === '1') return Array.isArray(pair) && pair.length === 2 && isSecret(pair[0])
  if (member !== 'value') return false
  const { name, key } = pair as { name?: unknown; key?: unknown }
  return isSecret(name) || isSecret(key)
}

const isSecret = (name: unknown) => typeof name === 'string' && isSecretName(name)

/** A text such as the message of an error, without the secrets in it. */
export function hideSecretsIn(text: string): string {
  return hideSecrets(text, TEXT_END)
}

/** A URL, or the path of one, without its secrets. */
export function hideSecretsInUrl(url: string): string {
  return hideSecrets(url, URL_END)
}

/** Credentials as they stand in the header `Authorization`. */
const CREDENTIALS = /\b(Basic|Bearer|Digest)(\s+)[\w.~+/=-]{3,}/gi
/** A pair in JSON text, also in one that was cut off. */
const JSON_PAIR = /"([^"\\]{1,100})"(\s*:\s*)"(?:[^"\\]|\\.)*(?:"|\\?$)/g
/** The same in JSON text that stands in JSON text. */
const INNER_PAIR = /(?<!\\)(\\{1,7})"([^"\\]{1,100})\1"(\s*:\s*)\1"[^"]*/g
/** What stands between the name and the value of a parameter, as it is or encoded. */
const EQUALS = /=|%(?:25){0,5}3d/gi
/** What may stand before a name: a name begins behind the last of these. */
const BEFORE = /[\s"'<>?&;#/,]|%(?:25){0,5}(?:3f|26|3b|23|2f)/gi
/** Where the value of a parameter ends: in a URL, and in other text with a URL. */
const URL_END = /[&#]|$/g
const TEXT_END = /[\s"'<>&#\\]|$/g

/** What begins as a path does is a URL as a whole, also where it is decoded and has spaces. */
const endOf = (text: string) => (/\s/.test(text) && !text.startsWith('/') ? TEXT_END : URL_END)

/** A text with the secrets in it hidden. In linear time. */
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
  /** Up to where the text is looked at, and up to where it is taken over. */
  let [seen, taken] = [0, 0]
  for (const { index, 0: equals } of plain.matchAll(EQUALS)) {
    if (index < seen) continue
    const before = plain.slice(Math.max(seen, index - LONGEST_NAME), index)
    const name = before.split(BEFORE).at(-1)!
    seen = index + equals.length
    if (!isSecretName(decoded(name))) continue
    ending.lastIndex = seen
    const end = ending.exec(plain)!.index
    hidden += `${plain.slice(taken, seen)}${HIDDEN}`
    seen = taken = end
  }
  return hidden + plain.slice(taken)
}

const LONGEST_NAME = 200

/** A name of a parameter, however often it was encoded. */
function decoded(name: string): string {
  let plain = name
  for (let times = 0; times < 6 && plain.includes('%'); times += 1) {
    plain = plain.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return plain
}
