import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openProject } from '../checks/mentioned-types.ts'
import { unregistered } from '../helpers/growth-check.ts'
import { growthFailures, partsIn, shapesOf } from '../helpers/growth-shapes.ts'
import { textFunctions } from '../helpers/text-functions.ts'

const growth = suite('growth')

growth('S29, S57: is linear for all functions that process texts of users', async () => {
  assert.equal((await growthFailures({ seed: 8, rounds: 20, size: 8192 })).failures, [])
})

growth('S57: is tested for every text function, except those with a documented reason', () => {
  assert.equal(unregistered(), [])
})

growth('is reported for superlinear functions', async () => {
  const works = {
    trim: { work: (text: string) => text.replace(/[ .]+$/, '') },
    marks: { work: (text: string) => text.normalize('NFC') },
    exponential: { work: (text: string) => /^(?:\uFEFF|\s)*<[a-z]/.test(text) },
    own: {
      work: (text: string) => /qz(?:qz)*!/.test(text),
      parts: partsIn("const START = /qz(?:qz)*!/\nconst a = 'qz'"),
    },
    refuses: { work: () => JSON.parse('{') as unknown },
  }
  const { failures } = await growthFailures({ seed: 8, rounds: 0, size: 4096, unseen: 0.2, works })
  for (const name of Object.keys(works))
    assert.ok(
      failures.some((failure) => failure.startsWith(`${name}`)),
      name,
    )
})

growth('is tested with the short strings and literal characters of a module', () => {
  const parts = partsIn("import a from 'module'\nconst OPEN = '<!--'\nconst LINK = /\\shref=[\"'](\\w+)/g\n")
  assert.equal(parts, ['a', '<!--', ' href=a'])
  assert.ok(shapesOf(1, 0, parts).some((shape) => shape.of(20).startsWith('<!--<!--')))
})

growth('is reported as untested for unregistered text functions', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-growth-'))
  try {
    const write = (name: string, text: string) => writeFile(join(folder, name), text)
    await write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: { module: 'nodenext', types: [] }, include: ['*.ts'] }),
    )
    await write(
      'new.ts',
      `import { parseDocument as parse } from 'htmlparser2'
const TRAIL = /[ .]+$/
const trimmed = (text: string) => text.replace(TRAIL, '')
const SAFE = /^[a-z]{1,9}$/
export const byConstant = (text: string): string => trimmed(text)
export function byLoop(texts: readonly string[]): number {
  let count = 0
  for (let at = texts[0]!.indexOf('<'); at >= 0; at = texts[0]!.indexOf('<', at + 1)) count += 1
  return count
}
export function byParser({ html }: { html: string }) {
  return parse(html)
}
export function bounded(text: string): boolean {
  return SAFE.test(text)
}
export function ofNumbers(list: readonly number[]): number {
  return list.indexOf(1)
}
export class Reader {
  read(text: string): string {
    return this.#trim(text)
  }
  #trim(text: string): string {
    return trimmed(text)
  }
}
`,
    )
    using project = openProject(join(folder, 'tsconfig.json'))
    const found = textFunctions(project, `${tmpdir()}/`, [folder.slice(tmpdir().length + 1)])
    assert.equal(
      found.map(({ name, reasons }) => [name, ...reasons]),
      [
        ['byConstant', 'regular expression'],
        ['byLoop', 'loop'],
        ['byParser', 'htmlparser2'],
        ['Reader.read', 'regular expression'],
      ],
    )
    assert.equal(unregistered(found).slice(0, 4), [
      `${found[0]!.file} byConstant (regular expression) is not in test/helpers/growth-registry.ts.`,
      `${found[1]!.file} byLoop (loop) is not in test/helpers/growth-registry.ts.`,
      `${found[2]!.file} byParser (htmlparser2) is not in test/helpers/growth-registry.ts.`,
      `${found[3]!.file} Reader.read (regular expression) is not in test/helpers/growth-registry.ts.`,
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})

growth.run()
