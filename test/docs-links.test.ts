import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, matchesGlob, relative, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import packageJson from '../package.json' with { type: 'json' }

const links = suite('links of the docs')
const root = resolve(import.meta.dirname, '..')
const pages = [
  'README.md',
  ...globSync(['docs/**/*.md', '{kernel,bin,plugins}/**/README.md'], { cwd: root, exclude: ['**/node_modules/**'] }),
]
const SOURCES = `${packageJson.homepage.replace(/#.*/, '')}/blob/HEAD/`

/** What `npm publish` sends beside the files that package.json names. */
const ALWAYS = ['README.md', 'LICENSE', 'package.json']
const isPacked = (path: string) =>
  ALWAYS.includes(path) || packageJson.files.some((file) => matchesGlob(path, file) || path.startsWith(`${file}/`))

/** Where the links of a page lead to. Code is no text. */
const targetsOf = (text: string) =>
  [...text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)

/** The anchors of a page: those that hosts make of its headings, and its own. */
const anchorsOf = (text: string) => [
  ...[...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  ),
  ...[...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id),
]

links('lead to pages and headings that are there, and that the package has as well', async () => {
  const broken: string[] = []
  let followed = 0
  for (const page of pages) {
    for (const target of targetsOf(await readFile(join(root, page), 'utf8'))) {
      if (/^[a-z]+:/.test(target)) continue
      followed += 1
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? page : relative(root, resolve(root, dirname(page), file)).replaceAll('\\', '/')
      if (!existsSync(join(root, path))) broken.push(`${page}: there is no ${path}`)
      else if (!isPacked(path)) broken.push(`${page}: the package has no ${path}`)
      else if (anchor !== undefined && !anchorsOf(await readFile(join(root, path), 'utf8')).includes(anchor)) {
        broken.push(`${page}: ${path} has no heading #${anchor}`)
      }
    }
  }
  assert.ok(followed > 100, `${followed} links`)
  assert.equal(broken, [])
})

links('to the sources lead to files that are there', async () => {
  for (const page of pages) {
    for (const target of targetsOf(await readFile(join(root, page), 'utf8'))) {
      if (target.startsWith(SOURCES))
        assert.ok(existsSync(join(root, target.slice(SOURCES.length))), `${page}: ${target}`)
    }
  }
})

links.run()
