import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Case } from './cases.ts'

/** Maximum length of a body in the command itself. Longer bodies are written to a file. */
const MAX_INLINE_LENGTH = 600

/**
 * Returns a curl command that repeats a request. Long and raw bodies are written to a file.
 * @param seed seed of the run, which together with the number also repeats the request
 */
export function curlOf({ number, sender, method, path, headers, body, raw }: Case, home: string, seed: number): string {
  const about = `  # ${sender}, --seed ${seed} --case ${number}`
  const { host, port } = new URL(home)
  if (raw !== undefined) return `nc ${host.split(':')[0]} ${port} < ${keep(seed, number, raw)}${about}`
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const method_ = method === 'HEAD' ? '-I' : `-X ${method}`
  const data =
    body === undefined
      ? []
      : [`--data-binary ${isShort(body) ? quoted(body.toString('latin1')) : `@${keep(seed, number, body)}`}`]
  return ['curl -i --path-as-is -g', method_, ...lines, ...data, quoted(home + path)].join(' ') + about
}

function isShort(body: Buffer): boolean {
  return body.length <= MAX_INLINE_LENGTH && !body.includes(0)
}

function keep(seed: number, number: number, bytes: Buffer): string {
  const file = join(tmpdir(), `svc-audit-${seed}-${number}.request`)
  writeFileSync(file, bytes)
  return file
}

/** Quotes any text for bash. */
function quoted(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("'")) return `'${text}'`
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `$'${escaped}'`
}
