import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Case } from './cases.ts'

/** The longest body that stands in the command itself. */
const SHORT = 600

/**
 * A command that repeats a request; long and raw ones lie in a file beside it.
 * @param seed of the run, which with the number repeats the request too
 */
export function curlOf({ number, who, method, path, headers, body, raw }: Case, home: string, seed: number): string {
  const about = `  # ${who}, --seed ${seed} --case ${number}`
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
  return body.length <= SHORT && !body.includes(0)
}

function keep(seed: number, number: number, bytes: Buffer): string {
  const file = join(tmpdir(), `svc-audit-${seed}-${number}.request`)
  writeFileSync(file, bytes)
  return file
}

/** As bash reads it, whatever is in it. */
function quoted(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("'")) return `'${text}'`
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `$'${escaped}'`
}
