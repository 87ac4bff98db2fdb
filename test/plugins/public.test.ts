import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as deprecated from '../../plugins/deprecated.ts'
import * as surface from '../../plugins/public.ts'

const exported = suite('exports of svc-rest')

const MAX_VALUES = 150
const textOf = (name: string) => readFileSync(new URL(`../../plugins/${name}`, import.meta.url), 'utf8')
const source = textOf('public.ts')
/** The exported names of the source, each with the comment above it. */
const listed = [...source.matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}(\w+),$/gm)].map(([, reason, name]) => ({
  name,
  reason,
}))

exported('are at most 150 values', () => {
  assert.ok(listed.length > 100, `${listed.length} names are found in the source`)
  assert.ok(listed.length <= MAX_VALUES, `${listed.length} values`)
})

exported('have a reason, and exist at run time', () => {
  const names = [...listed.map(({ name }) => String(name)), ...Object.keys(deprecated)]
  assert.equal(names.toSorted(), Object.keys(surface).toSorted())
  for (const { name, reason } of listed) assert.ok(reason!.length > 15, `the reason of ${name}: ${reason}`)
})

exported('are only types and deprecated names if they are not listed', () => {
  const others = [
    ...(source + textOf('public-types.ts')).matchAll(/^export (?!\{$|\* from '\.\/deprecated\.ts').*/gm),
  ].map(([line]) => line)
  assert.ok(others.length > 20)
  for (const line of others) assert.match(line, /^export type /)
})

exported.run()
