/** Returns whether values with this name are secret: passwords, nonces, tokens, credentials, cookies. */
export function isSecretName(name: string): boolean {
  return /pass(?:word|wd|$)|pwd|nonce|token|secret|credential|api.?key|authorization|cookie|^hash$/i.test(name)
}
