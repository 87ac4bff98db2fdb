/**
 * Checks that all parts of a path are ordinary names: not empty, not hidden, not `..`, without control characters or
 * `\`.
 */
export function isSafePath(parts: readonly string[]): boolean {
  // oxlint-disable-next-line no-control-regex -- matches control characters
  return parts.every((part) => part !== '' && !part.startsWith('.') && !/[\0-\x1f\x7f\\]/.test(part))
}
