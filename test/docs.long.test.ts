import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaults } from '../plugins/index.ts'
import { referencePages } from './checks/reference-pages.ts'
import * as hosts from '../bin/config/index.ts'
import * as deprecated from '../plugins/deprecated.ts'
import * as surface from '../plugins/public.ts'

const docs = suite('docs')
const root = resolve(import.meta.dirname, '..')
const pages = await referencePages(root)
const servicePages = [...pages].filter(([file]) => file.startsWith('docs/reference/services/'))

docs('contain the reference pages that npm run docs generates', async () => {
  for (const [file, text] of pages) {
    const there = await readFile(resolve(root, file), 'utf8').catch(() => '')
    assert.ok(there === text, `${file} is outdated: run npm run docs`)
  }
})

docs('describe every hook, option and plugin', () => {
  const hooks = pages.get('docs/reference/hooks.md')!
  const silent = [...hooks.matchAll(/^### (`\w[^`]*`)\n\n\n/gm)].map(([, name]) => name)
  const plugins = pages.get('docs/reference/plugins.md')!
  const mute = [...plugins.matchAll(/^## (\S+)\n\n\n/gm)].map(([, name]) => name)
  const bare = [...plugins.matchAll(/^\| `(\w+)` \|  \|/gm)].map(([, name]) => name)
  assert.equal([...silent, ...mute, ...bare], [])
})

docs('describe every function, class and constant that svc-rest exports, with its source file', () => {
  const page = pages.get('docs/reference/functions.md')!
  const names = [...Object.keys(surface), ...Object.keys(hosts)].filter((name) => !(name in deprecated))
  const missing = names.filter((name) => !page.includes(`### \`${name}\`\n`))
  const silent = [...page.matchAll(/^### (`\w+`)\n\n```ts\n[^`]*```\n\n\n/gm)].map(([, name]) => name)
  const mute = [...page.matchAll(/^\| (`[^`]+`) \|  \|$/gm)].map(([, name]) => name)
  assert.equal([...missing, ...silent, ...mute], [])
  for (const [file] of page.matchAll(/(?<=^Source: \[)[^\]]+/gm)) assert.ok(existsSync(resolve(root, file)), file)
})

docs('describe every service on a page, and each of its members', () => {
  const index = pages.get('docs/reference/services.md')!
  const provided = [
    ...pages.get('docs/reference/plugins.md')!.matchAll(/^.*\bProvides ((?:`\w+`(?:, )?)+) \(/gm),
  ].flatMap(([, names = '']) => [...names.matchAll(/\w+/g)].map(([name]) => name))
  assert.ok(provided.length > 30)
  assert.equal(
    provided.filter((name) => !pages.has(`docs/reference/services/${name}.md`)),
    [],
  )
  const silent = servicePages.flatMap(([file, page]) =>
    [...page.split('\n## Types\n')[0]!.matchAll(/^##+ (\S+)\n\n(?:```ts\n[^`]*```\n\n)?(?=\n|##|$)/gm)].map(
      ([, name]) => `${file} ${name}`,
    ),
  )
  const mute = [...index.matchAll(/^\| \[(`\w+`)\].*\|  \|$/gm)].map(([, name]) => name)
  assert.equal([...silent, ...mute], [])
})

docs('describe every property of the types that plugin authors pass to services', () => {
  const text = [...pages.values()].join('\n')
  for (const name of ['FieldArgs', 'MetaSpec', 'UploadedFile']) {
    const section = text.split(`### \`${name}\`\n`)[1]?.split('\n###')[0] ?? ''
    const rows = [...section.matchAll(/^\| `(.*)` \| (.*)\|$/gm)]
    assert.ok(rows.length > 3, `${name} has ${rows.length} properties`)
    assert.equal(
      rows.filter(([, , about = '']) => about.trim() === '').map(([, property]) => property),
      [],
      name,
    )
  }
})

docs('name only declared errors of services', () => {
  const declared = new Set(hosts.declaredErrors().flatMap((table) => table.map(({ code }) => code)))
  const thrown = servicePages.flatMap(([, page]) =>
    [...page.matchAll(/^- Throws (.*)$/gm)].map(([, sentence = '']) => sentence),
  )
  assert.ok(thrown.length > 30)
  for (const sentence of thrown) {
    const codes = [...sentence.matchAll(/\b(?:[A-Z]+_[A-Z_]+|[a-z]+(?:_[a-z]+)+)\b/g)].map(([code]) => code)
    assert.ok(codes.length > 0, sentence)
    assert.equal(
      codes.filter((code) => !declared.has(code)),
      [],
      sentence,
    )
  }
})

docs('list every error once for each of its owners', () => {
  const errors = pages.get('docs/reference/errors.md')!
  const rows = [...errors.matchAll(/^\| `(\w+)` \| \d+ \| ([\w-]+) \|/gm)].map(([, code, owner]) => `${owner} ${code}`)
  assert.equal(
    rows.filter((row, index) => rows.indexOf(row) !== index),
    [],
  )
  assert.is(rows.length, hosts.declaredErrors().flat().length)
  // Terms and posts have a code in common.
  assert.ok(rows.includes('terms rest_cannot_create') && rows.includes('posts rest_cannot_create'))
  assert.ok(rows.includes('store STORE_UNOPENABLE') && rows.includes('store STORE_BUSY'))
})

docs('list no error that two owners declare in the same way, and none that is never thrown', async () => {
  const declared = hosts.declaredErrors().flat()
  const alike = declared.map(({ code, sentence }) => `${code}: ${sentence}`)
  assert.equal(
    alike.filter((one, index) => alike.indexOf(one) !== index),
    [],
  )
  const files = globSync('{kernel,plugins,bin}/**/*.ts', { cwd: root })
  const code = (await Promise.all(files.map((file) => readFile(resolve(root, file), 'utf8')))).join('\n')
  const thrown = new Set(
    Array.from(code.matchAll(/rrors\.(\w+)|\b([A-Z_]+)\(|'(\w+)'/g), (found) => found.slice(1)).flat(),
  )
  assert.equal(
    declared.filter(({ code: name }) => !thrown.has(name)).map(({ code: name }) => name),
    [],
  )
})

docs('list every hook of a request in the architecture page', async () => {
  const architecture = await readFile(resolve(root, 'docs/architecture.md'), 'utf8')
  for (const name of ['rest_pre_dispatch', 'rest_post_dispatch', 'rest_pre_serve_request', 'rest_pre_echo_response']) {
    assert.match(architecture, name)
  }
})

/** Returns the paths of source files on a page. A bare file name is in the folder of the previous path in the line. */
function pathsIn(page: string): string[] {
  return page.split('\n').flatMap((line) => {
    let folder = ''
    return [...line.matchAll(/`((?:kernel|plugins|bin|test|docs)\/[\w./-]+|[\w-]+\.ts)`/g)].flatMap(([, path = '']) => {
      if (path.includes('/')) folder = dirname(path)
      return path.includes('/') ? path : folder === '' ? [] : `${folder}/${path}`
    })
  })
}

docs(
  'name no file that is missing, in the architecture, the map for contributors, and the notes beside code',
  async () => {
    const notes = globSync('{kernel,plugins}/**/README.md', { cwd: root })
    assert.ok(notes.length > 7, `${notes.length} pages of notes`)
    for (const page of ['docs/architecture.md', 'CONTRIBUTING.md', 'bin/README.md', ...notes]) {
      const paths = pathsIn(await readFile(resolve(root, page), 'utf8')).filter((path) => !/ROOM|my-plugin/.test(path))
      assert.ok(paths.length > 10 || !/^(docs|CONTRIBUTING)/.test(page), `${page} names ${paths.length}`)
      assert.equal(
        paths.filter((path) => !existsSync(resolve(root, path))),
        [],
        page,
      )
    }
  },
)

docs('list every default plugin in the architecture page', async () => {
  const page = await readFile(resolve(root, 'docs/architecture.md'), 'utf8')
  const rooms = page.slice(page.indexOf('## Layers'), page.indexOf('## One shape'))
  const missing = defaults.map(({ name }) => name).filter((name) => !new RegExp(`[ ,]${name}[ ,;]`).test(rooms))
  assert.equal(missing, [])
})

docs.run()
