/** Shown in place of a secret. */
export const HIDDEN = '[hidden]'

/** Whether a value of this name is secret: passwords, nonces, tokens, cookies, and what holds them. */
export function isSecretName(name: string): boolean {
  return /pass(?:word|wd|$)|pwd|nonce|token|secret|credential|api.?key|authorization|cookie|^hash$/i.test(name)
}

/** A URL, or a text with URLs, without the passwords in front of the host. In linear time. */
export function hideCredentials(text: string): string {
  return text.includes('://') ? text.replace(CREDENTIALS, `$1:${HIDDEN}@`) : text
}

const CREDENTIALS = /(:\/\/[^\s"'<>/:@\\]{0,200}):[^\s"'<>/@\\]{1,1000}@/g
