/** Whether a value of this name is secret: passwords, nonces, tokens, cookies, and what holds them. */
export function isSecretName(name: string): boolean {
  return /pass(?:word|wd|$)|pwd|nonce|token|secret|credential|api.?key|authorization|cookie|^hash$/i.test(name)
}
