import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as surface from '../../plugins/public.ts'
import { type Block, blocksOf, GUIDES, root, SERVICES } from './blocks.ts'
import { EXAMPLES } from './pages.ts'

const examples = suite('TypeScript examples of the docs')

// `arguments` cannot be the name of a constant, and `html` is also an export.
const services = SERVICES.filter((name) => name !== 'arguments' && !Object.hasOwn(surface, name))
const blocks = (await Promise.all(GUIDES.map(blocksOf))).flat().filter(({ language }) => language === 'ts')

examples('compile as they are, or inside `apply` of a plugin', async () => {
  assert.ok(blocks.length > 60, `${blocks.length} examples`)
  // Inside the checkout, whose packages and tsconfig.json the compiler finds from there.
  const folder = join(root, 'node_modules/.docs-examples')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const files = new Map<string, Block>()
  for (const [index, block] of blocks.entries()) {
    const file = `example-${index}.ts`
    files.set(file, block)
    await writeFile(join(folder, file), moduleOf(block))
  }
  for (const [index, { packages }] of [...EXAMPLES.values()].entries()) {
    if (packages !== undefined) await writeFile(join(folder, `packages-${index}.d.ts`), packages)
  }
  // Plugins that the tests among the examples import.
  for (const name of ['hello', 'garden']) {
    await writeFile(
      join(folder, `${name}.ts`),
      `import { definePlugin } from 'svc-rest'
       export default definePlugin<Record<string, unknown>>({ name: '${name}', apply() {} })`,
    )
  }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: {
        noUnusedLocals: false,
        noUnusedParameters: false,
        paths: {
          'svc-rest': ['../../plugins/public.ts'],
          'svc-rest/host': ['../../plugins/host.ts'],
          'svc-rest/testing': ['../../test/kit/index.ts'],
        },
      },
      include: ['*.ts'],
      exclude: [],
    }),
  )
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const output = await promisify(execFile)(process.execPath, [
    compiler,
    '-p',
    folder,
    '--noEmit',
    '--pretty',
    'false',
  ]).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
  const mistakes = output.split('\n').flatMap((line) => {
    const found = /(example-\d+\.ts)\((\d+),\d+\): (.*)/.exec(line)
    if (found === null) return line.includes('error TS') ? [line] : []
    const block = files.get(found[1]!)!
    return [`${block.page}:${block.line}: ${found[3]} (line ${found[2]} of ${found[1]})`]
  })
  assert.equal(mistakes, [])
  await rm(folder, { recursive: true })
})

/** Names of the context of `apply`. */
const CONTEXT = [
  'hooks',
  'services',
  'config',
  'branding',
  'urls',
  'log',
  'worker',
  'server',
  'provide',
  'onRemove',
  'has',
]

/**
 * A module that contains an example. A fragment becomes the body of a function. Around it are the exports of svc-rest, the
 * context of `apply`, its services, and the names of the prelude; the fragment can declare the same names again.
 */
function moduleOf({ code, page }: Block): string {
  const imports = [...code.matchAll(/^import [\s\S]*?from '[^']+'$/gm)].map(([text]) => text)
  const ambient = [...code.matchAll(/^declare module [\s\S]*?^\}$/gm)].map(([text]) => text)
  const body = [...imports, ...ambient].reduce((text, part) => text.replace(part, ''), code)
  const declaredNames = new Set(imports.flatMap((text) => text.match(/\w+/g) ?? []))
  const free = (names: readonly string[]) => {
    const left = names.filter((name) => !declaredNames.has(name))
    for (const name of left) declaredNames.add(name)
    return left.join(', ')
  }
  const prelude = (EXAMPLES.get(page)?.prelude ?? []).filter((line) => free([nameOf(line)]) !== '')
  const isModule = /^export /m.test(body)
  const declarations = isModule
    ? ''
    : `const { ${free(CONTEXT)} } = plugin
       const { ${free(services)} } = plugin.services
       import { ${free(Object.keys(surface))} } from 'svc-rest'`
  return `
    ${imports.join('\n')}
    ${ambient.join('\n')}
    declare const plugin: import('svc-rest').PluginContext
    ${prelude.join('\n')}
    ${declarations}
    ${isModule ? body : `export async function example() {\n${body}\n}`}
    export {}
  `
}

/** Name that a line of a prelude declares. */
function nameOf(line: string): string {
  return /(?:const|type|interface|function|class) (\w+)/.exec(line)![1]!
}

examples.run()
